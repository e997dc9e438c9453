import io
from collections.abc import Awaitable, Callable
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from domain.kinds import AssetType, TaskKind
from domain.styles import Style
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Provider, ProviderError
from worker.providers.builtin.film.render import render_film
from worker.providers.builtin.provider import BuiltinProvider
from worker.providers.builtin.render import render

A = TypeVar("A")
R = TypeVar("R")
Ask = Callable[..., GenerationRequest]
Decode = Callable[[GenerationResult], list[NDArray[np.uint8]]]
PALETTE = ("#102030", "#f0e0d0", "#c03040")


async def run_here(function: Callable[[A], R], argument: A, /) -> R:
    return function(argument)


def progress_into(seen: list[float]) -> Callable[[float], Awaitable[None]]:
    async def report(share: float) -> None:
        seen.append(share)

    return report


@pytest.fixture
def source() -> bytes:
    array = np.zeros((90, 70, 4), dtype=np.uint8)
    array[15:75, 12:58] = (200, 60, 70, 255)
    array[30:40, 20:50] = (240, 220, 40, 255)
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "PNG")
    return buffer.getvalue()


async def test_it_draws_in_the_pool_and_reports_progress(ask: Ask) -> None:
    provider: Provider = BuiltinProvider(run_here)
    seen: list[float] = []
    result = await provider.generate(ask("SPRITE", "knight"), progress_into(seen))
    assert result == render(ask("SPRITE", "knight"))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_it_makes_everything_from_words_and_whole_pictures_from_pictures() -> None:
    provider = BuiltinProvider(run_here)
    assert (provider.name, provider.model) == ("builtin", "procedural-1")
    assert provider.capabilities.asset_types == set(AssetType)
    assert provider.capabilities.kinds == set(TaskKind)
    assert not provider.capabilities.covers(TaskKind.IMAGE_TO_IMAGE, AssetType.SPRITESHEET)
    assert not provider.capabilities.asynchronous


async def test_a_video_is_a_clip_and_no_picture(ask: Ask) -> None:
    request = ask("VIDEO", "knight", width=64, height=64, duration_seconds=0.5, fps=8)
    seen: list[float] = []
    result = await BuiltinProvider(run_here).generate(request, progress_into(seen))
    assert result == render_film(request)
    assert (result.pictures, seen[-1]) == ((), 1.0)


@pytest.mark.parametrize("broken", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n garbage"])
@pytest.mark.parametrize("asset_type", ["SPRITE", "VIDEO"])
async def test_a_source_that_cannot_be_read_is_refused_for_good(ask: Ask, asset_type: str, broken: bytes) -> None:
    with pytest.raises(ProviderError) as caught:
        await BuiltinProvider(run_here).generate(ask(asset_type, "knight", source=broken), progress_into([]))
    assert (caught.value.code, caught.value.retryable) == ("UNREADABLE_SOURCE", False)


@pytest.mark.parametrize("asset_type", ["SPRITE", "ICON", "PORTRAIT", "BACKGROUND", "UI", "SPRITESHEET", "TILESET"])
@pytest.mark.parametrize("transparent", [True, False])
def test_a_picture_is_redrawn_in_the_style(
    ask: Ask, pixels: Decode, source: bytes, asset_type: str, *, transparent: bool
) -> None:
    style = Style(art_style="pixel art", palette=PALETTE)
    request = ask(asset_type, "knight", style=style, source=source, transparent=transparent)
    result = render(request)
    for array in pixels(result):
        seen = array[array[..., 3] > 0][:, :3]
        assert {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.unique(seen, axis=0)} <= set(PALETTE)
        assert set(np.unique(array[..., 3])) <= ({0, 255} if transparent else {255})
    assert [picture.data for picture in render(request).pictures] == [picture.data for picture in result.pictures]


def test_a_redrawn_picture_keeps_its_shape(ask: Ask, pixels: Decode, source: bytes) -> None:
    (array,) = pixels(render(ask("SPRITE", "knight", source=source, width=64, height=64)))
    rows, columns = np.nonzero(array[..., 3])
    assert rows.min() > 5
    assert columns.min() > 8
    assert array[32, 32, 3] == 255
    assert len(np.unique(array[array[..., 3] > 0], axis=0)) <= 24
