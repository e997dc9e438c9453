"""Time and density of sheets: trimming, packing, drawing and encoding, and packing alone for many frames."""

import itertools
import time

import numpy as np
from numpy.typing import NDArray

from domain.kinds import ImageFormat
from worker.exporters.canvas import content_box, draw_page
from worker.exporters.packing import Rules, pack
from worker.imaging.encode import encode_still

ROUNDS = 5


def frames(count: int, low: int, high: int, side: int) -> list[NDArray[np.uint8]]:
    """Return frames of blocks of colour, each a rectangle of random size on a transparent square."""
    random = np.random.default_rng(1)
    made = []
    for _ in range(count):
        frame = np.zeros((side, side, 4), dtype=np.uint8)
        width, height = (int(number) for number in random.integers(low, high, 2))
        left, top = int(random.integers(0, side - width + 1)), int(random.integers(0, side - height + 1))
        blocks = random.integers(0, 8, (height // 4 + 1, width // 4 + 1, 3)).astype(np.uint8) * 30
        patch = np.kron(blocks, np.ones((4, 4, 1), dtype=np.uint8))[:height, :width]
        frame[top : top + height, left : left + width, :3] = patch
        frame[top : top + height, left : left + width, 3] = 255
        made.append(frame)
    return made


def sheet(pictures: list[NDArray[np.uint8]], rules: Rules) -> tuple[list[float], tuple[int, int]]:
    """Make one sheet; returns the milliseconds of each step and the page's size."""
    marks = [time.perf_counter()]
    boxes = [content_box(picture) for picture in pictures]
    marks.append(time.perf_counter())
    layout = pack([(box.width, box.height) for box in boxes], rules)
    marks.append(time.perf_counter())
    places = [
        (place.rect, picture[box.y : box.bottom, box.x : box.right])
        for place, picture, box in zip(layout.places, pictures, boxes, strict=True)
    ]
    page = draw_page(*layout.pages[0], places, rules.extrude)
    marks.append(time.perf_counter())
    encode_still(page, ImageFormat.PNG, None)
    marks.append(time.perf_counter())
    return [1000 * (end - start) for start, end in itertools.pairwise(marks)], layout.pages[0]


def main() -> None:
    """Print the medians of a few rounds."""
    for count, low, high, side in ((64, 60, 120, 128), (64, 20, 128, 128), (256, 16, 60, 64)):
        pictures = frames(count, low, high, side)
        runs = [sheet(pictures, Rules(padding=2, extrude=1)) for _ in range(ROUNDS)]
        steps = np.median([times for times, _ in runs], axis=0)
        names = ("trim", "pack", "draw", "encode")
        parts = ", ".join(f"{name} {step:.0f}" for name, step in zip(names, steps, strict=True))
        print(f"{count} frames of {side} x {side}: {parts}, all {steps.sum():.0f} ms; page {runs[0][1]}")
    random = np.random.default_rng(2)
    sizes = [(int(width), int(height)) for width, height in random.integers(16, 64, (1000, 2))]
    start = time.perf_counter()
    ((width, height),) = pack(sizes, Rules(padding=2)).pages
    spent = 1000 * (time.perf_counter() - start)
    cells = sum((wide + 2) * (high + 2) for wide, high in sizes)
    print(
        f"1000 frames packed in {spent:.0f} ms, {cells / ((width + 2) * (height + 2)):.0%} of {width} x {height} used"
    )


if __name__ == "__main__":
    main()
