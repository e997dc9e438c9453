from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from domain.kinds import AssetType
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import Picture, Provenance
from worker.imaging.pixels import encode_png
from worker.pipeline.adapt import AdaptJob

Pixels = NDArray[np.uint8]


def sprite(seed: int, width: int = 32, height: int = 24) -> Pixels:
    """An opaque patch of four colours somewhere on a transparent frame, different for every seed."""
    random = np.random.default_rng(seed)
    frame = np.zeros((height, width, 4), dtype=np.uint8)
    left, top = random.integers(0, width // 2), random.integers(0, height // 2)
    wide, high = random.integers(3, width // 2), random.integers(3, height // 2)
    palette = random.integers(1, 255, (4, 3))
    frame[top : top + high, left : left + wide, :3] = palette[random.integers(0, 4, (high, wide))]
    frame[top : top + high, left : left + wide, 3] = 255
    return frame


@pytest.fixture
def sheet_job() -> Callable[..., tuple[AdaptJob, dict[tuple[str, int], Pixels]]]:
    """Build the job of a spritesheet; returns it and its source frames by animation and index."""

    def build(
        animations: tuple[Animation, ...], subject: str = "green slime", **params: object
    ) -> tuple[AdaptJob, dict[tuple[str, int], Pixels]]:
        request = ParamsRequest(width=32, height=24, animations=animations, **params)  # type: ignore[arg-type]
        wanted = [(animation.name, index) for animation in animations for index in range(animation.frames)]
        frames = {key: sprite(seed) for seed, key in enumerate(wanted)}
        pictures = tuple(
            Picture(encode_png(frame), 32, 24, f"{name} {index}", name, index)
            for (name, index), frame in frames.items()
        )
        resolved = resolve_params(AssetType.SPRITESHEET, request)
        provenance = Provenance("builtin", "procedural-1", 7, "a green slime, pixel art", "blurry", 1, 0)
        job = AdaptJob("task-1", subject, AssetType.SPRITESHEET, resolved, Style(), pictures, provenance)
        return job, frames

    return build


@pytest.fixture
def tileset_job() -> Callable[..., tuple[AdaptJob, list[Pixels]]]:
    """Build the job of a tileset of opaque tiles; returns it and its tiles."""

    def build(
        count: int = 16, details: Mapping[str, object] | None = None, **params: object
    ) -> tuple[AdaptJob, list[Pixels]]:
        request = ParamsRequest(**{"tile_size": 16, **params})  # type: ignore[arg-type]
        random = np.random.default_rng(5)
        tiles = []
        for _ in range(count):
            tile = np.full((16, 16, 4), 255, dtype=np.uint8)
            tile[..., :3] = random.integers(0, 255, (4, 3))[random.integers(0, 4, (16, 16))]
            tiles.append(tile)
        pictures = tuple(Picture(encode_png(tile), 16, 16, f"tile {i}", None, i) for i, tile in enumerate(tiles))
        resolved = resolve_params(AssetType.TILESET, request)
        provenance = Provenance("builtin", "procedural-1", 7, "grass and water", "", 1, 0)
        job = AdaptJob(
            "task-2", "grass and water", AssetType.TILESET, resolved, Style(), pictures, provenance, details or {}
        )
        return job, tiles

    return build


@pytest.fixture
def restored() -> Callable[..., Pixels]:
    """Undo packing and trimming: cut the rect from the page and put it back at its offset in an untrimmed frame."""

    def restore(
        page: Pixels, rect: tuple[int, int, int, int], offset: tuple[int, int], size: tuple[int, int]
    ) -> Pixels:
        x, y, width, height = rect
        frame = np.zeros((size[1], size[0], 4), dtype=np.uint8)
        frame[offset[1] : offset[1] + height, offset[0] : offset[0] + width] = page[y : y + height, x : x + width]
        return frame

    return restore
