"""Decoding, quantizing, resizing, trimming, colour."""

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from worker.imaging import color
from worker.imaging.color import distance, nearest, oklab, parse_palette, unique_colors
from worker.imaging.indexed import Pixels, count_colors
from worker.imaging.pixels import UnreadablePicture, decode_rgba, encode_png
from worker.imaging.quantize import quantize
from worker.imaging.resize import resize
from worker.imaging.trim import visible_box


def noise(seed: int, width: int = 40, height: int = 30) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 4)).astype(np.uint8)


def test_pictures_come_back_as_they_were_and_always_the_same_bytes() -> None:
    array = noise(1)
    data = encode_png(array, {"Prompt": "史莱姆"})
    assert data == encode_png(array, {"Prompt": "史莱姆"})
    assert (decode_rgba(data) == array).all()
    assert Image.open(io.BytesIO(data)).info["Prompt"] == "史莱姆"


def bomb(side: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("data", [b"", b"GIF89a", encode_png(noise(2))[:100], bomb(30_000), bomb(9_000)])
def test_what_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadablePicture):
        decode_rgba(data)


def test_sixteen_bits_of_grey_become_eight_instead_of_white() -> None:
    deep = np.linspace(0, 65_535, 256).astype(np.uint16).reshape(16, 16)
    buffer = io.BytesIO()
    Image.fromarray(deep).save(buffer, "PNG")
    array = decode_rgba(buffer.getvalue())
    assert (array[..., 0] == deep >> 8).all()
    assert (array[..., :3] == array[..., :1]).all()
    assert (array[..., 3] == 255).all()


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "PPM", "TGA", "PCX"])
def test_only_the_formats_that_services_send_are_read(kind: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (200, 30, 60)).save(buffer, kind)
    with pytest.raises(UnreadablePicture):
        decode_rgba(buffer.getvalue())


@pytest.mark.parametrize("mode", ["RGBA", "RGB", "L", "LA", "P", "1"])
def test_every_kind_of_png_becomes_straight_rgba_that_may_be_written_to(mode: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 4), (255, 255, 255)).convert(mode).save(buffer, "PNG")
    array = decode_rgba(buffer.getvalue())
    assert array.shape == (4, 8, 4)
    assert (array == 255).all()
    array[0, 0] = 0


def test_black_white_and_grey_are_where_oklab_has_them() -> None:
    lab = oklab(np.array([[0, 0, 0], [255, 255, 255], [119, 119, 119]], np.uint8))
    assert lab[:, 0] == pytest.approx([0, 1, 0.568], abs=0.01)
    assert np.abs(lab[:, 1:]).max() < 1e-3
    assert distance(lab[0], lab[1]) == pytest.approx(1, abs=1e-3)


def test_the_nearest_of_a_palette_is_found_for_many_colors_at_once() -> None:
    palette = oklab(parse_palette(["#ff0000", "#00ff00", "#0000ff80"])[:, :3])
    colors = np.tile(np.array([[250, 10, 10], [20, 240, 30], [0, 0, 200]], np.uint8), (7000, 1))
    indices, distances = nearest(oklab(colors), palette)
    assert indices[:3].tolist() == [0, 1, 2]
    assert (indices.reshape(-1, 3) == [0, 1, 2]).all()
    assert distances.max() < 0.2


def test_colors_of_large_pictures_are_counted_in_a_table_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rgb = np.random.default_rng(4).integers(0, 256, (4000, 3)).astype(np.uint8) // 40 * 40
    sorted_way = unique_colors(rgb)
    monkeypatch.setattr(color, "_MANY", 10)
    for one, other in zip(sorted_way, unique_colors(rgb), strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype


def test_unique_colors_are_counted() -> None:
    colors, inverse, counts = unique_colors(np.array([[1, 2, 3], [9, 9, 9], [1, 2, 3]], np.uint8))
    assert colors[inverse].tolist() == [[1, 2, 3], [9, 9, 9], [1, 2, 3]]
    assert counts.tolist() == [2, 1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 64), st.booleans(), st.sampled_from([0, 2, 4, 8]))
