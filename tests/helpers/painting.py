"""What a picture model would paint, drawn by rule, so that tests judge what is made of it and not a model."""

import io
import re

import numpy as np
from PIL import Image, ImageDraw

COLORS = [(200, 60, 50), (60, 150, 220), (240, 190, 60), (120, 80, 200), (60, 170, 90), (220, 120, 60)]


def paint(prompt: str, width: int, height: int, *, transparent: bool, kind: str = "PNG") -> bytes:
    """A figure, a sheet of figures on the grid that the prompt asks for, or two textures."""
    if "two flat textures" in prompt:
        return _encoded(_textures(width, height), kind)
    ground = (0, 0, 0, 0) if transparent else _ground(prompt)
    picture = Image.new("RGBA", (width, height), ground)
    draw = ImageDraw.Draw(picture)
    columns, rows, count = _grid(prompt)
    for number in range(count):
        left, top = number % columns * width // columns, number // columns * height // rows
        _figure(draw, left, top, width // columns, height // rows, number / max(count, 1))
    return _encoded(picture, kind)


def _grid(prompt: str) -> tuple[int, int, int]:
    found = re.search(r"(\d+) columns and (\d+) rows", prompt)
    if not found:
        return 1, 1, 1
    columns, rows = int(found.group(1)), int(found.group(2))
    empty = re.search(r"The last (\d+) cells stay empty", prompt)
    return columns, rows, columns * rows - (int(empty.group(1)) if empty else 0)


def _ground(prompt: str) -> tuple[int, int, int, int]:
    found = re.search(r"plain, even \w+ \(#([0-9a-f]{6})\)", prompt)
    red, green, blue = bytes.fromhex(found.group(1)) if found else (235, 240, 245)
    return red, green, blue, 255


def _figure(draw: ImageDraw.ImageDraw, left: int, top: int, width: int, height: int, phase: float) -> None:
    """A body with a head, eyes and feet, of which the feet move with the phase."""
    middle, step = left + width / 2, width * 0.08 * np.sin(2 * np.pi * phase)
    dark, skin = (40, 30, 50, 255), (240, 205, 170, 255)
    foot = height * 0.06
    for side in (-1, 1):
        x = middle + side * width * 0.1 + side * step
        draw.rectangle((x - foot, top + height * 0.7, x + foot, top + height * 0.88), fill=dark)
    body = (middle - width * 0.2, top + height * 0.4, middle + width * 0.2, top + height * 0.75)
    draw.rectangle(body, fill=(*COLORS[0], 255), outline=dark, width=max(1, width // 64))
    draw.rectangle((body[0], body[1] + height * 0.2, body[2], body[1] + height * 0.25), fill=(*COLORS[2], 255))
    head = (middle - width * 0.15, top + height * 0.14, middle + width * 0.15, top + height * 0.42)
    draw.ellipse(head, fill=skin, outline=dark, width=max(1, width // 64))
    eye = width * 0.02
    for side in (-1, 1):
        x, y = middle + side * width * 0.06, top + height * 0.27
        draw.ellipse((x - eye, y - eye, x + eye, y + eye), fill=dark)


def _textures(width: int, height: int) -> Image.Image:
    random = np.random.default_rng(3)
    pixels = np.full((height, width, 3), (70, 140, 60), dtype=np.int16)
    pixels[:, : width // 2] = (60, 95, 190)
    pixels += random.normal(0, 11, (height, width, 1)).astype(np.int16)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).convert("RGBA")


def _encoded(picture: Image.Image, kind: str) -> bytes:
    buffer = io.BytesIO()
    (picture.convert("RGB") if kind == "JPEG" else picture).save(buffer, kind)
    return buffer.getvalue()
