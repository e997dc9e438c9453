"""The rim of a figure that was painted on a plain ground, as it is seen afterwards on any other."""

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from worker.imaging.cutout import cut_out
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba

Color = tuple[int, int, int]
KEYS = [(255, 0, 255), (0, 255, 0), (0, 0, 255)]


def painted(key: Color, fill: Color, outline: Color, quality: int) -> Pixels:
    """A ring and a thin line on a plain ground, as a model paints them: soft, and through JPEG."""
    picture = Image.new("RGB", (512, 512), key)
    draw = ImageDraw.Draw(picture)
    draw.ellipse((90, 90, 420, 420), fill=fill, outline=outline, width=8)
    draw.ellipse((200, 200, 310, 310), fill=key, outline=outline, width=8)
    draw.line((40, 470, 470, 440), fill=outline, width=5)
    file = io.BytesIO()
    picture.filter(ImageFilter.GaussianBlur(1.2)).save(file, "JPEG", quality=quality)
    return decode_rgba(file.getvalue())


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("outline", [(30, 25, 30), (240, 235, 230)])
@pytest.mark.parametrize("quality", [75, 92])
def test_nothing_of_the_ground_is_left_around_a_figure(key: Color, outline: Color, quality: int) -> None:
    cut = cut_out(painted(key, (230, 190, 90), outline, quality), key)
    seen = cut[cut[..., 3] > 100][:, :3].astype(int)
    strong = [channel for channel in range(3) if key[channel] == 255]
    weak = [channel for channel in range(3) if channel not in strong]
    tint = seen[:, strong].min(axis=1) - seen[:, weak].max(axis=1)
    assert (tint > 40).mean() < 0.001
    assert cut[256, 256, 3] == 0, "the hole"
    assert cut[0, 0, 3] == 0
    assert tuple(cut[140, 256][[3]]) == (255,)
    line = cut[440:475, 40:470]
    assert (line[..., 3] > 200).any(axis=0).mean() > (0.95 if quality > 80 else 0.8), "the thin line"


def test_the_rim_is_soft() -> None:
    cut = cut_out(painted(KEYS[0], (230, 190, 90), (230, 190, 90), 95), KEYS[0])
    alpha = cut[256, 80:110, 3].astype(int)
    assert alpha[0] == 0
    assert alpha[-1] == 255
    assert ((alpha > 20) & (alpha < 235)).any()
    assert (np.diff(alpha) >= 0).all()


def test_a_hard_edge_stays_as_it_is() -> None:
    picture = np.zeros((64, 64, 4), dtype=np.uint8)
    picture[:] = (255, 0, 255, 255)
    picture[20:40, 20:40] = (20, 20, 30, 255)
    picture[21:39, 21:39] = (200, 60, 50, 255)
    cut = cut_out(picture, KEYS[0])
    assert np.array_equal(cut[20:40, 20:40], picture[20:40, 20:40])
    assert not cut[:20].any()
