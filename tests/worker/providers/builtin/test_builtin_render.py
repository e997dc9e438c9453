import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from domain.kinds import AssetType
from domain.params import Animation
from domain.styles import Style
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.builtin.lexicon.subjects import ENTRIES, Entry, Family
from worker.providers.builtin.render import render

Ask = Callable[..., GenerationRequest]
Decode = Callable[[GenerationResult], list[NDArray[np.uint8]]]
STILLS = ("SPRITE", "SPRITESHEET", "TILESET", "ICON", "BACKGROUND", "PORTRAIT", "UI")
SIZED = tuple(name for name in STILLS if name != "TILESET")
LIVING = (Family.PERSON, Family.CREATURE)
PICO = ("#000000", "#1d2b53", "#7e2553", "#008751", "#ab5236", "#c2c3c7", "#fff1e8", "#ff004d", "#ffa300", "#29adff")


def small(ask: Ask, asset_type: str, subject: str, **more: Any) -> GenerationRequest:
    """Ask for a picture that is drawn fast."""
    if asset_type == "SPRITESHEET":
        more["animations"] = (Animation("walk", 3), Animation("cast", 2))
    if asset_type in ("BACKGROUND", "UI"):
        more |= {"width": 96, "height": 54}
    return ask(asset_type, subject, **more)


def data_of(result: GenerationResult) -> list[bytes]:
    return [picture.data for picture in result.pictures]


@pytest.mark.parametrize("asset_type", STILLS)
def test_the_same_request_gives_the_same_bytes(ask: Ask, asset_type: str) -> None:
    request = ask(asset_type, "red knight with a sword")
    other_words = replace(request, task_id="tsk_2", prompt="something else", corrections=("too dark",))
    assert data_of(render(request)) == data_of(render(other_words))


def test_another_process_gives_the_same_bytes(ask: Ask) -> None:
    requests = [ask(asset_type, "蓝色史莱姆") for asset_type in STILLS]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        results = list(pool.map(render, requests))
    assert [data_of(result) for result in results] == [data_of(render(request)) for request in requests]


@pytest.mark.parametrize("asset_type", STILLS)
@pytest.mark.parametrize("subject", ["forest knight", "nobody knows this wrzlbrmft"])
def test_other_seeds_give_other_pictures(ask: Ask, asset_type: str, subject: str) -> None:
    pictures = {b"".join(data_of(render(small(ask, asset_type, subject, seed=seed)))) for seed in range(3)}
    assert len(pictures) >= 2


def test_the_seed_is_echoed_and_the_provider_says_what_it_is(ask: Ask) -> None:
    result = render(ask("SPRITE", "crimson dragon", seed=99))
    assert (result.provider, result.model, result.seed) == ("builtin", "procedural-1", 99)
    assert result.details["procedural"] is True
    assert result.details["subject"] == "dragon"
    assert result.details["recognised"] is True
    assert pickle.loads(pickle.dumps(result)).details == result.details  # noqa: S301 (our own bytes)


@pytest.mark.parametrize("asset_type", SIZED)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(width=st.integers(16, 260), height=st.integers(16, 260))
def test_pictures_have_exactly_the_size_asked_for(
    ask: Ask, pixels: Decode, asset_type: str, width: int, height: int
) -> None:
    animations = (Animation("walk", 2),) if asset_type == "SPRITESHEET" else None
    request = ask(asset_type, "wizard in the forest", width=width, height=height, animations=animations)
    arrays = pixels(render(request))
    assert {array.shape for array in arrays} == {(height, width, 4)}


@pytest.mark.parametrize("art", ["pixel art", "flat vector", "hand-painted"])
@pytest.mark.parametrize("size", [(16, 16), (2048, 31), (17, 1999)])
def test_extreme_sizes_come_out_in_every_art_style(ask: Ask, pixels: Decode, art: str, size: tuple[int, int]) -> None:
    width, height = size
    for asset_type in ("SPRITE", "BACKGROUND", "UI"):
        request = ask(asset_type, "castle", style=Style(art_style=art), width=width, height=height)
        (array,) = pixels(render(request))
        assert array.shape == (height, width, 4)
        assert array[..., 3].any()


@pytest.mark.parametrize("asset_type", ["SPRITE", "ICON", "SPRITESHEET"])
@pytest.mark.parametrize("subject", ["knight", "dragon", "sword", "castle", "ghost", "unheard-of thing"])
def test_transparent_pictures_have_hard_edges_and_free_borders(
    ask: Ask, pixels: Decode, asset_type: str, subject: str
) -> None:
    for array in pixels(render(ask(asset_type, subject, transparent=True))):
        alpha = array[..., 3]
        assert set(np.unique(alpha)) <= {0, 255}
        assert not np.concatenate((alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1])).any()
        assert 0.04 < (alpha > 0).mean() < 0.9
        assert not array[alpha == 0].any()


