"""What the built-in generator draws is good art, so the checks let it pass: a threshold that does not is wrong."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

import pytest

from domain.kinds import AssetType, task_kind
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest
from worker.providers.builtin.film.render import render_film
from worker.providers.builtin.render import render
from worker.quality.measure import QualitySubject, measure

SUBJECTS: Final[Mapping[AssetType, tuple[str, ...]]] = {
    AssetType.SPRITE: ("green slime", "knight with a sword", "red dragon", "wooden chest", "oak tree", "蓝色史莱姆"),
    AssetType.SPRITESHEET: ("green slime", "knight with a sword", "red dragon", "ghost", "robot", "黑色狼"),
    AssetType.ICON: ("health potion", "iron sword", "gold coin", "fire spell", "shield", "蘑菇"),
    AssetType.TILESET: ("grass and water", "stone dungeon", "sand and sea", "snow and ice", "lava cave", "森林"),
    AssetType.BACKGROUND: ("forest at night", "castle on a hill", "desert", "city", "space", "海边"),
    AssetType.PORTRAIT: ("old wizard", "knight", "elf queen", "pirate", "robot", "女巫"),
    AssetType.VIDEO: ("red dragon over mountains", "knight in a forest", "city at night", "storm", "space", "海边"),
    AssetType.UI: ("wooden button", "stone panel", "blue health bar", "golden frame", "dialog box", "按钮"),
}
SEEDS: Final = (1, 2, 3)
#: Least share of results that pass every check at the first try.
FLOOR: Final = 0.95
PALETTE: Final = (
    *("#1a1c2c", "#5d275d", "#b13e53", "#ef7d57", "#ffcd75", "#a7f070", "#38b764", "#257179"),
    *("#29366f", "#3b5dc9", "#41a6f6", "#73eff7", "#f4f4f4", "#94b0c2", "#566c86", "#333c57"),
)


def faults(asset_type: AssetType, subject: str, seed: int, style: Style, wanted: ParamsRequest) -> Iterator[str]:
    params = resolve_params(asset_type, wanted)
    kind = task_kind(asset_type, has_source_image=False)
    draw = render_film if asset_type is AssetType.VIDEO else render
    result = draw(GenerationRequest("task", asset_type, kind, subject, subject, "", style, params, seed))
    for verdict in measure(QualitySubject(asset_type, params, style, result.pictures, result.details, result.clip)):
        if not verdict.passed:
            yield f"{subject} {seed} {verdict.name}: {verdict.reason}"


def passing(asset_type: AssetType, style: Style, wanted: ParamsRequest) -> tuple[float, list[str]]:
    found = [[*faults(asset_type, *case, style, wanted)] for case in product(SUBJECTS[asset_type], SEEDS)]
    assert len(found) == 18
    return sum(not case for case in found) / len(found), [fault for case in found for fault in case]


@pytest.mark.parametrize("asset_type", SUBJECTS)
def test_nearly_everything_the_built_in_generator_draws_passes(asset_type: AssetType) -> None:
    small = ParamsRequest(width=256, height=144, duration_seconds=1.0) if asset_type is AssetType.VIDEO else None
    share, reasons = passing(asset_type, Style(), small or ParamsRequest())
    assert share >= FLOOR, reasons


@pytest.mark.parametrize("asset_type", [AssetType.SPRITE, AssetType.ICON, AssetType.TILESET])
def test_it_passes_in_a_given_palette_too(asset_type: AssetType) -> None:
    share, reasons = passing(asset_type, Style(palette=PALETTE), ParamsRequest())
    assert share >= FLOOR, reasons


@pytest.mark.parametrize("side", [64, 200])
def test_its_seamless_pictures_pass(side: int) -> None:
    share, reasons = passing(AssetType.BACKGROUND, Style(), ParamsRequest(width=side, height=side, seamless=True))
    assert share >= FLOOR, reasons
