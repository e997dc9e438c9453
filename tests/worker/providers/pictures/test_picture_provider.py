"""From one painted picture, or several, to an asset's pictures that pass the checks."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from PIL import Image

from domain.kinds import AssetType, TaskKind
from domain.styles import Style
from tests.helpers.painting import paint
from tests.helpers.requests import failed_checks, ignored, make_request, run_here
from tests.helpers.stub import encoded, sprite
from worker.imaging.pixels import decode_rgba
from worker.providers.base import Provider, ProviderError
from worker.providers.errors import UNAVAILABLE, failure
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.shot import Painted, Shot, Traits
from worker.providers.pictures.work import PictureWork


class Painter:
    """Paints by rule at 1024 pixels."""

    def __init__(self, *, kind: str = "PNG", **traits: int | bool) -> None:
        self.traits = Traits(**traits)  # type: ignore[arg-type]
        self.kind = kind
        self.shots: list[Shot] = []
        self.broken: Callable[[int], bytes | Exception | None] = lambda _: None

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:
        self.shots.append(shot)
        await progress(0.5)
        broken = self.broken(len(self.shots))
        if isinstance(broken, Exception):
            raise broken
        scale = 1024 / max(shot.width, shot.height)
        size = round(shot.width * scale), round(shot.height * scale)
        data = broken or paint(shot.prompt, *size, transparent=shot.transparent, kind=self.kind)
        return Painted(data, shot.seed, f"req_{len(self.shots)}", {"usage": {"total_tokens": 10}})


def provider_of(painter: Painter, price: float | None = None) -> PictureProvider:
    return PictureProvider(PictureWork("test", "test-1", painter.traits, run_here, price), painter)


@pytest.mark.parametrize("asset_type", ["SPRITE", "ICON", "PORTRAIT", "BACKGROUND", "UI", "SPRITESHEET", "TILESET"])
@pytest.mark.parametrize("transparency", [True, False])
@pytest.mark.parametrize("style", [Style(), Style(art_style="16-bit pixel art")])
async def test_every_asset_passes_the_checks(asset_type: str, style: Style, *, transparency: bool) -> None:
    painter = Painter(transparency=transparency, kind="PNG" if transparency else "JPEG")
    request = make_request(asset_type, style=style)
    result = await provider_of(painter).generate(request, ignored)
    wanted = sum(animation.frames for animation in request.params.animations) or (16 if asset_type == "TILESET" else 1)
    assert len(result.pictures) == wanted
    assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []


async def test_pixel_art_has_hard_edges() -> None:
    request = make_request("SPRITE", style=Style(art_style="16-bit pixel art"))
    [picture] = (await provider_of(Painter(transparency=True)).generate(request, ignored)).pictures
    assert set(decode_rgba(picture.data)[..., 3].flat) == {0, 255}


async def test_frames_are_named_by_animation_and_index() -> None:
    request = make_request("SPRITESHEET", animations=(("walk", 20), ("jump", 3)), width=48, height=64)
    painter = Painter()
    result = await provider_of(painter).generate(request, ignored)
    assert len(painter.shots) == 3
    expected = [("walk", index) for index in range(20)] + [("jump", index) for index in range(3)]
    assert [(picture.animation, picture.index) for picture in result.pictures] == expected
    assert {(picture.width, picture.height) for picture in result.pictures} == {(48, 64)}


async def test_a_tileset_says_what_its_corners_are() -> None:
    result = await provider_of(Painter()).generate(make_request("TILESET", tile_size=16), ignored)
    tiles = result.details["tiles"]
    assert isinstance(tiles, list)
    assert len({tuple(tile["corners"]) for tile in tiles}) == 16
    assert {(picture.width, picture.height) for picture in result.pictures} == {(16, 16)}


async def test_a_seamless_background_wraps() -> None:
    request = make_request("BACKGROUND", "two flat textures", seamless=True)
    result = await provider_of(Painter()).generate(request, ignored)
    assert [verdict.name for verdict in failed_checks(request, result)] == []


async def test_progress_grows_over_all_shots() -> None:
    seen: list[float] = []

    async def report(share: float) -> None:
        seen.append(share)

    await provider_of(Painter()).generate(make_request("SPRITESHEET"), report)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(0.9)


async def test_what_the_service_says_is_kept_with_the_estimated_cost() -> None:
    painter = Painter()
    result = await provider_of(painter, price=0.04).generate(make_request("SPRITESHEET"), ignored)
    report: Any = result.details["service"]
    assert [picture["usage"] for picture in report["pictures"]] == [{"total_tokens": 10}] * 3
    assert report["estimatedCost"] == 0.12
    assert (result.provider, result.model, result.seed, result.request_id) == ("test", "test-1", 7, "req_1")


async def test_the_prompts_that_were_sent_are_kept_as_they_were() -> None:
    painter = Painter(references=2)
    result = await provider_of(painter).generate(make_request("SPRITESHEET", "骑士"), ignored)
    report: Any = result.details["service"]
    asked = [(picture["sentPrompt"], picture["sentNegativePrompt"]) for picture in report["pictures"]]
    assert asked == [(shot.prompt, shot.negative_prompt) for shot in painter.shots]
    assert len({prompt for prompt, _ in asked}) == 3
    assert "骑士" in asked[0][0]
    assert "The last picture shows the same character" in asked[1][0]


async def test_pictures_leave_the_house_small_and_as_pixels_only() -> None:

    large = encoded(Image.new("RGB", (3000, 1500), (90, 120, 40)))
    painter = Painter(edits=True, references=2)
    request = make_request("SPRITE", source=large, references=(sprite(1), sprite(2), sprite(3)))
    await provider_of(painter).generate(request, ignored)
    [shot] = painter.shots
    assert shot.source is not None
    assert decode_rgba(shot.source).shape == (512, 1024, 4)
    assert len(shot.references) == 2


async def test_a_source_that_cannot_be_read_is_refused_before_anything_is_painted() -> None:
    painter = Painter(edits=True)
    with pytest.raises(ProviderError) as caught:
        await provider_of(painter).generate(make_request("SPRITE", source=b"no picture"), ignored)
    assert (caught.value.code, painter.shots) == ("UNREADABLE_SOURCE", [])


@pytest.mark.parametrize("data", [b"", b"<html>", sprite(1)[:200], b"\x89PNG\r\n\x1a\n" + b"x" * 50])
async def test_a_damaged_picture_is_a_bad_answer(data: bytes) -> None:
    painter = Painter()
    painter.broken = lambda _: data or b" "
    with pytest.raises(ProviderError) as caught:
        await provider_of(painter).generate(make_request("SPRITE"), ignored)
    assert (caught.value.code, caught.value.unpaid) == ("PROVIDER_BAD_ANSWER", False)


async def test_a_failure_after_the_first_picture_is_not_unpaid() -> None:
    painter = Painter()
    painter.broken = lambda number: failure(UNAVAILABLE, "test") if number == 2 else None
    with pytest.raises(ProviderError) as caught:
        await provider_of(painter).generate(make_request("SPRITESHEET"), ignored)
    assert (caught.value.code, caught.value.unpaid) == ("PROVIDER_UNAVAILABLE", False)
    painter = Painter()
    painter.broken = lambda _: failure(UNAVAILABLE, "test")
    with pytest.raises(ProviderError) as caught:
        await provider_of(painter).generate(make_request("SPRITESHEET"), ignored)
    assert caught.value.unpaid


def test_capabilities_are_honest() -> None:
    provider: Provider = provider_of(Painter(transparency=True))
    can = provider.capabilities
    assert not can.covers(TaskKind.IMAGE_TO_IMAGE, AssetType.SPRITE)
    assert not can.covers(TaskKind.TEXT_TO_VIDEO, AssetType.VIDEO)
    assert can.covers(TaskKind.TEXT_TO_IMAGE, AssetType.TILESET)
    edits = provider_of(Painter(edits=True)).capabilities
    assert edits.covers(TaskKind.IMAGE_TO_IMAGE, AssetType.SPRITESHEET)
    assert not edits.covers(TaskKind.IMAGE_TO_IMAGE, AssetType.TILESET)
    assert (can.transparency, can.seeds, can.reference_images) == (True, False, 0)
