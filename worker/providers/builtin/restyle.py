"""Image to image: a given picture redrawn in the style, as pixels of few colours or smooth."""

import io
from typing import Final

import numpy as np
from PIL import Image, UnidentifiedImageError

from worker.providers.builtin.canvas import Mask, dilate
from worker.providers.builtin.color import Bytes, Palette, oklab_of
from worker.providers.builtin.finish import Manner, centered, enlarged
from worker.providers.builtin.stage import grid_for

_COLORS: Final = 24
_OPAQUE_FROM: Final = 128
#: Sources larger than this many pixels are refused: they would not fit the memory of a worker.
_MOST_PIXELS: Final = 40_000_000


def restyle(
    source: bytes, size: tuple[int, int], manner: Manner, palette: Palette | None, *, transparent: bool
) -> Bytes:
    """Return the source picture in the given size, (height, width, 4), fitted and centred.

    Raises `ValueError` when the source cannot be read.
    """
    width, height = size
    grid = grid_for(width, height, manner, cover=True)
    small = _fitted(_opened(source), grid.width // max(grid.reduce, 1), grid.height // max(grid.reduce, 1))
    small[..., 3] = np.where(small[..., 3] >= _OPAQUE_FROM, 255, 0)
    if not transparent:
        small[small[..., 3] == 0] = (*_border_color(small), 255)
    seen = small[..., 3] > 0
    small[..., :3] = palette.nearest(small[..., :3]) if palette else _fewer(small[..., :3], _COLORS)
    if manner.outlined and transparent and not seen.all():
        ring = dilate(seen, 1) & ~seen
        dark = _darkest(small, seen)
        small[ring] = (*dark, 255)
    small[small[..., 3] == 0] = 0
    return centered(enlarged(small, grid.enlarge), width, height)


def _opened(source: bytes) -> Image.Image:
    try:
        image = Image.open(io.BytesIO(source))
        if image.width * image.height > _MOST_PIXELS:
            raise ValueError("The source picture has too many pixels.")
        return image.convert("RGBA")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError("The source picture cannot be read.") from error


def _fitted(image: Image.Image, width: int, height: int) -> Bytes:
    """Scale a picture to lie inside a size, keeping its shape."""
    scale = min(width / image.width, height / image.height)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    method = Image.Resampling.BOX if scale < 1 else Image.Resampling.NEAREST
    return centered(np.array(image.resize(size, method)), width, height)


def _fewer(rgb: Bytes, count: int) -> Bytes:
    """Reduce to a few colours by Pillow's median cut, without dithering."""
    image = Image.fromarray(np.ascontiguousarray(rgb)).quantize(
        count, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )
    return np.array(image.convert("RGB"))


def _border_color(picture: Bytes) -> tuple[int, int, int]:
    """Return the mean colour of what is seen, darkened, to fill what is not."""
    seen = picture[picture[..., 3] > 0]
    mean = seen[:, :3].mean(axis=0) * 0.5 if len(seen) else np.array([60.0, 60.0, 70.0])
    return int(mean[0]), int(mean[1]), int(mean[2])


def _darkest(picture: Bytes, seen: Mask) -> tuple[int, int, int]:
    """Return the darkest colour that is seen."""
    colors = np.unique(picture[seen][:, :3], axis=0)
    if not len(colors):
        return 0, 0, 0
    red, green, blue = colors[int(oklab_of(colors)[:, 0].argmin())]
    return int(red), int(green), int(blue)
