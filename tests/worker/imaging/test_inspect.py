"""Untrusted pictures: what is taken, what is refused, and what is left of them."""

import io
import pickle
import random
import struct
import subprocess
import sys
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageDraw, PngImagePlugin

from domain.errors import DomainError, TooLarge, UnsupportedMedia
from domain.uploads import MAX_UPLOAD_PIXELS
from worker.imaging.inspect import inspect_image
from worker.imaging.pixels import decode_rgba

TYPES = {
    "PNG": ("image/png", "png"),
    "JPEG": ("image/jpeg", "jpg"),
    "WEBP": ("image/webp", "webp"),
    "GIF": ("image/gif", "gif"),
}
#: Mean difference of a channel, of 255, that writing hard edges once more may make.
LOSS = {"PNG": 0, "JPEG": 2, "WEBP": 3, "GIF": 0}
SVG = b"""<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><text>&x;</text></svg>"""


def _sprite(mode: str = "RGBA", size: tuple[int, int] = (40, 30)) -> Image.Image:
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.ellipse((4, 4, size[0] - 5, size[1] - 5), fill=(200, 30, 60, 255))
    draw.rectangle((10, 10, 16, 16), fill=(20, 200, 90, 255))
    return image.convert(mode)


def _file(image: Image.Image, name: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


def _opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def _difference(one: Image.Image, other: Image.Image) -> float:
    """Mean difference of a channel, of 255."""
    return float(np.abs(np.asarray(one.convert("RGB")).astype(int) - np.asarray(other.convert("RGB"))).mean())


def _png_header(width: int, height: int, body: bytes = b"") -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = chunk(b"IHDR", struct.pack(">2I5B", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def _bomb() -> bytes:
    """A whole, valid picture of 30,000 x 30,000 points in about 110 kB."""
    packer = zlib.compressobj(9)
    row = bytes(1 + 30_000 // 8)
    body = b"".join([packer.compress(row) for _ in range(30_000)]) + packer.flush()
    return _png_header(30_000, 30_000, body)


@pytest.mark.parametrize("name", TYPES)
def test_a_picture_comes_back_as_the_same_type(name: str) -> None:
    data = _file(_sprite("RGB"), name)
    inspected = inspect_image(data)
    assert (inspected.media_type, inspected.extension) == TYPES[name]
    assert (inspected.width, inspected.height) == (40, 30)
    image = _opened(inspected.data)
    assert (image.format, image.size) == (name, (40, 30))
    assert _difference(image, _opened(data)) <= LOSS[name]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_the_points_of_a_png_are_kept_exactly(mode: str) -> None:
    original = _sprite(mode)
    kept = _opened(inspect_image(_file(original, "PNG")).data)
    assert np.array_equal(np.asarray(kept.convert("RGBA")), np.asarray(original.convert("RGBA")))


def test_translucent_points_are_kept_where_the_type_has_them() -> None:
    for data in (_file(_sprite(), "PNG"), _file(_sprite(), "WEBP", lossless=True, exact=True)):
        kept = _opened(inspect_image(data).data)
        assert np.array_equal(np.asarray(kept.convert("RGBA")), np.asarray(_sprite()))
    gif = _opened(inspect_image(_file(_sprite(), "GIF")).data).convert("RGBA")
    assert np.array_equal(np.asarray(gif)[..., 3], np.asarray(_sprite())[..., 3])


def test_a_palette_with_a_clear_entry_keeps_it() -> None:
    image = Image.new("P", (4, 4), 0)
    image.putpalette([255, 0, 0, 0, 255, 0])
    image.putpixel((1, 1), 1)
    kept = _opened(inspect_image(_file(image, "PNG", transparency=0)).data).convert("RGBA")
    assert (kept.getpixel((0, 0)), kept.getpixel((1, 1))) == ((255, 0, 0, 0), (0, 255, 0, 255))


def test_sixteen_bits_of_grey_are_scaled_not_clipped() -> None:
    levels = np.linspace(0, 65_535, 256).astype(np.uint16).reshape(16, 16)
    kept = np.asarray(_opened(inspect_image(_file(Image.fromarray(levels), "PNG")).data))
    assert np.array_equal(kept, (levels >> 8).astype(np.uint8))


def test_a_gif_of_many_colors_and_a_clear_one_is_kept_exactly() -> None:
    random_ = np.random.default_rng(4)
    image = Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16), "P")
    image.putpalette(random_.integers(0, 256, 768).astype(np.uint8).tobytes())
    data = _file(image, "GIF", transparency=5)
    before, after = (np.asarray(_opened(file).convert("RGBA")) for file in (data, inspect_image(data).data))
    assert after[0, 5, 3] == 0
    assert np.array_equal(before[before[..., 3] > 0], after[before[..., 3] > 0])


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
def test_the_transparent_grey_of_a_png_is_kept_at_every_depth(depth: int) -> None:
    most = 2**depth - 1
    levels = [0, most, most // 2, 1] * 2
    bits = "".join(f"{level:0{depth}b}" for level in levels)
    row = b"\0" + int(bits, 2).to_bytes(len(bits) // 8, "big")

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 8, 1, depth, 0, 0, 0, 0)
    body = chunk(b"tRNS", struct.pack(">H", most)) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b"")
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body
    for shown in (np.asarray(_opened(inspect_image(data).data).convert("RGBA")), decode_rgba(data)):
        assert [int(alpha) for alpha in shown[0, :, 3]] == [0 if level == most else 255 for level in levels]
        assert [int(grey) for grey in shown[0, :, 0]] == [
            level >> 8 if depth == 16 else level * 255 // most for level in levels
        ]


@pytest.mark.parametrize("mode", ["P", "RGB", "RGBA"])
def test_colors_of_a_palette_are_converted_by_their_profile_too(mode: str) -> None:
    swapped = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    red, green = (swapped.index(name) for name in (b"rXYZ", b"gXYZ"))
    swapped = swapped[:red] + b"gXYZ" + swapped[red + 4 : green] + b"rXYZ" + swapped[green + 4 :]
    image = Image.new("RGBA", (8, 8), (255, 0, 0, 255)).convert(mode)
    after = _opened(inspect_image(_file(image, "PNG", icc_profile=swapped)).data).convert("RGB")
    pixel = after.getpixel((3, 3))
    assert isinstance(pixel, tuple)
    assert pixel[1] > 240
    assert pixel[0] < 15


def test_nothing_but_the_picture_is_left() -> None:
    exif = Image.Exif()
    exif[0x010E] = "SECRET description"
    exif[0x8825] = {1: "N", 2: (52.0, 30.0, 0.0)}
    texts = PngImagePlugin.PngInfo()
    texts.add_itxt("Comment", "SECRET 秘密")
    texts.add_text("parameters", "SECRET", zip=True)
    xmp = b"<x:xmpmeta>SECRET</x:xmpmeta>"
    files = [
        _file(_sprite(), "PNG", pnginfo=texts, exif=exif, dpi=(300, 300)) + b"SECRET trailing data",
        _file(_sprite("RGB"), "JPEG", exif=exif, comment=b"SECRET", xmp=xmp) + b"SECRET",
        _file(_sprite(), "WEBP", exif=exif, xmp=xmp) + b"SECRET",
        _file(_sprite(), "GIF", comment=b"SECRET", xmp=xmp) + b"SECRET",
    ]
    for data in files:
        assert b"SECRET" in data
        inspected = inspect_image(data)
        assert b"SECRET" not in inspected.data
        image = _opened(inspected.data)
        assert not image.getexif()
        assert not {"comment", "xmp", "exif", "icc_profile", "dpi", "parameters"} & set(image.info)


def test_the_same_points_with_other_metadata_give_the_same_bytes() -> None:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("a", "b")
    plain, told = _file(_sprite(), "PNG"), _file(_sprite(), "PNG", pnginfo=texts, compress_level=1)
    assert plain != told
    assert inspect_image(plain).data == inspect_image(told).data


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP"])
def test_a_picture_taken_sideways_stands_up(name: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = _file(_sprite("RGB"), name, exif=exif)
    inspected = inspect_image(data)
    assert (inspected.width, inspected.height) == (30, 40)
    upright = _opened(data).transpose(Image.Transpose.ROTATE_270)
    assert _difference(_opened(inspected.data), upright) <= LOSS[name]


def test_colors_of_another_profile_become_srgb() -> None:
    own = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # The same with its primaries of red and green exchanged.
    exchanged = own.replace(b"rXYZ", b"....").replace(b"gXYZ", b"rXYZ").replace(b"....", b"gXYZ")
    for mode, red, green in (("RGB", (255, 0, 0), (0, 255, 0)), ("RGBA", (255, 0, 0, 99), (0, 255, 0, 99))):
        image = Image.new(mode, (8, 8), red)
        for profile, color in ((own, red), (exchanged, green)):
            kept = _opened(inspect_image(_file(image, "PNG", icc_profile=profile)).data)
            point = np.asarray(kept.getpixel((4, 4)))
            assert np.abs(point.astype(int) - color).max() <= 2
            assert "icc_profile" not in kept.info


def test_a_profile_that_fits_no_picture_is_as_good_as_none() -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    for profile in (lab, b"no profile at all"):
        kept = _opened(inspect_image(_file(_sprite("RGB"), "PNG", icc_profile=profile)).data)
        assert _difference(kept, _sprite("RGB")) == 0
        assert "icc_profile" not in kept.info


def test_cmyk_becomes_rgb() -> None:
    data = _file(_sprite("RGB").convert("CMYK"), "JPEG")
    kept = _opened(inspect_image(data).data)
    assert kept.mode == "RGB"
    assert _difference(kept, _opened(data)) <= LOSS["JPEG"]


@pytest.mark.parametrize("name", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_frame_counts(name: str) -> None:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "blue", "green")]
    options = {"save_all": True, "append_images": frames[1:], "duration": 100}
    if name == "WEBP":
        options["lossless"] = True
    kept = _opened(inspect_image(_file(frames[0], name, **options)).data)
    assert getattr(kept, "n_frames", 1) == 1
    assert kept.convert("RGB").getpixel((4, 4)) == (255, 0, 0)


def test_webp_stays_lossless_or_lossy_as_it_came() -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (60, 60, 3), dtype=np.uint8))
    lossless = inspect_image(_file(noise, "WEBP", lossless=True)).data
    lossy = inspect_image(_file(noise, "WEBP", quality=80)).data
    assert np.array_equal(np.asarray(_opened(lossless).convert("RGB")), np.asarray(noise))
    assert len(lossy) < len(lossless)
    animated = {"save_all": True, "append_images": [_sprite("RGB", (60, 60))], "lossless": True}
    first = inspect_image(_file(noise, "WEBP", **animated)).data
    assert np.array_equal(np.asarray(_opened(first).convert("RGB")), np.asarray(noise))


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\x00", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"RIFF\x10\x00\x00\x00WEBPVP8 ", SVG),
        *(
            b"<html><script>alert(1)</script>",
            b"%PDF-1.7",
            b"PK\x03\x04",
            b"BM" + bytes(60),
            b"P6 1 1 255 \x00\x00\x00",
        ),
        *(_file(_sprite("RGB"), "TIFF"), _file(_sprite("RGB"), "BMP"), _file(_sprite(), "ICO")),
        *(_png_header(0, 10), _png_header(10, 10, b"not deflated")),
    ],
)
def test_everything_else_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedMedia) as refusal:
        inspect_image(data)
    assert refusal.value.path == ("file",)


