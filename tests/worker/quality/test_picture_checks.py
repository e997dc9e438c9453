"""Each check of a single picture finds the fault that it is for, says so in numbers, and lets good pictures pass."""

import numpy as np
import pytest

from domain.kinds import AssetType
from domain.styles import Style
from tests.helpers.stub import blank
from tests.helpers.verdicts import GOOD, failed, noise, opaque, picture, verdicts
from worker.artifacts import Picture
from worker.imaging.indexed import Pixels
from worker.imaging.resize import resize


def test_an_empty_picture_is_called_empty() -> None:
    found = verdicts(Picture(blank(), 64, 64))
    assert "emptiness" in failed(found)
    assert "almost empty" in found["emptiness"].reason


def test_a_speck_is_almost_empty() -> None:
    speck = np.zeros((64, 64, 4), np.uint8)
    speck[30:36, 30:36] = GOOD[30:36, 24:30]
    found = verdicts(picture(speck))
    assert "emptiness" in failed(found)
    assert "0.9%" in found["emptiness"].reason


def test_a_flat_color_has_nothing_in_it() -> None:
    flat = np.full((360, 640, 4), (40, 80, 120, 255), np.uint8)
    found = verdicts(picture(flat), asset_type=AssetType.BACKGROUND)
    assert failed(found) == {"emptiness", "detail", "contrast"}
    assert "one flat color" in found["emptiness"].reason


def test_two_plain_halves_have_too_little_detail_and_a_gradient_has_enough() -> None:
    halves = np.zeros((64, 64, 4), np.uint8)
    halves[2:32, 2:62], halves[32:62, 2:62] = (60, 60, 90, 255), (118, 118, 150, 255)
    found = verdicts(picture(halves), asset_type=AssetType.ICON)
    assert failed(found) == {"detail"}
    assert "neighbouring colors" in found["detail"].reason
    heart = np.zeros((64, 64, 4), np.uint8)
    heart[8:56, 8:56], heart[14:26, 14:26] = (200, 40, 50, 255), (255, 200, 200, 255)
    assert failed(verdicts(picture(heart), asset_type=AssetType.ICON)) == set(), "flat art is art"
    sky = opaque(np.linspace(20, 230, 360)[:, None, None] * np.ones((1, 640, 3)))
    assert failed(verdicts(picture(sky), asset_type=AssetType.BACKGROUND)) == set()


def test_the_size_is_exact_and_the_reason_names_both() -> None:
    found = verdicts(picture(GOOD[:60]))
    assert "size" in failed(found)
    assert "64 x 64" in found["size"].reason
    assert "64 x 60" in found["size"].reason


def test_tiles_have_the_size_of_a_tile() -> None:
    tile = opaque(noise(32, 2, 1, wraps=True))
    assert "size" not in failed(verdicts(picture(tile), asset_type=AssetType.TILESET, tile_size=32))
    assert "size" in failed(verdicts(picture(tile), asset_type=AssetType.TILESET, tile_size=16))


def filled(color: tuple[int, int, int]) -> Pixels:
    result = GOOD.copy()
    result[result[..., 3] == 0] = (*color, 255)
    return result


def test_an_opaque_background_is_found_where_transparency_was_asked_for() -> None:
    found = verdicts(picture(filled((255, 255, 255))))
    assert failed(found) == {"transparency"}
    assert "4 of 4 corners" in found["transparency"].reason
    assert failed(verdicts(picture(filled((255, 255, 255))), transparent=False)) == set()


def test_opaque_corners_are_found() -> None:
    cornered = GOOD.copy()
    cornered[:8, :8] = cornered[:8, -8:] = cornered[-8:, :8] = (90, 90, 90, 255)
    found = verdicts(picture(cornered))
    assert failed(found) == {"transparency"}
    assert "3 of 4 corners" in found["transparency"].reason


def test_a_background_with_a_thin_clear_border_is_a_background() -> None:
    scene = filled((120, 170, 90)).repeat(2, axis=0).repeat(2, axis=1)
    scene[0] = scene[-1] = scene[:, 0] = scene[:, -1] = 0
    assert failed(verdicts(picture(scene), width=128, height=128)) == {"transparency"}


def test_an_icon_may_have_a_frame_with_round_corners_and_a_sprite_may_not() -> None:
    y, x = np.mgrid[0:64, 0:64] - 31.5
    framed = filled((214, 196, 150))
    framed[np.maximum(np.abs(x) - 22, 0) ** 2 + np.maximum(np.abs(y) - 22, 0) ** 2 > 100] = 0
    assert failed(verdicts(picture(framed), asset_type=AssetType.ICON)) == set()
    assert failed(verdicts(picture(framed))) == {"transparency"}


def test_holes_are_found_where_an_opaque_picture_was_asked_for() -> None:
    found = verdicts(picture(GOOD), transparent=False)
    assert failed(found) == {"opacity"}
    assert "%" in found["opacity"].reason


