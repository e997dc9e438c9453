import io
import json

import av
import numpy as np
import pytest

from tests.helpers.clips import SIZE, clip, moving, tags
from worker.artifacts import Provenance
from worker.video.encode import encode_clip
from worker.video.read import probe, read_frames

PROVENANCE = Provenance("stub", "model-9", 7, "a green slime 史莱姆", "blurry", 1, 0)


def test_a_clip_is_h264_that_every_player_takes() -> None:
    facts = probe(clip(count=30, fps=15))
    assert (facts.width, facts.height) == SIZE
    assert (facts.codec, facts.pixel_format, facts.has_sound) == ("h264", "yuv420p", False)
    assert (facts.fps, facts.seconds) == (15.0, 2.0)


def test_the_index_stands_before_the_pictures() -> None:
    data = clip()
    assert 0 < data.find(b"moov") < data.find(b"mdat")


def test_every_frame_is_there_and_looks_as_it_did() -> None:
    shown = list(read_frames(clip(count=10)))
    assert len(shown) == 10
    for frame, given in zip(shown, moving(10), strict=True):
        # Colours are stored at half the resolution, so edges between blocks are a little off.
        assert np.abs(frame.astype(int) - given).mean() < 12


def test_colors_do_not_shift() -> None:
    for color in ((200, 40, 60), (30, 160, 90), (250, 250, 250), (0, 0, 0)):
        frame = np.full((64, 64, 3), color, dtype=np.uint8)
        (shown,) = read_frames(encode_clip([frame], (64, 64), 10))
        assert np.abs(shown.astype(int) - frame).max() <= 4


def test_the_same_frames_give_the_same_bytes() -> None:
    assert clip() == clip()
    assert clip() != clip(count=23)


def test_bytes_do_not_follow_where_in_memory_frames_lie() -> None:
    """The fast ways of converting colours and of planning bits give other results in other places of memory."""
    random = np.random.default_rng(1)
    kept: list[bytearray] = []
    first: dict[tuple[int, int], tuple[bytes, list[bytes]]] = {}
    for _ in range(90):
        size = ((96, 64), (64, 64), (98, 66))[int(random.integers(3))]
        kept = [*kept[-20:], bytearray(int(random.integers(1, 400_000)))]
        data = encode_clip(moving(6, size), size, 24)
        shown = [frame.tobytes() for frame in read_frames(data)]
        assert first.setdefault(size, (data, shown)) == (data, shown)


def test_no_file_tells_of_its_encoder_or_its_time() -> None:
    data = clip()
    assert tags(data) == {}
    for trace in (b"x264", b"Lavf", b"Lavc", b"onder"):
        assert trace not in data
    with av.open(io.BytesIO(data)) as container:
        assert "creation_time" not in container.streams.video[0].metadata


def test_provenance_is_the_comment() -> None:
    data = encode_clip(moving(), SIZE, 24, PROVENANCE)
    told = json.loads(tags(data)["comment"])
    assert (told["provider"], told["seed"], told["prompt"]) == ("stub", 7, "a green slime 史莱姆")


def test_frames_are_taken_one_by_one() -> None:
    alive = [0, 0]

    class Counted(np.ndarray):  # type: ignore[type-arg]
        def __array_finalize__(self, _: object) -> None:
            alive[0] += 1

        def __del__(self) -> None:
            alive[0] -= 1

    def frames() -> object:
        for pixels in moving(40):
            yield pixels.copy().view(Counted)
            alive[1] = max(alive[1], alive[0])

    encode_clip(frames(), SIZE, 24)  # type: ignore[arg-type]
    assert 0 < alive[1] < 10


@pytest.mark.parametrize("alpha", [3, 4])
def test_alpha_is_left_out(alpha: int) -> None:
    frames = [np.full((64, 64, alpha), 120, dtype=np.uint8)]
    (shown,) = read_frames(encode_clip(frames, (64, 64), 10))
    assert shown.shape == (64, 64, 3)
