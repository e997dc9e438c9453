from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from domain.kinds import AssetType
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from tests.helpers.clips import SIZE, clip, foreign, moving, still
from tests.helpers.verdicts import failed
from worker.artifacts import Verdict
from worker.imaging.indexed import Pixels
from worker.quality.measure import QualitySubject, measure
from worker.video.encode import encode_clip


def checked(data: bytes | None, seconds: float = 1.0, size: tuple[int, int] = SIZE) -> dict[str, Verdict]:
    wanted = ParamsRequest(width=size[0], height=size[1], duration_seconds=seconds, fps=24)
    params = resolve_params(AssetType.VIDEO, wanted)
    verdicts = measure(QualitySubject(AssetType.VIDEO, params, Style(), (), clip=data))
    return {verdict.name: verdict for verdict in verdicts}


def made(frames: Iterable[Pixels]) -> bytes:
    return encode_clip(frames, SIZE, 24)


def noise(count: int = 24) -> Iterator[Pixels]:
    random = np.random.default_rng(5)
    for _ in range(count):
        yield random.integers(0, 256, (SIZE[1], SIZE[0], 3)).astype(np.uint8)


def test_a_moving_clip_passes_every_check() -> None:
    found = checked(clip())
    assert failed(found) == set()
    assert list(found) == [
        *("size", "clip_duration", "clip_codec", "clip_black", "clip_frozen", "clip_steadiness"),
        *("emptiness", "detail", "contrast"),
    ]
    assert found["clip_duration"].reason == "The clip lasts 1.00 s; 1 s were asked for."
    assert checked(clip()) == found


@pytest.mark.parametrize("data", [None, b"", b"not a clip", clip()[:900]])
def test_what_cannot_be_read_is_a_verdict_and_no_error(data: bytes | None) -> None:
    assert failed(checked(data)) == {"readable"}


def test_black_frames_are_found() -> None:
    half = [*moving(12), *still(12, color=0)]
    found = checked(made(half))
    assert "clip_black" in failed(found)
    assert found["clip_black"].reason.startswith("12 of 24 frames are black.")
    fade = [*still(1, color=0), *moving(23)]
    assert "clip_black" not in failed(checked(made(fade)))


def test_a_night_is_not_black() -> None:
    night = (frame // 5 + 4 for frame in moving())
    assert "clip_black" not in failed(checked(made(frame.astype(np.uint8) for frame in night)))


def test_a_frozen_clip_is_found() -> None:
    assert "clip_frozen" in failed(checked(made(still())))
    ends = [*moving(12), *([list(moving(12))[-1]] * 12)]
    found = checked(made(ends))
    assert "clip_frozen" in failed(found)
    assert "0.5" in found["clip_frozen"].reason


def test_a_short_rest_is_no_freeze() -> None:
    frames = list(moving(20))
    assert "clip_frozen" not in failed(checked(made([*frames[:10], *([frames[9]] * 4), *frames[10:]])))


def test_noise_is_no_scene() -> None:
    assert "clip_steadiness" in failed(checked(made(noise())))


def test_one_flat_color_is_empty() -> None:
    assert {"emptiness", "detail", "contrast", "clip_frozen"} <= failed(checked(made(still(color=120))))


@pytest.mark.parametrize(
    ("asked", "fails"),
    [(1.0, False), (1.04, False), (0.6, False), (1.2, True), (2.0, True)],
)
def test_clips_may_be_longer_than_asked_but_hardly_shorter(asked: float, *, fails: bool) -> None:
    assert ("clip_duration" in failed(checked(clip(), asked))) == fails


@pytest.mark.parametrize(
    ("asked", "fails"),
    [((96, 64), False), ((72, 64), True), ((96, 80), True), ((112, 74), True)],
)
def test_a_clip_has_the_size_asked_for_or_its_shape(asked: tuple[int, int], *, fails: bool) -> None:
    assert ("size" in failed(checked(clip(), size=asked))) == fails


def test_a_larger_clip_of_the_same_shape_will_do() -> None:
    larger = encode_clip(moving(24, (192, 128)), (192, 128), 24)
    found = checked(larger)
    assert "size" not in failed(found)
    assert "192 x 128" in found["size"].reason


def test_other_codecs_are_told() -> None:
    found = checked(foreign(count=24))
    assert found["clip_codec"].reason == "The clip is mpeg4 (yuv420p); players need h264 (yuv420p)."
    assert "clip_codec" in failed(found)


def test_a_clip_that_was_cut_off_is_too_short() -> None:
    whole = clip()
    found = checked(whole[: len(whole) * 6 // 10])
    assert failed(found) & {"clip_duration", "readable"}


def test_one_frame_is_no_clip() -> None:
    assert {"clip_duration", "clip_frozen"} <= failed(checked(made(moving(1))))
