"""Gemini and Stability AI, on servers that answer as their documentation says."""

import base64
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.helpers.clients import KEY, Seconds, client_of
from tests.helpers.gemini_contract import gemini_contract
from tests.helpers.painting import paint
from tests.helpers.requests import failed_checks, ignored, make_request, run_here
from tests.helpers.service import Reply, Request, ScriptedService, scripted
from tests.helpers.stub import sprite
from worker.providers.base import ProviderError
from worker.providers.gemini.painter import GeminiOptions, GeminiPainter, judge_gemini
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork
from worker.providers.stability.painter import StabilityOptions, StabilityPainter, judge_stability

_STABLE = {
    "prompt", "negative_prompt", "aspect_ratio", "seed", "output_format", "style_preset", "image", "strength", "mode",
    "model", "none",
}  # fmt: skip


def stability_contract(request: Request) -> Reply:
    form = request.form()
    if request.headers["accept"] != "application/json" or set(form) - _STABLE:
        return Reply(400, {"id": "1", "name": "bad_request", "errors": ["unknown field"]})
    if ("image" in form) == ("aspect_ratio" in form):
        return Reply(400, {"id": "1", "name": "bad_request", "errors": ["aspect_ratio goes without image"]})
    data = paint(form["prompt"][0].decode(), 1024, 1024, transparent=False)
    body = {"image": base64.b64encode(data).decode(), "finish_reason": "SUCCESS", "seed": int(form["seed"][0])}
    return Reply(200, body, {"x-request-id": "req_s"})


@contextlib.asynccontextmanager
async def gemini_at(service: ScriptedService, seconds: Seconds | None = None, **options: Any) -> AsyncIterator[Any]:
    way: dict[str, Any] = {"name": "gemini", "judge": judge_gemini, "headers": {"x-goog-api-key": KEY}}
    async with client_of(service.url, seconds, **way) as client:
        painter = GeminiPainter(client, "gemini-3.1-flash-image", GeminiOptions(**options))
        yield PictureProvider(PictureWork("gemini", "g", painter.traits, run_here), painter)


@contextlib.asynccontextmanager
async def stability_at(service: ScriptedService, model: str = "core", **options: Any) -> AsyncIterator[Any]:
    async with client_of(service.url, name="stability", judge=judge_stability) as client:
        painter = StabilityPainter(client, model, StabilityOptions(**options))
        yield PictureProvider(PictureWork("stability", model, painter.traits, run_here), painter)


async def refused(provider: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await provider.generate(make_request("ICON"), ignored)
    return caught.value


@pytest.mark.parametrize("asset_type", ["SPRITE", "BACKGROUND", "SPRITESHEET", "TILESET"])
async def test_assets_are_painted_and_pass_the_checks(asset_type: str) -> None:
    request = make_request(asset_type)
    async with scripted(otherwise=gemini_contract) as service, gemini_at(service) as provider:
        gemini = await provider.generate(request, ignored)
    async with scripted(otherwise=stability_contract) as service, stability_at(service) as provider:
        stability = await provider.generate(request, ignored)
    for result in (gemini, stability):
        assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []
    assert (gemini.seed, stability.seed, stability.request_id) == (None, 7, "req_s")


async def test_gemini_is_asked_in_its_words() -> None:
    async with scripted(otherwise=gemini_contract) as service, gemini_at(service, max_pictures=3) as provider:
        request = make_request("BACKGROUND", source=sprite(1), references=(sprite(2),) * 5)
        await provider.generate(request, ignored)
    [sent] = service.requests
    assert sent.path == "/v1beta/models/gemini-3.1-flash-image:generateContent"
    assert KEY not in sent.path
    parts = sent.json()["contents"][0]["parts"]
    assert [next(iter(part)) for part in parts] == ["text", "inlineData", "inlineData", "inlineData"]
    assert sent.json()["generationConfig"]["imageConfig"] == {"aspectRatio": "16:9", "imageSize": "1K"}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(200, {"candidates": [{"finishReason": "IMAGE_SAFETY"}]}), "CONTENT_POLICY"),
        (Reply(200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "CONTENT_POLICY"),
        (Reply(200, {"candidates": [{"finishReason": "NO_IMAGE"}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"candidates": []}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, b"<html>"), "PROVIDER_BAD_ANSWER"),
        (Reply(400, {"error": {"message": "x", "details": [{"reason": "API_KEY_INVALID"}]}}), "PROVIDER_AUTH"),
        (Reply(403, {"error": {"message": "x", "status": "PERMISSION_DENIED"}}), "PROVIDER_AUTH"),
        (Reply(400, {"error": {"message": "x", "status": "INVALID_ARGUMENT"}}), "PROVIDER_INVALID_REQUEST"),
        (
            Reply(429, {"error": {"status": "RESOURCE_EXHAUSTED", "details": [{"quotaId": "RequestsPerDay"}]}}),
            "PROVIDER_QUOTA",
        ),
        (Reply(504, {"error": {"status": "DEADLINE_EXCEEDED"}}), "PROVIDER_OUTCOME_UNKNOWN"),
    ],
)
async def test_failures_of_gemini_have_their_class(reply: Reply, code: str) -> None:
    async with scripted(reply) as service, gemini_at(service) as provider:
        assert (await refused(provider)).code == code
    assert len(service.requests) == 1


