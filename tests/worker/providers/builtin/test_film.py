import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from domain.styles import Style
from worker.artifacts import GenerationRequest
from worker.imaging.pixels import encode_png
from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Palette, parse_hex
from worker.providers.builtin.film.picture_film import picture_film
from worker.providers.builtin.film.render import render_film
from worker.providers.builtin.film.scene_film import SceneFilm, scene_film
from worker.providers.builtin.finish import MANNERS
from worker.providers.builtin.ink import InkBook
from worker.providers.builtin.look import Look
from worker.providers.builtin.reading import read
from worker.providers.builtin.scenes.places import PLACES
from worker.quality.measure import QualitySubject, measure
from worker.video.read import probe, read_frames

Ask = Callable[..., GenerationRequest]
Frame = NDArray[np.uint8]
SIZE = (160, 90)
PICO = ("#000000", "#1d2b53", "#7e2553", "#008751", "#ab5236", "#c2c3c7", "#fff1e8", "#ff004d", "#ffa300", "#29adff")
SMALL = {"width": 160, "height": 90, "duration_seconds": 1.0, "fps": 12}


def look(text: str, seed: int = 7, style: Style | None = None, palette: tuple[str, ...] = ()) -> Look:
    return Look(read(text, style or Style()), InkBook(Palette(palette) if palette else None), Chance(text, seed))


def film(text: str, seed: int = 7, art: str = "pixel", seconds: float = 2.0) -> SceneFilm:
    return scene_film(look(text, seed), SIZE, seconds, MANNERS[art])


def frames(text: str, **more: Any) -> list[Frame]:
    return list(film(text, **more).frames(12))


def shift_of(first: Frame, second: Frame, rows: slice, most: int = 40) -> int:
    """How many pixels the rows have moved to the left, as it fits best."""
    one, other = first[rows].astype(int), second[rows].astype(int)
    width = one.shape[1]

    def misfit(step: int) -> float:
        low, high = max(step, 0), min(width, width + step)
        return float(np.abs(one[:, low:high] - other[:, low - step : high - step]).mean())

    return min(range(-most, most + 1), key=misfit)


def figure() -> Frame:
    picture = np.zeros((24, 20, 4), dtype=np.uint8)
    picture[4:22, 3:16] = (250, 30, 220, 255)
    return picture


def test_the_same_request_gives_the_same_clip_and_crosses_processes(ask: Ask) -> None:
    request = ask("VIDEO", "a knight in the forest", **SMALL)
    first = render_film(request)
    assert pickle.loads(pickle.dumps(render_film(pickle.loads(pickle.dumps(request))))) == first  # noqa: S301
    assert render_film(ask("VIDEO", "a knight in the forest", seed=8, **SMALL)).clip != first.clip


def test_a_clip_has_the_size_length_and_speed_asked_for(ask: Ask) -> None:
    result = render_film(ask("VIDEO", "desert", width=96, height=128, duration_seconds=1.5, fps=10))
    assert result.clip is not None
    facts = probe(result.clip)
    assert (facts.width, facts.height, facts.fps, facts.seconds) == (96, 128, 10.0, 1.5)
    assert (result.pictures, result.provider, result.model, result.seed) == ((), "builtin", "procedural-1", 7)


def test_it_says_what_it_understood(ask: Ask) -> None:
    details = render_film(ask("VIDEO", "a red dragon over the mountains", **SMALL)).details
    assert (details["place"], details["subject"], details["recognised"]) == ("mountains", "dragon", True)
    assert render_film(ask("VIDEO", "a wrzlbrmft", **SMALL)).details["recognised"] is False


@pytest.mark.parametrize("place", PLACES)
def test_every_place_moves_all_the_time(place: str) -> None:
    shown = frames(place)
    assert len(shown) == 24
    assert all(frame.shape == (90, 160, 3) for frame in shown)
    changes = [float((one != other).any(axis=2).mean()) for one, other in itertools.pairwise(shown)]
    assert min(changes) > 0
    assert 0.005 < float(np.mean(changes)) < 0.8


def test_what_is_near_passes_faster_than_what_is_far() -> None:
    shown = frames("desert, camera pans right")
    sky, ground = slice(0, 12), slice(74, 88)
    assert shift_of(shown[0], shown[6], ground) > shift_of(shown[0], shown[6], sky) + 4


@pytest.mark.parametrize(("words", "sign"), [("pan right", 1), ("pan left", -1), ("向左", -1)])
def test_the_camera_goes_where_the_words_say(words: str, sign: int) -> None:
    shown = frames(f"desert {words}")
    assert np.sign(shift_of(shown[0], shown[5], slice(74, 88))) == sign


def test_a_still_camera_stands_while_the_scene_lives() -> None:
    shown = frames("snowy mountains, static camera")
    assert shift_of(shown[0], shown[20], slice(74, 88)) == 0
    assert not np.array_equal(shown[0], shown[20])


def test_zooming_in_enlarges_and_zooming_out_reduces() -> None:
    for words, first, last in (("zoom in", 1.0, 1.2), ("zoom out", 1.2, 1.0)):
        camera = film(f"castle {words}").camera
        assert camera.enlargement(0) == pytest.approx(first, abs=0.05)
        assert camera.enlargement(camera.seconds) == pytest.approx(last, abs=0.05)


