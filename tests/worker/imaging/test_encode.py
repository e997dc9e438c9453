import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from domain.kinds import ImageFormat
from worker.artifacts import Provenance
from worker.imaging.encode import encode_animation, encode_still, flatten
from worker.imaging.gif import centiseconds

Pixels = NDArray[np.uint8]
ANIMATED = (ImageFormat.GIF, ImageFormat.APNG, ImageFormat.WEBP)
PROMPT = '红色 <史莱姆> & "quotes" 👩‍🚀 مرحبا'
PROVENANCE = Provenance("stub-provider", "model-9", 77, PROMPT, "模糊", 3, 2, "request-id-1", 12.5)


def picture(seed: int = 0, width: int = 9, height: int = 7, colors: int = 6) -> Pixels:
    """Hard-edged pixels of few colours; transparent ones are all zero."""
    random = np.random.default_rng(seed)
    palette = random.integers(0, 256, (colors, 4)).astype(np.uint8)
    palette[:, 3] = 255
    palette[0] = 0
    return palette[random.integers(0, colors, (height, width))]


def frames_of(data: bytes) -> tuple[list[Pixels], list[int]]:
    """Every frame as shown, with transparent pixels zeroed, and its duration."""
    image = Image.open(io.BytesIO(data))
    pictures, durations = [], []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        shown = np.array(image.convert("RGBA"))
        shown[shown[..., 3] == 0] = 0
        pictures.append(shown)
        durations.append(round(image.info.get("duration", 0)))
    return pictures, durations


@pytest.mark.parametrize("image_format", [item for item in ImageFormat if item is not ImageFormat.JPEG])
@pytest.mark.parametrize("provenance", [None, PROVENANCE])
def test_lossless_formats_give_the_pixels_back(image_format: ImageFormat, provenance: Provenance | None) -> None:
    for indexed in (False, True):
        data = encode_still(picture(), image_format, provenance, indexed=indexed)
        (shown,), _ = frames_of(data)
        assert np.array_equal(shown, picture())
        assert data == encode_still(picture(), image_format, provenance, indexed=indexed)


@pytest.mark.parametrize("image_format", [ImageFormat.PNG, ImageFormat.WEBP, ImageFormat.APNG])
def test_translucency_and_more_than_256_colors_survive(image_format: ImageFormat) -> None:
    array = np.random.default_rng(1).integers(0, 256, (40, 30, 4)).astype(np.uint8)
    data = encode_still(array, image_format, None, indexed=True)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")), array)


def test_an_indexed_png_keeps_translucent_palette_entries() -> None:
    array = picture(colors=200, width=40, height=40)
    array[..., 3] = np.where(array[..., 0] > 100, 120, array[..., 3])
    array[array[..., 3] == 0] = 0
    image = Image.open(io.BytesIO(encode_still(array, ImageFormat.PNG, None, indexed=True)))
    assert image.mode == "P"
    assert np.array_equal(np.asarray(image.convert("RGBA")), array)


def test_jpeg_lies_on_white() -> None:
    array = np.zeros((16, 16, 4), dtype=np.uint8)
    array[:8] = (200, 30, 30, 255)
    shown = np.asarray(Image.open(io.BytesIO(encode_still(array, ImageFormat.JPEG, None))))
    assert np.abs(shown[12].astype(int) - 255).max() < 4
    assert np.abs(shown[2].astype(int) - (200, 30, 30)).max() < 8


@settings(deadline=None)
@given(st.integers(0, 255), st.integers(0, 255))
def test_flattening_is_the_rounded_mix_with_white(color: int, alpha: int) -> None:
    result = flatten(np.array([[[color, color, color, alpha]]], dtype=np.uint8))[0, 0]
    assert abs(int(result[0]) - (color * alpha + 255 * (255 - alpha)) / 255) <= 0.5
    assert result[3] == 255