@pytest.mark.parametrize("name", TYPES)
def test_half_a_picture_is_refused(name: str) -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (200, 200, 3), dtype=np.uint8))
    data = _file(noise, name)
    for length in (len(data) // 2, len(data) * 9 // 10):
        with pytest.raises(UnsupportedMedia):
            inspect_image(data[:length])


def test_a_small_file_with_a_giant_picture_is_refused_by_its_header() -> None:
    """In a process that may not take the memory that the picture would need."""
    program = (
        "import sys\n"
        "from domain.errors import TooLarge\n"
        "from tests.helpers.memory import begin_peak, peak_kib\n"
        "from worker.imaging.inspect import inspect_image\n"
        "data = sys.stdin.buffer.read()\n"
        "before = begin_peak()\n"
        "try:\n"
        "    inspect_image(data)\n"
        "except TooLarge as error:\n"
        "    print(error.message)\n"
        "print(peak_kib() - before < 8192)\n"
    )
    bomb = _bomb()
    assert len(bomb) < 200_000
    done = subprocess.run([sys.executable, "-c", program], input=bomb, capture_output=True, timeout=60, check=True)
    assert done.stdout.decode().splitlines() == ["The picture has more than 40 megapixels.", "True"]


@pytest.mark.parametrize(("width", "height"), [(8000, 5001), (40_000_001, 1), (10_000, 10_000), (2**31 - 1, 2**31 - 1)])
def test_the_limit_is_on_the_product(width: int, height: int) -> None:
    assert width * height > MAX_UPLOAD_PIXELS
    with pytest.raises(TooLarge):
        inspect_image(_png_header(width, height, zlib.compress(b"")))


def test_a_picture_just_within_the_limit_is_taken() -> None:
    inspected = inspect_image(_file(Image.new("1", (8000, 5000)), "PNG"))
    assert inspected.width * inspected.height == MAX_UPLOAD_PIXELS


@pytest.mark.parametrize("name", TYPES)
def test_broken_bytes_anywhere_are_refused_or_taken_but_never_an_accident(name: str) -> None:
    chance = random.Random(name)
    data = _file(_sprite("RGB"), name)
    taken = refused = 0
    for _ in range(250):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        try:
            inspect_image(bytes(broken))
            taken += 1
        except (UnsupportedMedia, TooLarge):
            refused += 1
    assert taken + refused == 250
    assert refused > 10


def test_refusals_pass_through_a_process_pool() -> None:
    for error in (UnsupportedMedia(path=("file",)), TooLarge("The picture is too large.", path=("file",))):
        copy: DomainError = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
        assert (type(copy), copy.message, copy.path) == (type(error), error.message, ("file",))