def test_the_subject_stays_in_view_and_moves() -> None:
    made = film("a magenta slime in the desert")
    assert made.actor is not None
    assert len({picture.tobytes() for picture, _ in made.actor.pictures}) > 3
    for frame in made.frames(12):
        red, green, blue = (frame[..., channel].astype(int) for channel in range(3))
        # Nothing else in a desert is magenta.
        columns = np.flatnonzero(((red - green > 60) & (blue - green > 20)).any(axis=0))
        assert len(columns) > 8
        assert 16 < columns.mean() < 144


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("a forest", False),
        ("castle at night", False),
        ("torches in a dungeon", False),
        ("a knight", True),
        ("golden sword in a cave", True),
        ("wrzlbrmft", False),
    ],
)
def test_only_who_does_not_stand_there_anyway_acts(text: str, *, acts: bool) -> None:
    assert (film(text).actor is not None) == acts


def test_the_subjects_colors_do_not_paint_its_surroundings() -> None:
    red = frames("red dragon over a forest")[0][60:]
    green = frames("forest")[0][60:]
    share = [float(((frame[..., 0] > 180) & (frame[..., 1] < 90)).mean()) for frame in (red, green)]
    assert share[0] < share[1] + 0.02


@pytest.mark.parametrize("art", MANNERS)
def test_every_manner_makes_clips_that_pass_the_checks(ask: Ask, art: str) -> None:
    request = ask("VIDEO", "a ghost in a graveyard", style=Style(art_style=art), **SMALL)
    verdicts = measure(
        QualitySubject(request.asset_type, request.params, request.style, (), clip=render_film(request).clip)
    )
    assert [verdict.name for verdict in verdicts if not verdict.passed] == []


def test_clips_keep_to_a_palette_before_they_are_encoded() -> None:
    made = scene_film(look("a knight in the snow at night", palette=PICO), SIZE, 1.0, MANNERS["pixel"])
    allowed = {parse_hex(color) for color in PICO}
    for frame in made.frames(6):
        assert {tuple(color) for color in np.unique(frame.reshape(-1, 3), axis=0).tolist()} <= allowed


def test_lightning_lights_the_scene_for_a_moment() -> None:
    made = film("storm over hills", seconds=3.0)
    means = [float(frame.mean()) for frame in made.frames(24)]
    bright = [mean > np.median(means) + 30 for mean in means]
    assert 1 <= sum(bright) <= 10
    assert not bright[0]


@pytest.mark.parametrize("words", ["snow", "rain", "fireflies at night", "embers", "petals", "sandstorm", "magic"])
def test_words_bring_particles(words: str) -> None:
    assert len(film(f"meadow with {words}").swarms) >= 1


def test_a_cut_out_picture_goes_through_the_scene_as_it_is(ask: Ask) -> None:
    result = render_film(ask("VIDEO", "in the desert", source=encode_png(figure()), **SMALL))
    assert result.clip is not None
    assert (result.details["place"], result.details["subject"]) == ("desert", "given picture")
    for frame in read_frames(result.clip):
        seen = (frame[..., 0] > 200) & (frame[..., 1] < 90) & (frame[..., 2] > 150)
        assert seen.sum() > 200


def test_an_opaque_picture_is_moved_with_depth() -> None:
    picture = np.full((90, 160, 4), 255, dtype=np.uint8)
    picture[..., :3] = np.random.default_rng(3).integers(0, 256, (30, 54, 3)).repeat(3, 0).repeat(3, 1)[:90, :160]
    shown = list(picture_film(picture, look("look"), SIZE, 2.0).frames(12))
    top, bottom = (shift_of(shown[0], shown[-1], rows, 20) for rows in (slice(0, 12), slice(76, 90)))
    assert abs(bottom - top) >= 3
    # It is the given picture, moved a little, and not another.
    middle = shown[12][20:70, 30:130].astype(int)
    assert {tuple(color) for color in middle.reshape(-1, 3).tolist()} & {
        tuple(color) for color in picture[..., :3].reshape(-1, 3).tolist()
    }


@pytest.mark.parametrize("shape", [(90, 160), (160, 90), (64, 64), (8, 200), (1, 1)])
def test_pictures_of_every_shape_fill_the_frame(shape: tuple[int, int]) -> None:
    picture = np.full((*shape, 4), (180, 90, 40, 255), dtype=np.uint8)
    shown = list(picture_film(picture, look("look"), SIZE, 1.0).frames(4))
    assert all(frame.shape == (90, 160, 3) for frame in shown)
    assert all((frame[..., 0] > 40).mean() > 0.9 for frame in shown)


@pytest.mark.parametrize("source", [b"", b"not a picture"])
def test_a_source_that_is_no_picture_is_an_error(ask: Ask, source: bytes) -> None:
    with pytest.raises(ValueError, match="picture"):
        render_film(ask("VIDEO", "look", source=source, **SMALL))


def test_an_invisible_picture_does_no_harm(ask: Ask) -> None:
    nothing = encode_png(np.zeros((10, 10, 4), dtype=np.uint8))
    assert render_film(ask("VIDEO", "desert", source=nothing, **SMALL)).clip
