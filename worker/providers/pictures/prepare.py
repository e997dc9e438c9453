"""Pictures on their way out: small enough, without metadata, encoded anew. Runs in a process of the picture pool."""

from dataclasses import dataclass

from worker.imaging.pixels import decode_rgba, encode_png
from worker.imaging.resize import resize


@dataclass(frozen=True, slots=True)
class PrepareJob:
    """Encoded pictures, and the longest side that they may have, in pixels."""

    pictures: tuple[bytes, ...]
    max_side: int = 1024


def prepare(job: PrepareJob) -> tuple[bytes, ...]:
    """Return the pictures as PNG of pixels only; raises `UnreadablePicture`."""
    return tuple(_prepared(data, job.max_side) for data in job.pictures)


def _prepared(data: bytes, max_side: int) -> bytes:
    pixels = decode_rgba(data)
    height, width = pixels.shape[:2]
    scale = min(1.0, max_side / max(width, height))
    if scale < 1:
        pixels = resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))
    return encode_png(pixels)
