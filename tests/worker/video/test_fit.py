import numpy as np
import pytest

from tests.helpers.clips import SIZE, clip, foreign
from worker.video.errors import UnreadableClip
from worker.video.fit import FitJob, fit
from worker.video.read import probe, read_frames

WIDTH, HEIGHT = SIZE


def test_a_clip_that_fits_is_left_as_it_is() -> None:
    made = clip(count=24)
    assert fit(FitJob(made, WIDTH, HEIGHT, 1.0)) == made
    assert fit(FitJob(made, WIDTH // 2, HEIGHT // 2, 1.0)) == made  # larger of the same shape
    assert fit(FitJob(made, WIDTH, HEIGHT, 3.0)) == made  # too short is for the checks to say


def test_what_is_too_long_is_cut_at_its_end() -> None:
    made = clip(count=48)
    cut = fit(FitJob(made, WIDTH, HEIGHT, 1.25))
    assert probe(cut).seconds == pytest.approx(1.25, abs=0.01)
    for before, after in zip(read_frames(made), read_frames(cut), strict=False):
        assert np.abs(before.astype(int) - after).mean() < 12  # the colors of hard edges are a little off


@pytest.mark.parametrize("shape", [(64, 64), (96, 32), (32, 64)])
def test_another_shape_is_cut_out_of_the_middle(shape: tuple[int, int]) -> None:
    fitted = probe(fit(FitJob(clip(count=6), *shape, 1.0)))
    assert fitted.width / fitted.height == pytest.approx(shape[0] / shape[1], rel=0.03)
    assert fitted.width <= WIDTH
    assert fitted.height <= HEIGHT


def test_what_is_smaller_than_asked_is_enlarged_to_the_size_asked_for() -> None:
    fitted = probe(fit(FitJob(clip(count=6), 384, 128, 1.0)))
    assert (fitted.width, fitted.height) == (384, 128)


@pytest.mark.parametrize(("codec", "pixel_format"), [("mpeg4", "yuv420p"), ("libx264", "yuv444p")])
def test_another_codec_becomes_one_that_every_player_takes(codec: str, pixel_format: str) -> None:
    fitted = probe(fit(FitJob(foreign(codec, pixel_format), WIDTH, HEIGHT, 1.0)))
    assert (fitted.codec, fitted.pixel_format) == ("h264", "yuv420p")
    assert (fitted.width, fitted.height, round(fitted.seconds, 2)) == (WIDTH, HEIGHT, 1.0)


def test_the_sound_stays_with_what_is_cut() -> None:
    fitted = fit(FitJob(foreign(sound=True, count=24), WIDTH, HEIGHT, 1.0))
    facts = probe(fitted)
    assert (facts.has_sound, round(facts.seconds, 2)) == (True, 1.0)
    assert len(list(read_frames(fitted))) == 12


@pytest.mark.parametrize("data", [b"", b"no clip", clip()[:200], clip()[: len(clip()) // 2]])
def test_what_is_no_whole_clip_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableClip):
        fit(FitJob(data, 64, 64, 0.1))
