"""AUTOMATIC1111's web UI and what has its API."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.helpers.automatic1111_contract import Automatic1111Contract
from tests.helpers.clients import client_of
from tests.helpers.requests import failed_checks, ignored, make_request, run_here
from tests.helpers.service import Reply, ScriptedService, scripted
from tests.helpers.stub import sprite
from worker.providers.automatic1111 import painter as module
from worker.providers.automatic1111.painter import Automatic1111Options, Automatic1111Painter, judge_automatic1111
from worker.providers.base import ProviderError
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork


@contextlib.asynccontextmanager
async def provider_at(service: ScriptedService, model: str = "", **options: Any) -> AsyncIterator[PictureProvider]:
    async with client_of(service.url, judge=judge_automatic1111, local=True, headers={}) as client:
        painter = Automatic1111Painter(client, model, Automatic1111Options(**options))
        yield PictureProvider(PictureWork("forge", model or "unnamed", painter.traits, run_here), painter)


@pytest.mark.parametrize("asset_type", ["SPRITE", "BACKGROUND", "SPRITESHEET", "TILESET"])
async def test_assets_are_painted_and_pass_the_checks(asset_type: str) -> None:
    async with scripted(otherwise=Automatic1111Contract()) as service, provider_at(service) as provider:
        request = make_request(asset_type)
        result = await provider.generate(request, ignored)
    assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []
    assert result.seed == 7


async def test_what_is_set_is_sent() -> None:
    async with (
        scripted(otherwise=Automatic1111Contract()) as service,
        provider_at(service, "pixel.safetensors", sampler="Euler a", steps=9, best_pixels=512 * 512) as provider,
    ):
        await provider.generate(make_request("BACKGROUND", "a forest"), ignored)
    body = service.requests[0].json()
    assert (body["width"], body["height"], body["steps"], body["sampler_name"]) == (680, 384, 9, "Euler a")
    assert body["override_settings"] == {"sd_model_checkpoint": "pixel.safetensors"}
    assert "watermark" in body["negative_prompt"]
    assert "init_images" not in body


async def test_a_source_is_painted_over() -> None:
    contract = Automatic1111Contract()
    async with scripted(otherwise=contract) as service, provider_at(service, denoising_strength=0.4) as provider:
        await provider.generate(make_request("SPRITE", source=sprite(1)), ignored)
    [request] = service.requests
    assert request.path == "/sdapi/v1/img2img"
    assert base64.b64decode(request.json()["init_images"][0]).startswith(b"\x89PNG")
    assert request.json()["denoising_strength"] == 0.4


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        (Reply(404, {"detail": "Sampler not found"}), "PROVIDER_INVALID_REQUEST", "Sampler not found"),
        (Reply(401, {"detail": "Incorrect username or password"}), "PROVIDER_AUTH", "key"),
        (Reply(200, {"images": [], "info": ""}), "PROVIDER_BAD_ANSWER", "no picture"),
        (Reply(200, {"images": ["%%%"]}), "PROVIDER_BAD_ANSWER", "base64"),
        (Reply(200, {"images": ["aGVsbG8="]}), "PROVIDER_BAD_ANSWER", "no picture"),
        (Reply(200, b"<html>"), "PROVIDER_BAD_ANSWER", "no picture"),
    ],
)
async def test_failures_have_their_class_and_the_servers_words(reply: Reply, code: str, words: str) -> None:
    async with scripted(reply) as service, provider_at(service) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.generate(make_request("ICON"), ignored)
    assert caught.value.code == code
    assert words in caught.value.message


async def test_a_server_of_ones_own_is_asked_again_when_its_memory_was_full() -> None:
    full = Reply(500, {"error": "OutOfMemoryError", "detail": "", "body": "", "errors": "CUDA out of memory"})
    contract = Automatic1111Contract()
    async with scripted(full, otherwise=contract) as service, provider_at(service) as provider:
        await provider.generate(make_request("ICON"), ignored)
    assert len(service.requests) == 2


async def test_progress_is_told_while_it_paints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PROGRESS_SECONDS", 0.01)
    contract = Automatic1111Contract(progress=0.6)
    seen: list[float] = []
    told = asyncio.Event()

    async def report(share: float) -> None:
        seen.append(share)
        if share > 0.5:
            told.set()

    async def slow(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await told.wait()
        await asyncio.sleep(0)
        writer.write(contract._painted(service.requests[0].json(), from_picture=False).encoded())

    async with scripted(slow, otherwise=contract) as service, provider_at(service) as provider:
        await provider.generate(make_request("ICON"), report)
    assert 0.54 in [round(share, 2) for share in seen]


@pytest.mark.parametrize("interrupt", [True, False])
async def test_a_cancelled_task_interrupts_the_server_where_that_is_wanted(*, interrupt: bool) -> None:
    async with scripted(otherwise=Automatic1111Contract()) as service:
        service.script = [service.silent]
        async with provider_at(service, interrupt=interrupt) as provider:
            call = asyncio.create_task(provider.generate(make_request("ICON"), ignored))
            await service.arrival.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.wait_for(service.hung_up.wait(), 5)
    assert ("/sdapi/v1/interrupt" in [request.path for request in service.requests]) is interrupt
