import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.clips import SIZE, clip, foreign, packets, tags
from worker.artifacts import Provenance
from worker.imaging.pixels import encode_png
from worker.video import read
from worker.video.errors import UnreadableClip
from worker.video.read import described, probe, read_frames

PROVENANCE = Provenance("stub", "model-9", 7, "a green slime", "", 1, 0)
GOOD = clip()


def test_clips_of_other_programs_are_read() -> None:
    facts = probe(foreign(sound=True))
    assert (facts.width, facts.height, facts.codec, facts.has_sound) == (*SIZE, "mpeg4", True)
    assert len(list(read_frames(foreign()))) == 12


def test_what_a_service_says_of_its_clip_is_replaced() -> None:
    theirs = foreign(sound=True)
    assert tags(theirs)["title"] == "somebody else's"
    silent, told = described(theirs, None), described(theirs, PROVENANCE)
    assert tags(silent) == {}
    assert b"secret key" not in silent + told
    assert set(tags(told)) == {"comment"}
    assert "a green slime" in tags(told)["comment"]


def test_pictures_and_sound_are_kept_bit_for_bit() -> None:
    theirs = foreign(sound=True)
    ours = described(theirs, PROVENANCE)
    assert packets(ours) == packets(theirs)
    assert probe(ours) == probe(theirs)
    assert 0 < ours.find(b"moov") < ours.find(b"mdat") > 0


def test_describing_is_repeatable() -> None:
    assert described(GOOD, PROVENANCE) == described(GOOD, PROVENANCE)
    assert described(described(GOOD, PROVENANCE), None) == described(GOOD, None)


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"not a clip",
        GOOD[:200],
        encode_png(np.zeros((8, 8, 4), dtype=np.uint8)),
        b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
    ],
)
def test_what_is_no_clip_is_an_error(broken: bytes) -> None:
    for work in (probe, lambda data: list(read_frames(data)), lambda data: described(data, None)):
        with pytest.raises(UnreadableClip):
            work(broken)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_a_damaged_byte_never_raises_anything_else(place: int, value: int) -> None:
    damaged = GOOD[:place] + bytes([value]) + GOOD[place + 1 :]
    try:
        probe(damaged)
        list(read_frames(damaged))
        described(damaged, PROVENANCE)
    except UnreadableClip:
        pass


def test_size_is_judged_before_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_FRAME_PIXELS", SIZE[0] * SIZE[1] - 1)
    with pytest.raises(UnreadableClip, match="too large"):
        probe(GOOD)


def test_a_clip_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_FRAMES", 23)
    with pytest.raises(UnreadableClip, match="more than 23 frames"):
        list(read_frames(GOOD))
