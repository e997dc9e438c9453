"""From frames to an MP4: H.264, yuv420p, index in front. The same frames and provenance give the same bytes."""

import io
from collections.abc import Iterable
from typing import Final

import av
import numpy as np
from av.bitstream import BitStreamFilterContext
from av.codec.context import Flags
from av.video.codeccontext import VideoCodecContext
from av.video.reformatter import Interpolation
from av.video.stream import VideoStream

from worker.artifacts import Provenance
from worker.imaging.indexed import Pixels
from worker.imaging.provenance import as_json

MEDIA_TYPE: Final = "video/mp4"
EXTENSION: Final = ".mp4"
#: Constant quality: 0 is without loss, 51 the worst. Edges of pixel art still look sharp at this.
_QUALITY: Final = "16"
#: One thread, or the bytes would depend on the number of cores.
_THREADS: Final = 1
#: x264's macroblock tree adds up in the order in which a frame lies in memory, so that bytes differ now and then.
_CODEC_OPTIONS: Final = {"crf": _QUALITY, "preset": "fast", "tune": "animation", "x264-params": "mbtree=0"}
#: The index before the pictures, so that players begin before the end has come. No time of writing, no version.
CONTAINER_OPTIONS: Final = {"movflags": "+faststart", "fflags": "+bitexact"}
#: The encoder's settings, which x264 writes into the stream as a message (H.264, NAL unit type 6), are left out.
_NO_MESSAGES: Final = "filter_units=remove_types=6"
_BT709: Final = 1
#: Colours are converted the same way everywhere: the fast ways differ with where in memory a frame happens to lie.
EXACTLY: Final = int(Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.BITEXACT)
_LIMITED_RANGE: Final = 1


def encode_clip(
    frames: Iterable[Pixels], size: tuple[int, int], fps: int, provenance: Provenance | None = None
) -> bytes:
    """Return opaque frames, each (height, width, 3 or 4), as an MP4 of so many frames per second.

    Width and height, in pixels, must be even. Frames are taken one by one, so a generator never holds all of them.
    Provenance, when given, is the comment tag of the file.
    """
    width, height = size
    target = io.BytesIO()

    def read_again(*_: object) -> io.BytesIO:
        # To put the index in front, the muxer reads what it has written while it writes it further back.
        return io.BytesIO(target.getvalue())

    with av.open(target, "w", format="mp4", options=dict(CONTAINER_OPTIONS), io_open=read_again) as container:
        stream = container.add_stream("libx264", rate=fps, options=dict(_CODEC_OPTIONS))
        _set_up(stream, width, height)
        if provenance is not None:
            container.metadata["comment"] = as_json(provenance).decode()
        container.start_encoding()
        cleaner = BitStreamFilterContext(_NO_MESSAGES, stream)
        for number, pixels in enumerate(frames):
            frame = _frame(pixels)
            frame.pts = number
            for packet in stream.encode(frame):
                container.mux(cleaner.filter(packet))
        for packet in stream.encode(None):
            container.mux(cleaner.filter(packet))
    return target.getvalue()


def _set_up(stream: VideoStream, width: int, height: int) -> None:
    context: VideoCodecContext = stream.codec_context
    context.width, context.height = width, height
    context.pix_fmt = "yuv420p"
    context.thread_count = _THREADS
    context.flags |= Flags.bitexact | Flags.global_header
    # Said in the file, since players guess differently for small pictures.
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    context.color_range = _LIMITED_RANGE


def _frame(pixels: Pixels) -> av.VideoFrame:
    rgb = np.ascontiguousarray(pixels[..., :3])
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
    return frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG", interpolation=EXACTLY)
