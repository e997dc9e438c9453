"""From the clip that a service delivers to the one that was asked for. Runs in a process of the picture pool.

Services offer a few lengths and shapes. What is too long is cut at its end, another shape is cut out of the middle, and
other codecs become H.264; a clip that fits is left as it is, byte for byte.
"""

import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import av
import numpy as np

from worker.imaging.indexed import Pixels
from worker.video.encode import CONTAINER_OPTIONS, EXACTLY, encode_clip
from worker.video.errors import UnreadableClip
from worker.video.read import ClipFacts, probe, read_frames

_CODEC: Final = ("h264", "yuv420p")
#: As shares: how far a shape may be off, and how much longer a clip may be, to be left as it is.
_SHAPE: Final = 0.012
_LONGER: Final = 0.08
_MAX_FPS: Final = 60
_FALLBACK_FPS: Final = 24
_EVEN: Final = 2


@dataclass(frozen=True, slots=True)
class FitJob:
    """A clip, and what was asked for: pixels and seconds."""

    clip: bytes
    width: int
    height: int
    seconds: float


def fit(job: FitJob) -> bytes:
    """Return a clip of the shape asked for, not longer than asked; raises `UnreadableClip`.

    It has the size asked for or, as far as the service's is larger, more.
    """
    facts = probe(job.clip)
    too_long = facts.seconds > job.seconds * (1 + _LONGER)
    left, top, width, height = _window(job, facts)
    whole = (width, height) == (facts.width, facts.height)
    small = width < job.width or height < job.height
    if not too_long and whole and not small and (facts.codec, facts.pixel_format) == _CODEC:
        return job.clip
    fps = min(round(facts.fps) or _FALLBACK_FPS, _MAX_FPS)
    size = (job.width, job.height) if small else (width, height)
    frames: Iterator[Pixels] = (pixels[top : top + height, left : left + width] for pixels in read_frames(job.clip))
    if too_long:
        frames = itertools.islice(frames, max(1, round(job.seconds * fps)))
    made = encode_clip((_scaled(pixels, size) for pixels in frames), size, fps)
    return _with_sound(made, job.clip, job.seconds) if facts.has_sound else made


def _window(job: FitJob, facts: ClipFacts) -> tuple[int, int, int, int]:
    """Return what to keep of each frame as (left, top, width, height), sides even: all when the shape is right."""
    apart = facts.width / facts.height / (job.width / job.height)
    if max(apart, 1 / apart) <= 1 + _SHAPE and facts.width % _EVEN == facts.height % _EVEN == 0:
        return 0, 0, facts.width, facts.height
    wide = min(facts.width, round(facts.height * job.width / job.height))
    high = min(facts.height, round(facts.width * job.height / job.width))
    wide, high = max(_EVEN, wide - wide % _EVEN), max(_EVEN, high - high % _EVEN)
    return (facts.width - wide) // 2, (facts.height - high) // 2, wide, high


def _scaled(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    width, height = size
    if pixels.shape[:2] == (height, width):
        return pixels
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
    return np.asarray(frame.reformat(width, height, "rgb24", interpolation=EXACTLY).to_ndarray(), dtype=np.uint8)


def _with_sound(made: bytes, source: bytes, seconds: float) -> bytes:
    """Return a clip with the sound of another, untouched, up to an end."""
    target = io.BytesIO()

    def read_again(*_: object) -> io.BytesIO:
        return io.BytesIO(target.getvalue())

    try:
        with (
            av.open(io.BytesIO(made), "r", format="mp4") as pictures,
            av.open(io.BytesIO(source), "r", format="mp4") as whole,
            av.open(target, "w", format="mp4", options=dict(CONTAINER_OPTIONS), io_open=read_again) as container,
        ):
            sounds = [sound for sound in whole.streams.audio[:1] if sound.codec_context is not None]
            copies = [container.add_stream_from_template(one) for one in (*pictures.streams.video[:1], *sounds)]
            for packet in pictures.demux(pictures.streams.video[0]):
                if packet.dts is not None:  # the mark of the end has none
                    packet.stream = copies[0]  # type: ignore[assignment]  # the stubs know one kind of stream
                    container.mux(packet)
            for heard in whole.demux(sounds):
                if heard.pts is not None and heard.time_base is not None and heard.pts * heard.time_base < seconds:
                    heard.stream = copies[1]
                    container.mux(heard)
    except (av.FFmpegError, UnicodeDecodeError) as error:
        raise UnreadableClip("The sound of the clip cannot be read.") from error
    return target.getvalue()
