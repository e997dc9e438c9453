"""Clips made to pass or to fail one check, and how to look into them."""

import io
from collections.abc import Iterator

import av
import numpy as np
from numpy.typing import NDArray

from worker.imaging.indexed import Pixels
from worker.video.encode import encode_clip

SIZE = (96, 64)


def pattern(width: int, height: int, seed: int = 1) -> Pixels:
    """Blocks of random colours, (height, width, 3)."""
    blocks = np.random.default_rng(seed).integers(0, 256, (-(-height // 8), -(-width // 8), 3)).astype(np.uint8)
    return blocks.repeat(8, axis=0).repeat(8, axis=1)[:height, :width]


def moving(count: int = 24, size: tuple[int, int] = SIZE) -> Iterator[Pixels]:
    """A pattern that passes by, two pixels a frame."""
    width, height = size
    wide = pattern(width + 2 * count, height)
    for number in range(count):
        yield wide[:, 2 * number : 2 * number + width]


def still(count: int = 24, size: tuple[int, int] = SIZE, color: int | None = None) -> Iterator[Pixels]:
    width, height = size
    for _ in range(count):
        yield pattern(width, height) if color is None else np.full((height, width, 3), color, dtype=np.uint8)


def clip(count: int = 24, size: tuple[int, int] = SIZE, fps: int = 24) -> bytes:
    return encode_clip(moving(count, size), size, fps)


def tags(data: bytes) -> dict[str, str]:
    """What a file says of itself beyond what its format demands."""
    with av.open(io.BytesIO(data)) as container:
        known = {"major_brand", "minor_version", "compatible_brands"}
        return {name: value for name, value in container.metadata.items() if name not in known}


def packets(data: bytes) -> list[bytes]:
    """The coded frames, as they are stored."""
    with av.open(io.BytesIO(data)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


def foreign(codec: str = "mpeg4", pixel_format: str = "yuv420p", *, sound: bool = False, count: int = 12) -> bytes:
    """An MP4 as another program writes it: its own codec, tags of its own, perhaps with sound, the index at the end."""
    target = io.BytesIO()
    with av.open(target, "w", format="mp4") as container:
        container.metadata["comment"] = "made with a secret key"
        container.metadata["title"] = "somebody else's"
        stream = container.add_stream(codec, rate=12)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height = SIZE
        stream.pix_fmt = pixel_format
        audio = container.add_stream("aac", rate=48000, layout="mono") if sound else None
        for pixels in moving(count):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")))
        container.mux(stream.encode(None))
        if isinstance(audio, av.AudioStream):
            silence: NDArray[np.float32] = np.zeros((1, 1024), dtype=np.float32)
            frame = av.AudioFrame.from_ndarray(silence, format="fltp", layout="mono")
            frame.sample_rate = 48000
            container.mux(audio.encode(frame))
            container.mux(audio.encode(None))
    return target.getvalue()
