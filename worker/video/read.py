"""What a clip holds: its facts, its frames one after the other, and the same clip with another description.

Clips come from outside, so only MP4 is read, nothing that it refers to is opened, and sizes are judged first.
"""

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import av
import numpy as np
from av.container import InputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from worker.artifacts import Provenance
from worker.imaging.indexed import Pixels
from worker.imaging.provenance import as_json
from worker.video.encode import CONTAINER_OPTIONS, EXACTLY
from worker.video.errors import UnreadableClip

#: More than any service delivers, and what the memory of a picture process bears.
MAX_FRAME_PIXELS: Final = 4096 * 2304
MAX_FRAMES: Final = 3600
#: The family of MP4 by its name in FFmpeg; other readers are never tried.
_FORMAT: Final = "mp4"


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """What a clip says of itself."""

    width: int
    height: int
    #: Names as FFmpeg has them: "h264", "yuv420p".
    codec: str
    pixel_format: str
    #: Frames per second.
    fps: float
    seconds: float
    has_sound: bool


def probe(data: bytes) -> ClipFacts:
    """Return the facts of an MP4's first moving picture; raises `UnreadableClip`."""
    with _opened(data) as (container, stream):
        context = stream.codec_context
        length = container.duration
        if stream.duration is not None and stream.time_base is not None:
            seconds = float(stream.duration * stream.time_base)
        else:
            seconds = length / av.time_base if length is not None else 0.0
        return ClipFacts(
            width=context.width,
            height=context.height,
            codec=context.name,
            pixel_format=context.pix_fmt or "",
            fps=float(stream.average_rate or 0),
            seconds=seconds,
            has_sound=bool(container.streams.audio),
        )


def read_frames(data: bytes) -> Iterator[Pixels]:
    """Yield the frames of an MP4, each (height, width, 3) RGB, in the order in which they are shown.

    Raises `UnreadableClip`, possibly after some frames.
    """
    with _opened(data) as (container, stream):
        for number, frame in enumerate(container.decode(stream)):
            if number >= MAX_FRAMES:
                raise UnreadableClip(f"The clip has more than {MAX_FRAMES} frames.")
            # A stream may change its size on the way.
            if frame.width * frame.height > MAX_FRAME_PIXELS:
                raise UnreadableClip(_too_large(frame.width, frame.height))
            yield np.asarray(frame.to_ndarray(format="rgb24", interpolation=EXACTLY), dtype=np.uint8)


def described(data: bytes, provenance: Provenance | None) -> bytes:
    """Return the MP4 with its pictures and sound untouched, index in front, and nothing said of it but provenance.

    Without provenance nothing is said at all: tags that a service wrote are gone too. Raises `UnreadableClip`.
    """
    target = io.BytesIO()

    def read_again(*_: object) -> io.BytesIO:
        return io.BytesIO(target.getvalue())

    with (
        _opened(data) as (source, _),
        av.open(target, "w", format="mp4", options=dict(CONTAINER_OPTIONS), io_open=read_again) as container,
    ):
        # A sound whose codec is not known has no context.
        sounds = [sound for sound in source.streams.audio[:1] if sound.codec_context is not None]
        kept = [*source.streams.video[:1], *sounds]
        copies = {stream.index: container.add_stream_from_template(stream) for stream in kept}
        for copy in copies.values():
            copy.metadata.clear()
        if provenance is not None:
            container.metadata["comment"] = as_json(provenance).decode()
        for packet in source.demux(kept):
            if packet.dts is None:  # the mark of the end
                continue
            packet.stream = copies[packet.stream.index]
            container.mux(packet)
    return target.getvalue()


@contextlib.contextmanager
def _opened(data: bytes) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open an MP4 and its first moving picture; turn what FFmpeg says into our error."""
    try:
        with av.open(io.BytesIO(data), "r", format=_FORMAT) as container:
            if not container.streams.video:
                raise UnreadableClip("The clip holds no moving picture.")
            stream = container.streams.video[0]
            context: VideoCodecContext | None = stream.codec_context
            if context is None:
                raise UnreadableClip("The clip's codec is not known.")
            if context.width * context.height > MAX_FRAME_PIXELS:
                raise UnreadableClip(_too_large(context.width, context.height))
            context.thread_count = 1
            yield container, stream
    except (av.FFmpegError, UnicodeDecodeError) as error:
        raise UnreadableClip("The bytes are not a clip that can be read.") from error


def _too_large(width: int, height: int) -> str:
    return f"The clip's pictures have {width} x {height} pixels, which is too large."
