"""Our packer beside two of npm on the same frames: time of a whole sheet, and how much of the page is used.

Runs alternate between ours and theirs, and the least time of each counts. `make test-clients` installs the packages.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sheets import frames

from domain.kinds import ImageFormat
from worker.exporters.canvas import content_box, draw_page
from worker.exporters.packing import Rules, pack
from worker.imaging.encode import encode_still
from worker.imaging.pixels import decode_rgba, encode_png

_ROOT: Final = Path(__file__).parent.parent
_ROUNDS: Final = 5
_PADDING: Final = 2
_CASES: Final = ((64, 60, 120, 128), (64, 20, 128, 128), (256, 16, 60, 64))
_DOUBLINGS: Final = (250, 500, 1000, 2000)


def whole(pictures: list[bytes]) -> tuple[float, tuple[int, int], int]:
    """Decode, trim, pack, draw and encode a sheet; returns milliseconds, the page's size and the bytes."""
    started = time.perf_counter()
    pixels = [decode_rgba(picture) for picture in pictures]
    boxes = [content_box(picture) for picture in pixels]
    layout = pack([(box.width, box.height) for box in boxes], Rules(padding=_PADDING))
    places = [
        (place.rect, picture[box.y : box.bottom, box.x : box.right])
        for place, picture, box in zip(layout.places, pixels, boxes, strict=True)
    ]
    page = encode_still(draw_page(*layout.pages[0], places, 0), ImageFormat.PNG, None)
    return 1000 * (time.perf_counter() - started), layout.pages[0], len(page)


def others(folder: Path, sizes: list[tuple[int, int]], rounds: int) -> dict[str, Any]:
    """Return what the packers of npm report."""
    node = shutil.which("node", path=Path(sys.executable).parent)
    if node is None or not (_ROOT / "tests/clients/node_modules/free-tex-packer-core").is_dir():
        raise SystemExit("The packers are not installed: run make test-clients once.")
    job = folder.parent / "job.json"
    job.write_text(json.dumps({"folder": str(folder), "padding": _PADDING, "rounds": rounds, "sizes": sizes}))
    command = [node, "benchmarks/packers.mjs", str(job)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True, timeout=300)
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def compare(pictures: list[NDArray[np.uint8]]) -> str:
    """Return one line: times and used shares of the three."""
    encoded = [encode_png(picture) for picture in pictures]
    sizes = [(box.width, box.height) for box in map(content_box, pictures)]
    area = sum(width * height for width, height in sizes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "frames"
        folder.mkdir()
        for number, data in enumerate(encoded):
            (folder / f"{number:04}.png").write_bytes(data)
        ours, theirs, report = [], [], {}
        for _ in range(_ROUNDS):
            ours.append(whole(encoded))
            report = others(folder, sizes, 2)  # the second run of a process is warm, as ours are
            theirs.append(min(report["freeTexPacker"], key=lambda run: run["milliseconds"]))
    mine, (width, height), size = min(ours)
    best = min(theirs, key=lambda run: run["milliseconds"])

    def used(page: dict[str, Any]) -> str:
        return f"{area / (page['width'] * page['height']):.1%}"

    return (
        f"ours {mine:.0f} ms, {area / (width * height):.1%} used, {size / 1000:.0f} kB; "
        f"free-tex-packer-core {best['milliseconds']:.0f} ms, {used(best)}, {best['bytes'] / 1000:.0f} kB, "
        f"at its densest {used(report['densest'])}; maxrects-packer {used(report['maxrects'])}"
    )


def packing_time(count: int) -> float:
    """Return the least milliseconds of processor time for packing so many small frames."""
    random = np.random.default_rng(2)
    sizes = [(int(width), int(height)) for width, height in random.integers(16, 64, (count, 2))]
    spent = []
    for _ in range(3):
        started = time.process_time()
        pack(sizes, Rules(padding=_PADDING, max_size=8192))
        spent.append(1000 * (time.process_time() - started))
    return min(spent)


def main() -> None:
    """Print one line a case, then how packing grows with the number of frames."""
    for count, low, high, side in _CASES:
        print(f"{count} frames of {side} x {side}: {compare(frames(count, low, high, side))}")
    before = 0.0
    for count in _DOUBLINGS:
        spent = packing_time(count)
        growth = f", {spent / before:.1f} times the half of it" if before else ""
        print(f"{count} frames packed in {spent:.0f} ms of processor time{growth}")
        before = spent


if __name__ == "__main__":
    main()
