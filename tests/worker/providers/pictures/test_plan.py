"""Which pictures are asked for."""

import pytest

from domain.styles import Style
from tests.helpers.requests import make_request
from tests.helpers.stub import sprite
from worker.providers.pictures.plan import following, grid_of, key_color, plan_shots
from worker.providers.pictures.shot import Traits

PLAIN = Traits()
FULL = Traits(transparency=True, seeds=True, edits=True, references=3)


@pytest.mark.parametrize("asset_type", ["SPRITE", "ICON", "UI", "PORTRAIT", "BACKGROUND"])
def test_one_picture_is_one_shot_in_its_proportions(asset_type: str) -> None:
    request = make_request(asset_type)
    [shot] = plan_shots(request, FULL)
    assert (shot.width, shot.height, shot.grid) == (request.params.width, request.params.height, None)
    assert shot.prompt == request.prompt
    assert shot.transparent == request.params.transparent


def test_where_the_model_leaves_no_background_out_a_plain_one_is_asked_for() -> None:
    [shot] = plan_shots(make_request("SPRITE"), PLAIN)
    assert "Transparent background" not in shot.prompt
    assert "plain, even magenta (#ff00ff)" in shot.prompt
    assert not shot.transparent
    assert "background" not in shot.negative_prompt.split(", ")
    [opaque] = plan_shots(make_request("BACKGROUND"), PLAIN)
    assert "magenta" not in opaque.prompt


@pytest.mark.parametrize(
    ("subject", "palette", "name"),
    [
        ("a knight", (), "magenta"),
        ("a pink slime", (), "blue"),
        ("a purple robe", (), "green"),
        ("a knight", ("#f010e0",), "green"),
        ("一棵粉色的树", (), "blue"),
        ("a knight", ("#ff00ff", "#00ff00", "#0000ff"), "magenta"),
    ],
)
def test_the_background_is_far_from_the_subject(subject: str, palette: tuple[str, ...], name: str) -> None:
    assert key_color(make_request("SPRITE", subject, style=Style(palette=palette)))[0] == name


def test_a_sheet_is_one_picture_for_each_animation() -> None:
    shots = plan_shots(make_request("SPRITESHEET", animations=(("walk", 6), ("jump", 3))), FULL)
    assert [(shot.grid.animation, shot.grid.count) for shot in shots if shot.grid] == [("walk", 6), ("jump", 3)]
    assert "all 6 frames of the animation 'walk', evenly in 3 columns and 2 rows" in shots[0].prompt
    assert (shots[0].width, shots[0].height) == (192, 128)


def test_a_long_animation_is_split() -> None:
    shots = plan_shots(make_request("SPRITESHEET", animations=(("dance", 40),)), FULL)
    assert [(shot.grid.first, shot.grid.count) for shot in shots if shot.grid] == [(0, 16), (16, 16), (32, 8)]
    assert "frames 17 to 32 of the animation 'dance'" in shots[1].prompt


def test_a_whole_sheet_may_be_put_into_one_picture() -> None:
    [shot] = plan_shots(make_request("SPRITESHEET", animations=(("walk", 4), ("jump", 3))), FULL, single=True)
    assert shot.grid is not None
    assert shot.grid.count == 7


@pytest.mark.parametrize(
    ("count", "width", "height", "grid"),
    [
        (1, 64, 64, (1, 1)),
        (2, 64, 64, (2, 1)),
        (4, 64, 64, (2, 2)),
        (6, 64, 64, (3, 2)),
        (8, 64, 64, (4, 2)),
        (8, 32, 128, (8, 1)),
        (16, 64, 64, (4, 4)),
        (5, 64, 64, (3, 2)),
    ],
)
def test_grids_are_as_square_as_can_be(count: int, width: int, height: int, grid: tuple[int, int]) -> None:
    assert grid_of(count, width, height) == grid


def test_empty_cells_are_told() -> None:
    [shot] = plan_shots(make_request("SPRITESHEET", animations=(("walk", 5),)), FULL)
    assert "The last 1 cells stay empty." in shot.prompt


def test_later_pictures_of_a_sheet_show_the_first_one_where_the_model_looks_at_it() -> None:
    request = make_request("SPRITESHEET", animations=(("walk", 4), ("jump", 3)), references=(b"a", b"b", b"c"))
    shots = plan_shots(request, FULL)
    assert shots[1].references == (b"a", b"b", b"c")
    [later] = following(shots[1:], b"first", FULL)
    assert later.references == (b"a", b"b", b"first")
    assert "this very character" in later.prompt
    assert following(shots[1:], b"first", PLAIN) == shots[1:]


def test_a_tileset_is_two_grounds_side_by_side() -> None:
    [shot] = plan_shots(make_request("TILESET", "grass and water"), FULL)
    assert (shot.width, shot.height) == (1024, 512)
    assert "two flat textures side by side" in shot.prompt


def test_sources_and_references_go_only_to_models_that_look_at_them() -> None:
    request = make_request("SPRITE", source=sprite(1), references=(b"a",) * 8)
    [shot] = plan_shots(request, FULL)
    assert (shot.source, len(shot.references)) == (sprite(1), 3)
    assert "The first picture is the subject" in shot.prompt
    [blind] = plan_shots(request, PLAIN)
    assert (blind.source, blind.references) == (None, ())
