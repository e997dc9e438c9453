from collections.abc import Callable
from dataclasses import replace

import pytest

from domain.styles import Style
from worker.artifacts import GenerationRequest
from worker.providers.builtin.reading import Reading, read
from worker.providers.builtin.render import render

Ask = Callable[..., GenerationRequest]
RED, GREEN, BLUE, PURPLE, BLACK, WHITE, GOLD = (
    *("#c8323a", "#4fa63c", "#3a68c8", "#8a4cc0"),
    *("#34343e", "#eeeae0", "#f0c53c"),
)


def understand(text: str) -> Reading:
    return read(text, Style())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a purple dragon breathing fire", "dragon"),
        ("会喷火的紫色巨龙", "dragon"),
        ("a skeleton archer", "skeleton"),
        ("骷髅弓箭手", "skeleton"),
        ("a skeleton warrior with a rusty axe", "skeleton"),
        ("goblin king", "goblin"),
        ("a zombie pirate", "zombie"),
        ("dragon hunter", "archer"),
        ("一只戴皇冠的青蛙", "frog"),
        ("青蛙戴着金色的皇冠", "frog"),
        ("穿黑色盔甲、拿金色长剑的骑士", "knight"),
        ("一个骑士,穿着黑色的盔甲", "knight"),
        ("拿着剑和盾的骑士", "knight"),
        ("站在城堡前的骑士", "knight"),
        ("骑士的剑", "sword"),
        ("the king's crown", "crown"),
        ("a mushroom house", "house"),
        ("a cat wearing armor, holding a spear", "cat"),
        ("with a shield in hand, a wolf", "wolf"),
        ("白胡子老爷爷", "villager"),
        ("a young elf woman with green hair", "elf"),
        ("a red racing car", "car"),
        ("statue of a knight", "statue"),
    ],
)
def test_the_head_noun_wins(text: str, kind: str) -> None:
    assert understand(text).kind == kind


@pytest.mark.parametrize(
    ("text", "own", "parts"),
    [
        ("an old wizard with a white beard and a purple hat", (), {"beard": WHITE, "hat": PURPLE}),
        ("a woman with long red hair", (), {"hair": RED}),
        ("红色长发的女人", (), {"hair": RED}),
        ("a knight in black armor with a golden sword", (), {"armor": BLACK, "weapon": GOLD}),
        ("穿黑色盔甲、拿金色长剑的骑士", (), {"armor": BLACK, "weapon": GOLD}),
        ("红发女海盗,戴眼罩", (), {"hair": RED}),
        ("a red dragon with green wings", (RED,), {"wings": GREEN}),
        ("a red and blue robot", (RED, BLUE), {}),
        ("头发是红色的女人", (), {"hair": RED}),
        ("a purple dragon breathing fire", (PURPLE,), {}),
        ("一只戴皇冠的青蛙", (), {}),
    ],
)
def test_colours_belong_to_the_noun_they_stand_before(text: str, own: tuple[str, ...], parts: dict[str, str]) -> None:
    reading = understand(text)
    assert reading.colors == own
    assert {role: reading.worn[role].color for role in parts} == parts


def test_what_a_class_holds_goes_to_the_body_that_has_it() -> None:
    assert understand("a skeleton archer").held == "bow"
    assert understand("骷髅法师").held == "staff"
    assert understand("a skeleton warrior with a rusty axe").held == "axe"


def test_what_the_text_denies_is_absent() -> None:
    assert understand("a knight without a shield").absent == {"shield"}
    assert understand("没有胡子的国王").absent == {"beard"}


@pytest.mark.parametrize(
    ("subject", "negative"),
    [
        ("a viking with a shield", "shield"),
        ("拿着盾的骑士", "盾牌"),
        ("knight", "sword, blurry"),
        ("knight", "头盔"),
        ("wizard", "hat"),
        ("dwarf", "胡子"),
        ("an angel", "wings"),
        ("a king", "皇冠"),
        ("vampire", "披风"),
    ],
)
def test_a_negative_prompt_takes_parts_away(ask: Ask, subject: str, negative: str) -> None:
    request = ask("SPRITE", subject)
    assert render(replace(request, negative_prompt=negative)).pictures != render(request).pictures


def test_a_negative_prompt_does_not_take_the_subject_away(ask: Ask) -> None:
    request = ask("SPRITE", "golden sword")
    assert render(replace(request, negative_prompt="sword")).pictures == render(request).pictures


@pytest.mark.parametrize(
    ("art", "most"),
    [("1-bit", 2), ("black and white", 2), ("monochrome", 2), ("黑白", 2), ("gameboy", 4), ("Game Boy", 4)],
)
def test_styles_of_few_colours_have_few_colours(ask: Ask, art: str, most: int) -> None:
    colors = render(ask("SPRITE", "red knight", style=Style(art_style=art))).details["palette"]
    assert isinstance(colors, list)
    assert 2 <= len(colors) <= most


@pytest.mark.parametrize("part", ["hair", "beard", "hat", "armor", "cape", "skin", "eyes", "boots", "sword", "shield"])
def test_every_part_takes_its_colour(ask: Ask, part: str) -> None:
    pictures = {
        render(ask("SPRITE", f"a viking with a {color} {part}", width=128, height=128)).pictures[0].data
        for color in ("red", "green")
    }
    assert len(pictures) == 2


@pytest.mark.parametrize("creature", ["dragon", "bat"])
def test_wings_of_creatures_take_their_colour(ask: Ask, creature: str) -> None:
    words = [f"a red {creature} with {color} wings" for color in ("green", "blue")]
    pictures = [render(ask("SPRITE", text)).details["palette"] for text in words]
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("creature", ["frog", "slime", "cat", "dragon", "robot"])
def test_a_crown_is_worn_on_the_head_of_what_it_is_not(ask: Ask, creature: str) -> None:
    crowned = render(ask("SPRITE", f"a {creature} wearing a crown"))
    assert crowned.details["subject"] == creature
    request = replace(ask("SPRITE", f"a {creature} wearing a crown"), negative_prompt="crown")
    assert render(request).pictures != crowned.pictures


def test_women_have_no_beards_and_knights_may_show_their_hair(ask: Ask) -> None:
    pictures = {
        seed: [
            render(replace(ask("SPRITE", "a female pirate captain", seed=seed), negative_prompt=negative)).pictures
            for negative in ("", "beard")
        ]
        for seed in range(4)
    }
    assert all(one == two for one, two in pictures.values())