async def test_the_wait_that_gemini_asks_for_stands_in_the_body() -> None:
    seconds = Seconds()
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21s"}]
    busy = Reply(429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}})
    async with scripted(busy, otherwise=gemini_contract) as service, gemini_at(service, seconds) as provider:
        await provider.generate(make_request("ICON"), ignored)
    assert seconds.slept == [21.5]


async def test_stability_always_gets_a_form_with_a_file_part() -> None:
    async with (
        scripted(otherwise=stability_contract) as service,
        stability_at(service, style_preset="pixel-art") as one,
    ):
        await one.generate(make_request("BACKGROUND"), ignored)
    [sent] = service.requests
    assert sent.headers["content-type"].startswith("multipart/form-data")
    form = sent.form()
    assert (form["aspect_ratio"], form["style_preset"], form["none"]) == ([b"16:9"], [b"pixel-art"], [b""])


async def test_stability_paints_over_a_source_where_the_model_does() -> None:
    async with scripted(otherwise=stability_contract) as service, stability_at(service, "sd3.5-large") as provider:
        await provider.generate(make_request("SPRITE", source=sprite(1)), ignored)
    form = service.requests[0].form()
    assert service.requests[0].path.endswith("/generate/sd3")
    assert (form["mode"], form["model"], form["strength"]) == ([b"image-to-image"], [b"sd3.5-large"], [b"0.6"])
    async with scripted() as other, stability_at(other) as core:
        assert {str(kind) for kind in core.capabilities.kinds} == {"TEXT_TO_IMAGE"}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(200, {"image": "AAAA", "finish_reason": "CONTENT_FILTERED", "seed": 1}), "CONTENT_POLICY"),
        (Reply(403, {"id": "1", "name": "content_moderation", "errors": ["flagged"]}), "CONTENT_POLICY"),
        (Reply(401, {"id": "1", "name": "unauthorized", "errors": ["no"]}), "PROVIDER_AUTH"),
        (Reply(402, {"id": "1", "name": "payment_required", "errors": ["no"]}), "PROVIDER_QUOTA"),
        (Reply(413, {"id": "1", "name": "payload_too_large", "errors": ["10 MB"]}), "PROVIDER_INVALID_REQUEST"),
        (Reply(200, {"image": "aGVsbG8=", "finish_reason": "SUCCESS"}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {}), "PROVIDER_BAD_ANSWER"),
    ],
)
async def test_failures_of_stability_have_their_class(reply: Reply, code: str) -> None:
    async with scripted(reply) as service, stability_at(service) as provider:
        assert (await refused(provider)).code == code
