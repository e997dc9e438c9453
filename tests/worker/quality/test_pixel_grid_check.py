"""What the quality check says of the grid that was looked for."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from domain.kinds import AssetType
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import Picture, Verdict
from worker.imaging.pixels import decode_rgba, encode_png
from worker.providers.pictures.finish import FinishJob, finish
from worker.quality.measure import QualitySubject, measure

SIDE = 24


def art() -> np.ndarray:
    random = np.random.default_rng(9)
    picture = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
    picture[..., :3] = (255, 0, 255)
    picture[..., 3] = 255
    picture[2:22, 5:19, :3] = random.integers(0, 6, (20, 14, 1)) * 40
    return picture


def large(picture: np.ndarray, size: int) -> bytes:
    return encode_png(np.asarray(Image.fromarray(picture).resize((size, size), Image.Resampling.NEAREST)))


def finish_job(painted: bytes, style: str = "16-bit pixel art", *, transparent: bool = True) -> FinishJob:
    params = resolve_params(AssetType.SPRITE, ParamsRequest(width=64, height=64, transparent=transparent))
    return FinishJob(AssetType.SPRITE, params, style, (painted,), (None,), key=(255, 0, 255))


def verdict_of(details: object, pictures: tuple[Picture, ...]) -> list[Verdict]:
    params = resolve_params(AssetType.SPRITE, ParamsRequest())
    subject = QualitySubject(AssetType.SPRITE, params, Style(), pictures, details)  # type: ignore[arg-type]
    return [verdict for verdict in measure(subject) if verdict.name == "pixel_grid"]


def test_a_painting_of_pixels_becomes_its_pixels_and_is_reported() -> None:
    done = finish(finish_job(large(art(), 329)))
    grid = done.details["pixelGrid"]
    assert isinstance(grid, dict)
    assert grid["found"]
    assert grid["width"] == pytest.approx(329 / SIDE, rel=0.01)
    picture = decode_rgba(done.pictures[0].data)
    # Three pixels for one: 14 x 20 fit so often into 64 x 64.
    top, left = (64 - 60) // 2, (64 - 42) // 2
    assert np.array_equal(picture[top : top + 60 : 3, left : left + 42 : 3], art()[2:22, 5:19])
    [verdict] = verdict_of(done.details, done.pictures)
    assert verdict.passed
    assert verdict.score > 0.8
    assert "13.7" in verdict.reason


def test_room_for_an_outline_is_left() -> None:
    job = finish_job(large(art()[2:22, 5:19], 280))
    params = resolve_params(AssetType.SPRITE, ParamsRequest(width=16, height=20, outline=2))
    picture = decode_rgba(finish(replace(job, params=params)).pictures[0].data)
    assert picture.shape == (20, 16, 4)
    assert not picture[:2].any()
    assert not picture[-2:].any()
    assert not picture[:, :2].any()
    assert not picture[:, -2:].any()


def test_one_without_a_grid_is_reported_and_not_refused() -> None:
    random = np.random.default_rng(2)
    soft = Image.fromarray(random.integers(0, 255, (9, 9, 3), dtype=np.uint8)).resize((400, 400))
    done = finish(finish_job(encode_png(np.array(soft.convert("RGBA"))), transparent=False))
    assert done.details["pixelGrid"] == {"found": False, "pictures": 1, "withGrid": 0}
    [verdict] = verdict_of(done.details, done.pictures)
    assert verdict.passed
    assert verdict.score == 0
    assert "0 of 1 paintings" in verdict.reason


def test_other_styles_are_not_asked_for_a_grid() -> None:
    done = finish(finish_job(large(art(), 329), "watercolor"))
    assert "pixelGrid" not in done.details
    assert verdict_of(done.details, done.pictures) == []