def test_the_number_of_colors_is_never_exceeded(seed: int, colors: int, opaque: bool, dither: int) -> None:  # noqa: FBT001
    array = noise(seed)
    if opaque:
        array[..., 3] = 255
    result = quantize(array, colors, dither=dither)
    assert count_colors(result) <= colors
    assert set(np.unique(result[..., 3])) <= {0, 255}
    assert (result[..., 3] == 255).any()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 8), st.sampled_from([0, 2, 4, 8]))
def test_only_the_given_colors_occur(seed: int, colors: int, dither: int) -> None:
    palette = ["#102030", "#f0e0d0", "#c02040", "#20c040"]
    result = quantize(noise(seed), colors, palette, dither=dither)
    allowed = {(16, 32, 48, 255), (240, 224, 208, 255), (192, 32, 64, 255), (32, 192, 64, 255), (0, 0, 0, 0)}
    found = {tuple(int(v) for v in color) for color in result.reshape(-1, 4)}
    assert found <= allowed
    assert len(found) <= colors


def test_few_colors_stay_as_they_are() -> None:
    array = np.zeros((8, 8, 4), np.uint8)
    array[2:6, 2:6] = (200, 30, 30, 255)
    array[3, 3] = (10, 200, 30, 255)
    assert (quantize(array, 3) == array).all()


def test_a_black_shape_of_faint_alpha_is_still_there() -> None:
    array = np.zeros((16, 16, 4), np.uint8)
    array[4:12, 4:12, 3] = 60
    result = quantize(array, 4)
    assert (result[..., 3] > 0).sum() == 64
    assert (quantize(np.zeros((4, 4, 4), np.uint8), 4) == 0).all()


def test_a_sprite_of_five_hundred_colors_keeps_its_look_in_sixteen() -> None:
    y, x = np.mgrid[0:64, 0:64]
    array = np.stack([x * 4, y * 4, 128 + 0 * x, np.where((x - 32) ** 2 + (y - 32) ** 2 < 900, 255, 0)], -1).astype(
        np.uint8
    )
    result = quantize(array, 16)
    seen = result[..., 3] > 0
    assert count_colors(result) <= 16
    assert float(distance(oklab(result[seen][:, :3]), oklab(array[seen][:, :3])).mean()) < 0.08


def test_a_palette_of_nothing_but_transparency_is_taken_as_its_color() -> None:
    array = np.full((2, 2, 4), (255, 0, 0, 255), np.uint8)
    assert quantize(array, 4, ["#12345600"])[0, 0].tolist() == [0x12, 0x34, 0x56, 255]


def test_whole_factors_repeat_pixels() -> None:
    array = noise(3, 5, 4)
    large = resize(array, 15, 8)
    assert (large[::2, ::3] == array).all()
    assert count_colors(large) == count_colors(array)


def test_transparent_pixels_lend_no_color_to_edges() -> None:
    array = np.zeros((32, 32, 4), np.uint8)
    array[..., 0] = 255
    array[8:24, 8:24] = (0, 0, 255, 255)
    array[array[..., 3] == 0, :3] = (255, 0, 0)
    small = resize(array, 13, 13)
    seen = small[..., 3] > 20
    assert small[seen][:, 0].max() <= 2
    assert small[seen][:, 2].min() >= 250
    assert (small[small[..., 3] == 0] == 0).all(), "what is transparent has no colour"
    with pytest.raises(ValueError, match="at least one"):
        resize(array, 0, 1)


@given(st.integers(1, 40), st.integers(1, 40))
def test_a_flat_color_keeps_its_color_at_any_size(width: int, height: int) -> None:
    flat = np.full((16, 12, 4), (100, 150, 200, 255), np.uint8)
    result = resize(flat, width, height)
    assert result.shape == (height, width, 4)
    assert (result == (100, 150, 200, 255)).all()


def test_the_visible_box_is_tight() -> None:
    array = np.zeros((20, 30, 4), np.uint8)
    assert visible_box(array) is None
    array[3, 4, 3] = array[10, 20, 3] = 1
    box = visible_box(array)
    assert box is not None
    assert (box.left, box.top, box.right, box.bottom, box.width, box.height) == (4, 3, 21, 11, 17, 8)
    assert visible_box(array, alpha=2) is None
