"""Pictures of odd shapes and forms, through every step that a painting may go through."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from worker.imaging.cutout import cut_out
from worker.imaging.fit import contain, contain_whole, cover, cover_whole
from worker.imaging.indexed import Pixels
from worker.imaging.nine_slice import find_nine_slice
from worker.imaging.outline import outlined
from worker.imaging.pixel_grid import find_grid
from worker.imaging.pixels import decode_rgba
from worker.imaging.quantize import quantize
from worker.imaging.texture import ground, repeating
from worker.quality.halo import find_fringe
from worker.quality.seams import edges_of, wrap_of
from worker.quality.visible import visible_mask

STEPS: dict[str, Callable[[Pixels], object]] = {
    "cut out": lambda pixels: cut_out(pixels, (255, 0, 255)),
    "contain": lambda pixels: contain(pixels, 20, 30),
    "contain whole": lambda pixels: contain_whole(pixels, 20, 30),
    "cover": lambda pixels: cover(pixels, 20, 30),
    "cover whole": lambda pixels: cover_whole(pixels, 20, 30),
    "repeat": lambda pixels: repeating(pixels, 20, 30),
    "ground": lambda pixels: ground(pixels, 16),
    "nine slices": find_nine_slice,
    "grid": find_grid,
    "quantize": lambda pixels: quantize(pixels, 4, dither=4),
    "outline": lambda pixels: outlined(pixels, 2, (0, 0, 0)),
    "seams": wrap_of,
    "edges": edges_of,
    "fringe": lambda pixels: find_fringe(pixels, visible_mask(pixels)),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (300, 1), (2, 3), (64, 64)])
@pytest.mark.parametrize("value", [0, 127, 255])
def test_no_shape_and_no_alpha_stops_a_step(step: str, shape: tuple[int, int], value: int) -> None:
    picture = np.full((*shape, 4), value, dtype=np.uint8)
    before = picture.copy()
    result = STEPS[step](picture)
    assert np.array_equal(picture, before), "what is given is not changed"
    if step in {"contain", "contain whole", "cover", "cover whole", "repeat"}:
        assert isinstance(result, np.ndarray)
        assert result.shape == (30, 20, 4)


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize(("turn", "place"), [(1, (0, 0)), (3, (19, 39)), (6, (0, 19)), (8, (39, 0))])
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "JPEG"])
def test_a_picture_stored_lying_is_stood_up(turn: int, place: tuple[int, int], kind: str) -> None:
    image = Image.new("RGB", (40, 20), "black")
    image.paste("white", (0, 0, 8, 8))
    exif = Image.Exif()
    exif[0x0112] = turn
    pixels = decode_rgba(saved(image, kind, exif=exif))
    assert pixels.shape == ((40, 20, 4) if turn in (6, 8) else (20, 40, 4))
    assert pixels[place][0] > 200


def test_palettes_inks_and_sixteen_bits_become_rgba() -> None:
    palette = Image.new("P", (4, 4), 1)
    palette.putpalette([0, 0, 0, 250, 10, 20])
    palette.putpixel((0, 0), 0)
    pixels = decode_rgba(saved(palette, "PNG", transparency=0))
    assert (pixels[0, 0, 3], pixels[1, 1].tolist()) == (0, [250, 10, 20, 255])
    ink = decode_rgba(saved(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG"))[4, 4].astype(int)
    assert np.abs(ink - (255, 0, 0, 255)).max() <= 3
    deep = Image.fromarray((np.arange(16).reshape(4, 4) * 4096).astype(np.uint16))
    assert decode_rgba(saved(deep, "PNG"))[..., 0].ravel().tolist() == list(range(0, 256, 16))
