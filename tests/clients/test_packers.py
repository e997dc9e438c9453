"""Our packer uses at least as much of its pages as those of npm do, on the same frames."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worker.exporters.packing import Rules, pack
from worker.imaging.pixels import encode_png

pytestmark = pytest.mark.clients

ROOT = Path(__file__).parents[2]
#: So many frames, how large they are at least and at most, and what chance begins with.
CASES = ((64, 60, 120, 1), (64, 20, 128, 2), (40, 8, 90, 3), (100, 16, 60, 4), (200, 16, 60, 5), (16, 30, 200, 6))


def packed_by_others(folder: Path, sizes: list[tuple[int, int]]) -> dict[str, Any]:
    node = shutil.which("node", path=Path(sys.executable).parent)
    assert node is not None
    frames = folder / "frames"
    frames.mkdir(parents=True)
    for number, (width, height) in enumerate(sizes):
        (frames / f"{number:03}.png").write_bytes(encode_png(np.full((height, width, 4), 255, dtype=np.uint8)))
    job = folder / "job.json"
    job.write_text(json.dumps({"folder": str(frames), "padding": 2, "rounds": 1, "sizes": sizes}))
    command = [node, "benchmarks/packers.mjs", str(job)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


@pytest.mark.timeout(300)
def test_as_much_of_the_pages_is_used_as_by_the_packers_of_npm(tmp_path: Path) -> None:
    shares: dict[str, list[float]] = {"densest": [], "maxrects": []}
    for count, low, high, seed in CASES:
        random = np.random.default_rng(seed)
        sizes = [(int(width), int(height)) for width, height in random.integers(low, high, (count, 2))]
        theirs = packed_by_others(tmp_path / str(seed), sizes)
        ((width, height),) = pack(sizes, Rules(padding=2)).pages
        for name, found in shares.items():
            assert theirs[name]["pages"] == 1
            found.append(width * height / (theirs[name]["width"] * theirs[name]["height"]))
    # Packing is luck in the single case; no case is worse by more than two hundredths, and most are better.
    assert max(shares["densest"]) <= 1.0
    assert max(shares["maxrects"]) <= 1.02
    assert np.mean(shares["maxrects"]) < 0.98
