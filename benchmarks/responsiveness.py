"""How late the event loop of a worker is while eight sheets at once are quantized, packed and encoded in the pool.

Usage: python benchmarks/responsiveness.py
"""

import asyncio
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Final

import numpy as np
from sheets import frames

from domain.kinds import AssetType
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import Picture, Provenance
from worker.imaging.pixels import encode_png
from worker.pipeline.adapt import AdaptJob, adapt

_TASKS: Final = 8
_FRAMES: Final = 64
_SIDE: Final = 128
_TICK_SECONDS: Final = 0.002


def main() -> None:
    """Print the delays' percentiles."""
    delays = np.array(asyncio.run(_measured())) * 1000
    p50, p99, most = np.percentile(delays, 50), np.percentile(delays, 99), delays.max()
    print(
        f"{_TASKS} sheets of {_FRAMES} frames: the loop is late by p50 {p50:.2f}, p99 {p99:.2f}, at most {most:.2f} ms"
    )


def _job() -> AdaptJob:
    animation = Animation("walk", _FRAMES)
    request = ParamsRequest(width=_SIDE, height=_SIDE, animations=(animation,), trim=True, palette_size=32)
    pictures = tuple(
        Picture(encode_png(frame), _SIDE, _SIDE, f"walk/{index}", "walk", index)
        for index, frame in enumerate(frames(_FRAMES, 60, 120, _SIDE))
    )
    made = Provenance("p", "m", 1, "sheet", "", 1, 0)
    return AdaptJob(
        "task", "sheet", AssetType.SPRITESHEET, resolve_params(AssetType.SPRITESHEET, request), Style(), pictures, made
    )


async def _measured() -> list[float]:
    loop, job = asyncio.get_running_loop(), _job()
    delays: list[float] = []
    with ProcessPoolExecutor(2) as pool:
        await loop.run_in_executor(pool, adapt, job)  # the processes are there
        work = asyncio.gather(*(loop.run_in_executor(pool, adapt, job) for _ in range(_TASKS)))
        while not work.done():
            before = time.perf_counter()
            await asyncio.sleep(_TICK_SECONDS)
            delays.append(time.perf_counter() - before - _TICK_SECONDS)
        await work
    return delays


if __name__ == "__main__":
    main()