@pytest.mark.parametrize("image_format", ANIMATED)
@settings(max_examples=15, deadline=None)
@given(kinds=st.lists(st.integers(0, 2), min_size=2, max_size=6), loop=st.booleans())
def test_animations_keep_every_frame_and_duration_though_neighbours_are_equal(
    image_format: ImageFormat, kinds: Sequence[int], *, loop: bool
) -> None:
    frames = [picture(kind) for kind in kinds]
    durations = [100 + 10 * number for number in range(len(frames))]
    data = encode_animation(frames, durations, image_format, None, loop=loop)
    shown, written = frames_of(data)
    assert written == durations
    assert all(np.array_equal(one, other) for one, other in zip(shown, frames, strict=True))
    image = Image.open(io.BytesIO(data))
    if image_format is ImageFormat.GIF:
        assert image.info.get("loop") == (0 if loop else None)
        assert image.disposal_method == 2
    else:
        assert image.info["loop"] == (0 if loop else 1)


def test_formats_without_motion_are_refused() -> None:
    with pytest.raises(ValueError, match="holds no animation"):
        encode_animation([picture()], [100], ImageFormat.JPEG, None, loop=True)


def test_a_gif_is_reduced_to_256_colors_of_which_one_is_transparent() -> None:
    array = np.random.default_rng(1).integers(0, 256, (60, 60, 4)).astype(np.uint8)
    (shown,), _ = frames_of(encode_still(array, ImageFormat.GIF, None))
    assert len(np.unique(shown.reshape(-1, 4), axis=0)) <= 256
    assert np.array_equal(shown[..., 3] == 255, array[..., 3] >= 128)


@settings(deadline=None)
@given(st.lists(st.integers(17, 1000), min_size=1, max_size=60))
def test_hundredths_of_a_second_keep_the_sum(durations: list[int]) -> None:
    delays = centiseconds(durations)
    assert min(delays) >= 2
    if min(durations) >= 20:
        assert abs(sum(delays) * 10 - sum(durations)) <= 5


@pytest.mark.parametrize("image_format", list(ImageFormat))
def test_without_provenance_no_trace_is_left(image_format: ImageFormat) -> None:
    data = encode_still(picture(), image_format, None)
    marked = encode_still(picture(), image_format, PROVENANCE)
    assert b"Wonder" in marked
    for trace in (b"Wonder", b"wonder", b"stub-provider", b"xmp", b"XMP", b"tEXt", b"iTXt", b"\x21\xfe"):
        assert trace not in data


def embedded(data: bytes, image_format: ImageFormat) -> tuple[str, str]:
    """The prompt and the text that holds all facts, as common readers find them."""
    image = Image.open(io.BytesIO(data))
    match image_format:
        case ImageFormat.PNG | ImageFormat.APNG:
            assert image.info["Software"] == "Wonder"
            return image.info["Description"], image.info["wonder"]
        case ImageFormat.GIF:
            facts = image.info["comment"].decode()
            return json.loads(facts)["prompt"], facts
        case ImageFormat.WEBP | ImageFormat.JPEG:
            packet = image.info["xmp"]
            text = packet.decode()
            root = ET.fromstring(text)  # noqa: S314 (our own packet)
            return str(root.findtext(".//{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li")), text


@pytest.mark.parametrize("image_format", list(ImageFormat))
def test_common_readers_find_the_prompt_in_any_language(image_format: ImageFormat) -> None:
    prompt, facts = embedded(encode_still(picture(), image_format, PROVENANCE), image_format)
    assert prompt == PROMPT
    for fact in ("stub-provider", "model-9", "77", "模糊"):
        assert fact in facts
    for private in ("request-id-1", "12.5"):
        assert private not in facts


@pytest.mark.parametrize("image_format", list(ImageFormat))
def test_long_prompts_are_bounded(image_format: ImageFormat) -> None:
    wordy = Provenance("p" * 999, "m" * 999, None, "&龙<" * 4000, '"' * 9000, 1, 0)
    data = encode_still(picture(), image_format, wordy)
    prompt, facts = embedded(data, image_format)
    assert prompt.endswith("…")
    assert len(prompt.encode()) <= 4096
    assert len(facts.encode()) < 65_000


@pytest.mark.parametrize("image_format", ANIMATED)
def test_animations_carry_provenance_too(image_format: ImageFormat) -> None:
    data = encode_animation([picture(0), picture(1)], [50, 50], image_format, PROVENANCE, loop=True)
    assert embedded(data, image_format)[0] == PROMPT
    assert len(frames_of(data)[0]) == 2
