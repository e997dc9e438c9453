"""Each check finds the fault that it is for, says so in words, and lets good pictures pass."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.kinds import AssetType
from domain.params import Animation, Params, ParamsRequest, resolve_params
from domain.styles import Style
from tests.helpers.stub import blank, sprite
from worker.artifacts import Picture, Verdict
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba, encode_png
from worker.quality.choice import best_round
from worker.quality.measure import QualitySubject, measure


def picture(array: Pixels, name: str = "image", animation: str | None = None, index: int = 0) -> Picture:
    return Picture(encode_png(array), array.shape[1], array.shape[0], name, animation, index)


def verdicts(
    *pictures: Picture,
    asset_type: AssetType = AssetType.SPRITE,
    style: Style | None = None,
    details: Mapping[str, object] | None = None,
    **params: object,
) -> dict[str, Verdict]:
    resolved = resolve_params(asset_type, ParamsRequest(**params))  # type: ignore[arg-type]
    subject = QualitySubject(asset_type, resolved, style or Style(), pictures, details or {})
    return {verdict.name: verdict for verdict in measure(subject)}


def failed(found: Mapping[str, Verdict]) -> set[str]:
    return {name for name, verdict in found.items() if not verdict.passed}


GOOD = decode_rgba(sprite(3))


def test_a_good_sprite_passes_everything() -> None:
    found = verdicts(picture(GOOD))
    assert list(found) == ["emptiness", "size", "transparency", "fringe", "contrast"]
    assert failed(found) == set()
    assert all(0 <= verdict.score <= 1 and verdict.reason for verdict in found.values())


def test_an_empty_picture_is_called_empty() -> None:
    found = verdicts(Picture(blank(), 64, 64))
    assert "emptiness" in failed(found)
    assert "almost empty" in found["emptiness"].reason


def test_a_speck_is_almost_empty_and_a_flat_color_has_nothing_in_it() -> None:
    speck = np.zeros((64, 64, 4), np.uint8)
    speck[30:34, 30:34] = (200, 40, 40, 255)
    assert "emptiness" in failed(verdicts(picture(speck)))
    flat = np.full((360, 640, 4), (40, 80, 120, 255), np.uint8)
    found = verdicts(picture(flat), asset_type=AssetType.BACKGROUND)
    assert failed(found) == {"emptiness", "contrast"}


def test_nothing_and_garbage_are_verdicts_and_no_exceptions() -> None:
    assert failed(verdicts()) == {"readable"}
    for data in (b"", b"not a picture", sprite(1)[:200], b"\x89PNG\r\n\x1a\n" + b"\x00" * 50):
        assert failed(verdicts(Picture(data, 64, 64))) == {"readable"}


def test_the_size_is_exact_and_the_reason_names_both() -> None:
    found = verdicts(picture(GOOD[:60]))
    assert failed(found) >= {"size"}
    assert "64 x 64" in found["size"].reason
    assert "64 x 60" in found["size"].reason


def test_an_opaque_background_is_found_where_transparency_was_asked_for() -> None:
    filled = GOOD.copy()
    filled[filled[..., 3] == 0] = (255, 255, 255, 255)
    found = verdicts(picture(filled))
    assert "transparency" in failed(found)
    assert "4 of 4 corners" in found["transparency"].reason


def test_one_opaque_corner_too_many_is_found() -> None:
    cornered = GOOD.copy()
    cornered[:8, :8] = cornered[:8, -8:] = cornered[-8:, :8] = (90, 90, 90, 255)
    assert "transparency" in failed(verdicts(picture(cornered)))


def test_holes_are_found_where_an_opaque_picture_was_asked_for() -> None:
    found = verdicts(picture(GOOD), transparent=False)
    assert failed(found) == {"opacity"}


def test_a_white_halo_is_a_fringe_and_a_soft_edge_is_not() -> None:
    alpha = GOOD[..., 3] > 0
    grown = np.zeros_like(alpha)
    for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        grown |= np.roll(alpha, (y, x), (0, 1))
    ring = grown & ~alpha
    halo, soft = GOOD.copy(), GOOD.copy()
    halo[ring] = (255, 255, 255, 120)
    soft[ring] = (20, 16, 32, 120)
    assert failed(verdicts(picture(halo))) == {"fringe"}
    assert failed(verdicts(picture(soft))) == set()


def test_colors_are_held_against_the_styles_palette() -> None:
    colors = {tuple(int(v) for v in color[:3]) for color in GOOD[GOOD[..., 3] > 0]}
    own = Style(palette=tuple(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in colors))
    assert failed(verdicts(picture(GOOD), style=own)) == set()
    other = verdicts(picture(GOOD), style=Style(palette=("#ff00ff", "#ffff00")))
    assert failed(other) == {"palette"}
    assert "#ff00ff" in other["palette"].reason


def test_shades_that_cannot_be_told_apart_have_too_little_contrast() -> None:
    dull = GOOD.copy()
    seen = dull[..., 3] > 0
    dull[seen, :3] = 120 + dull[seen, :3] // 32
    assert failed(verdicts(picture(dull))) == {"contrast"}


def sheet(frames: Sequence[Pixels], name: str = "walk") -> dict[str, Verdict]:
    pictures = [picture(frame, f"{name}/{index}", name, index) for index, frame in enumerate(frames)]
    animations = (Animation(name, len(frames)),)
    return verdicts(*pictures, asset_type=AssetType.SPRITESHEET, animations=animations)


def bobbing(count: int = 4) -> list[Pixels]:
    return [np.roll(GOOD, -(index % 2), axis=0) for index in range(count)]


def shrunk(array: Pixels, factor: int) -> Pixels:
    small = array[::factor, ::factor]
    result = np.zeros_like(array)
    result[-small.shape[0] :, : small.shape[1]] = small
    return np.roll(result, (array.shape[1] - small.shape[1]) // 2, axis=1)


def test_a_bobbing_figure_passes() -> None:
    found = sheet(bobbing())
    assert {"frame_size", "frame_position", "frame_palette", "frame_motion"} <= set(found)
    assert failed(found) == set()


def test_a_frame_in_another_size_is_found() -> None:
    frames = bobbing()
    frames[2] = shrunk(GOOD, 2)
    found = sheet(frames)
    assert "frame_size" in failed(found)
    assert "frame 2" in found["frame_size"].reason


def test_a_frame_in_another_place_is_found() -> None:
    small = shrunk(GOOD, 2)
    frames = [small, np.roll(small, 16, axis=1), small, np.roll(small, -1, axis=0)]
    assert failed(sheet(frames)) == {"frame_position"}
    assert failed(sheet(frames, "attack")) == set(), "a lunge is meant to be sudden"
    frames[1] = np.roll(np.roll(small, 16, axis=1), -30, axis=0)
    assert "frame_position" in failed(sheet(frames, "attack"))


def test_a_frame_in_other_colors_is_found_but_a_hurt_one_may_flash() -> None:
    frames = bobbing()
    recoloured = frames[3].copy()
    recoloured[..., :3] = 255 - recoloured[..., :3]
    frames[3] = recoloured
    assert "frame_palette" in failed(sheet(frames))
    assert "frame_palette" not in failed(sheet(frames, "hurt"))


def test_frames_that_stand_still_are_found() -> None:
    found = sheet([GOOD] * 4)
    assert failed(found) == {"frame_motion"}
    assert "equal" in found["frame_motion"].reason


def wave(width: int, height: int) -> Pixels:
    """A texture that wraps: whole periods in both directions."""
    x, y = np.meshgrid(np.arange(width) / width, np.arange(height) / height)
    level = 120 + 60 * np.sin(2 * np.pi * 3 * x) * np.cos(2 * np.pi * 2 * y)
    return np.stack([level, level * 0.8, level * 0.5, np.full_like(level, 255)], axis=-1).astype(np.uint8)


def test_a_gradient_does_not_wrap_and_a_wave_does() -> None:
    gradient = wave(64, 64)
    gradient[..., :3] = np.linspace(10, 240, 64)[None, :, None].astype(np.uint8)
    found = verdicts(picture(gradient), asset_type=AssetType.BACKGROUND, width=64, height=64, seamless=True)
    assert failed(found) == {"seam"}
    assert "left and right" in found["seam"].reason
    good = verdicts(picture(wave(64, 64)), asset_type=AssetType.BACKGROUND, width=64, height=64, seamless=True)
    assert failed(good) == set()


@given(st.integers(0, 63), st.integers(0, 63))
def test_where_a_wrapping_picture_is_cut_does_not_matter(across: int, down: int) -> None:
    moved = np.roll(wave(64, 64), (down, across), (0, 1))
    found = verdicts(picture(moved), asset_type=AssetType.BACKGROUND, width=64, height=64, seamless=True)
    assert found["seam"].passed


def corner_tiles(*, broken: bool = False) -> tuple[list[Picture], dict[str, object]]:
    """The sixteen tiles of a two-terrain corner set, blended between their corners so that equal edges are equal."""
    steps = (np.arange(16) + 0.5) / 16
    pictures, described = [], []
    for index in range(16):
        corners = [index >> place & 1 for place in range(4)]
        top = corners[0] * (1 - steps) + corners[1] * steps
        bottom = corners[2] * (1 - steps) + corners[3] * steps
        level = top[None] * (1 - steps[:, None]) + bottom[None] * steps[:, None]
        array = np.zeros((16, 16, 4), np.uint8)
        array[..., 0], array[..., 1], array[..., 3] = 40 + 120 * level, 160 - 60 * level, 255
        if broken and index == 5:
            array[:, -1] = (255, 255, 255, 255)
        pictures.append(picture(array, f"tile {index}", None, index))
        described.append({"index": index, "corners": corners})
    return pictures, {"tiles": described}


def test_tiles_join_where_their_corners_agree() -> None:
    pictures, details = corner_tiles()
    found = verdicts(*pictures, asset_type=AssetType.TILESET, tile_size=16, details=details)
    assert "tile_edges" in found
    assert failed(found) == set()
    pictures, details = corner_tiles(broken=True)
    found = verdicts(*pictures, asset_type=AssetType.TILESET, tile_size=16, details=details)
    assert "tile_edges" in failed(found)


def verdict(score: float) -> Verdict:
    return Verdict("x", score, 0.5, "")


@pytest.mark.parametrize(
    ("rounds", "best"),
    [
        ([[0.1]], 0),
        ([[0.1, 0.9], [0.4, 0.4]], 0),
        ([[0.1], [0.4]], 1),
        ([[0.4], [0.4]], 1),
        ([[0.4], []], 0),
        ([[], []], 1),
    ],
)
def test_the_best_round_has_the_fewest_failures_then_the_best_margin(rounds: list[list[float]], best: int) -> None:
    assert best_round([[verdict(score) for score in scores] for scores in rounds]) == best


def test_there_must_be_a_round_to_choose_from() -> None:
    with pytest.raises(ValueError, match="no round"):
        best_round([])


def test_large_pictures_are_measured_alike() -> None:
    large = GOOD.repeat(32, axis=0).repeat(32, axis=1)
    params: Params = replace(resolve_params(AssetType.SPRITE, ParamsRequest()), width=2048, height=2048)
    subject = QualitySubject(AssetType.SPRITE, params, Style(), (picture(large),))
    assert all(found.passed for found in measure(subject))