def rim(array: Pixels, color: tuple[int, int, int, int]) -> Pixels:
    """The picture with a ring one pixel wide around what is visible."""
    alpha = array[..., 3] > 0
    grown = alpha.copy()
    for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        grown |= np.roll(alpha, (y, x), (0, 1))
    result = array.copy()
    result[grown & ~alpha] = color
    return result


@pytest.mark.parametrize("factor", [1, 4, 16])
def test_a_white_halo_is_a_fringe_at_any_size_and_a_soft_edge_is_not(factor: int) -> None:
    large = GOOD.repeat(factor, axis=0).repeat(factor, axis=1)
    side = 64 * factor
    halo = verdicts(picture(rim(large, (255, 255, 255, 120))), width=side, height=side)
    assert failed(halo) == {"fringe"}
    assert "outline" in halo["fringe"].reason
    assert failed(verdicts(picture(rim(large, (20, 16, 32, 120))), width=side, height=side)) == set()


@pytest.mark.parametrize("side", [20, 40, 100])
def test_smoothly_scaled_edges_are_no_fringe(side: int) -> None:
    assert failed(verdicts(picture(resize(GOOD, side, side)), width=side, height=side)) == set()


def test_a_glow_is_no_fringe_and_a_green_screen_leaves_one() -> None:
    y, x = np.mgrid[0:64, 0:64]
    away = np.hypot(x - 32, y - 37) - 18
    ball = np.zeros((64, 64, 4), np.uint8)
    ball[away < 0] = (90, 60, 40, 255)
    ball[(away < -6) & (x < 32)] = (190, 150, 110, 255)
    glowing, keyed = ball.copy(), ball.copy()
    glowing[away >= 0, :3] = (255, 210, 120)
    glowing[away >= 0, 3] = np.clip(180 - 14 * away[away >= 0], 0, 180)
    assert failed(verdicts(picture(glowing))) == set()
    keyed[(away >= 0) & (away < 1.2)] = (40, 200, 50, 110)
    assert failed(verdicts(picture(keyed))) == {"fringe"}


def test_shades_that_cannot_be_told_apart_have_too_little_contrast() -> None:
    dull = GOOD.copy()
    seen = dull[..., 3] > 0
    dull[seen, :3] = 120 + dull[seen, :3] // 12
    found = verdicts(picture(dull))
    assert "contrast" in failed(found)
    assert "0.14 is the least" in found["contrast"].reason


def test_what_must_be_read_at_a_glance_needs_more_contrast() -> None:
    greyish = GOOD.copy()
    seen = greyish[..., 3] > 0
    greyish[seen, :3] = 60 + greyish[seen, :3].mean(axis=1, keepdims=True) / 3.5
    assert failed(verdicts(picture(greyish))) == set()
    assert failed(verdicts(picture(greyish), asset_type=AssetType.ICON)) == {"contrast"}


def test_hues_of_one_lightness_can_be_told_apart() -> None:
    tiles = []
    for index, color in enumerate(((239, 125, 87), (93, 181, 93))):
        tile = opaque(np.full((32, 32, 3), color, np.float64))
        tile[5:9, 5:9] = (tile[0, 0] * 0.95).astype(np.uint8) | np.array([0, 0, 0, 255], np.uint8)
        tiles.append(picture(tile, f"{index}", None, index))
    assert "contrast" not in failed(verdicts(*tiles, asset_type=AssetType.TILESET))


def own_palette() -> tuple[str, ...]:
    return tuple(sorted({"#" + bytes(color[:3].tolist()).hex() for color in GOOD[GOOD[..., 3] > 0]}))


def test_colors_are_held_against_the_styles_palette() -> None:
    found = verdicts(picture(GOOD), style=Style(palette=own_palette()))
    assert failed(found) == set()
    assert found["palette"].score == 1
    other = verdicts(picture(GOOD), style=Style(palette=("#ff00ff", "#ffff00")))
    assert failed(other) == {"palette"}
    assert "instead of #" in other["palette"].reason
    assert "palette" not in verdicts(picture(GOOD)), "without a palette there is nothing to compare"
    assert "palette" not in verdicts(picture(GOOD), style=Style(palette=("#ff00ff00",)))


def test_shades_near_the_palette_fit_and_invisible_pixels_do_not_count() -> None:
    shaded = GOOD.copy()
    shaded[..., :3] = np.clip(shaded[..., :3].astype(int) + 6, 0, 255)
    shaded[shaded[..., 3] == 0, :3] = (255, 0, 255)
    assert failed(verdicts(picture(shaded), style=Style(palette=own_palette()))) == set()


def test_a_tenth_in_a_glaring_color_is_found() -> None:
    glaring = filled((20, 16, 32))
    glaring[:10] = (0, 255, 0, 255)
    palette = own_palette()
    assert failed(verdicts(picture(filled((20, 16, 32))), transparent=False, style=Style(palette=palette))) == set()
    found = verdicts(picture(glaring), transparent=False, style=Style(palette=palette))
    assert failed(found) == {"palette"}
    assert "instead of #00ff00" in found["palette"].reason