@pytest.mark.parametrize("asset_type", STILLS)
def test_opaque_pictures_have_no_hole(ask: Ask, pixels: Decode, asset_type: str) -> None:
    for array in pixels(render(ask(asset_type, "golden potion", transparent=False))):
        assert (array[..., 3] == 255).all()


@pytest.mark.parametrize("art", ["pixel art", "hand-painted"])
@pytest.mark.parametrize("asset_type", STILLS)
@pytest.mark.parametrize("palette", [PICO, ("#123456",)])
def test_with_a_palette_no_other_colour_is_used(
    ask: Ask, pixels: Decode, art: str, asset_type: str, palette: tuple[str, ...]
) -> None:
    style = Style(art_style=art, palette=palette)
    for transparent in (True, False):
        result = render(small(ask, asset_type, "wizard castle", style=style, transparent=transparent))
        for array in pixels(result):
            seen = array[array[..., 3] > 0][:, :3]
            assert {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.unique(seen, axis=0)} <= set(palette)
        assert set(result.details["palette"]) <= set(palette)  # type: ignore[call-overload]


def test_art_styles_look_different(ask: Ask, pixels: Decode) -> None:
    arts = ("pixel art", "8-bit", "flat vector", "cartoon", "hand-painted")
    arrays = [
        pixels(render(ask("SPRITE", "knight", style=Style(art_style=art), width=128, height=128)))[0] for art in arts
    ]
    assert len({array.tobytes() for array in arrays}) == len(arts)
    pixel, smooth = arrays[0], arrays[2]
    assert set(np.unique(pixel[..., 3])) == {0, 255}
    assert len(np.unique(smooth[..., 3])) > 4


def test_the_words_colour_the_subject(ask: Ask, pixels: Decode) -> None:
    means = {}
    for word in ("red", "绿色", "blue"):
        (array,) = pixels(render(ask("SPRITE", f"{word} slime")))
        means[word] = array[array[..., 3] > 0][:, :3].mean(axis=0)
    assert [int(means[word].argmax()) for word in ("red", "绿色", "blue")] == [0, 1, 2]


@pytest.mark.parametrize(
    "subject",
    [
        "🦄🌈👩‍👩‍👧",
        "שלום עולם",
        "\u202eevil\u202c",
        ".",
        "\u200b",
        "﷽",
        "a" * 4000,
        "剑" * 400,
        "%s {0} \\ \" '",
        "sword\nshield",
    ],
)
@pytest.mark.parametrize("asset_type", STILLS)
def test_any_text_is_drawn(ask: Ask, pixels: Decode, asset_type: str, subject: str) -> None:
    arrays = pixels(render(small(ask, asset_type, subject)))
    assert all(array[..., 3].any() for array in arrays)


def test_what_is_not_understood_is_drawn_and_admitted(ask: Ask, pixels: Decode) -> None:
    result = render(ask("SPRITE", "wrzlbrmft"))
    assert result.details["recognised"] is False
    assert len(np.unique(pixels(result)[0].reshape(-1, 4), axis=0)) > 5


def test_a_video_is_no_still_picture(ask: Ask) -> None:
    request = replace(ask("SPRITE", "knight"), asset_type=AssetType.VIDEO)
    with pytest.raises(ValueError, match="not a still picture"):
        render(request)


def test_every_kind_is_drawn_and_looks_like_no_other(ask: Ask, pixels: Decode) -> None:
    seen: dict[bytes, str] = {}
    for kind, word in {entry.kind: entry.english[0] for entry in ENTRIES}.items():
        result = render(ask("SPRITE", word, width=48, height=48))
        (array,) = pixels(result)
        assert result.details["subject"] == kind
        assert (array[..., 3] > 0).mean() > 0.05, kind
        assert seen.setdefault(result.pictures[0].data, kind) == kind


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.family in LIVING], ids=lambda entry: entry.english[0])
def test_everybody_alive_strikes_and_falls(ask: Ask, pixels: Decode, entry: Entry) -> None:
    animations = (Animation("attack", 4, loop=False), Animation("death", 3, loop=False))
    arrays = pixels(render(ask("SPRITESHEET", entry.english[0], animations=animations)))
    assert len({array.tobytes() for array in arrays}) >= 5
    assert all((array[..., 3] > 0).mean() > 0.04 for array in arrays)
