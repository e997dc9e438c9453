"""Seedream, on a server that answers as Ark's SDK and documentation say."""

import base64
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from tests.helpers.ark_contract import KEY, ArkContract, error
from tests.helpers.clients import Seconds, client_of, tls_of_nobody
from tests.helpers.requests import failed_checks, ignored, make_request, run_here
from tests.helpers.service import Reply, ScriptedService, scripted
from tests.helpers.stub import sprite
from worker.providers.ark.judge import judge_ark
from worker.providers.ark.seedream import DEFAULT_MODEL, SeedreamOptions, SeedreamPainter
from worker.providers.base import ProviderError
from worker.providers.http.download import Downloader
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork

OLDEST = "doubao-seedream-3-0-t2i"


async def here(host: str, port: int) -> Sequence[str]:
    return [host]


@contextlib.asynccontextmanager
async def seedream_at(
    service: ScriptedService,
    model: str = DEFAULT_MODEL,
    seconds: Seconds | None = None,
    *,
    private: bool = True,
    **options: Any,
) -> AsyncIterator[PictureProvider]:
    way: dict[str, Any] = {"judge": judge_ark, "headers": {"authorization": f"Bearer {KEY}"}, "secrets": (KEY,)}
    async with client_of(f"{service.url}/api/v3", seconds, name="seedream", **way) as client:
        downloader = Downloader(here, tls_of_nobody(), private=private)
        painter = SeedreamPainter(client, downloader, model, SeedreamOptions(**options))
        yield PictureProvider(PictureWork("seedream", model, painter.traits, run_here), painter)


async def refused(provider: PictureProvider) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await provider.generate(make_request("ICON"), ignored)
    return caught.value


@pytest.mark.parametrize("asset_type", ["SPRITE", "BACKGROUND", "SPRITESHEET", "TILESET"])
async def test_assets_are_painted_and_pass_the_checks(asset_type: str) -> None:
    request = make_request(asset_type, "水彩风格的骑士")
    async with scripted(otherwise=ArkContract()) as service, seedream_at(service) as provider:
        result = await provider.generate(request, ignored)
    assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []
    assert (result.seed, result.request_id, result.model) == (None, "ark-1", DEFAULT_MODEL)
    report: Any = result.details["service"]
    assert report["pictures"][0]["usage"]["generated_images"] == 1
    assert "水彩风格的骑士" in service.requests[0].json()["prompt"]


@pytest.mark.parametrize(
    ("model", "asset_type", "size"),
    [
        (DEFAULT_MODEL, "ICON", "2048x2048"),
        (DEFAULT_MODEL, "BACKGROUND", "2720x1536"),
        ("doubao-seedream-4-0-250828", "ICON", "1024x1024"),
        (OLDEST, "ICON", "1024x1024"),
    ],
)
async def test_each_model_paints_at_a_size_that_it_takes(model: str, asset_type: str, size: str) -> None:
    async with scripted(otherwise=ArkContract()) as service, seedream_at(service, model) as provider:
        await provider.generate(make_request(asset_type), ignored)
    assert service.requests[0].json()["size"] == size


async def test_pictures_go_along_and_nothing_that_is_not_set() -> None:
    request = make_request("BACKGROUND", source=sprite(1), references=(sprite(2),) * 12, negative_prompt="fog")
    async with scripted(otherwise=ArkContract()) as service, seedream_at(service) as provider:
        await provider.generate(request, ignored)
    sent = service.requests[0].json()
    assert set(sent) == {"model", "prompt", "size", "response_format", "watermark", "image"}
    assert (len(sent["image"]), sent["watermark"], sent["response_format"]) == (10, False, "b64_json")
    assert base64.b64decode(sent["image"][0].partition(",")[2]).startswith(b"\x89PNG")
    assert "fog" in sent["prompt"]


async def test_what_a_model_can_follows_from_its_name_unless_it_is_set() -> None:
    async with (
        scripted(otherwise=ArkContract()) as service,
        seedream_at(service, OLDEST) as oldest,
        seedream_at(service, "doubao-seedream-5-0-260128", max_pictures=3, seeds=True) as newest,
    ):
        await oldest.generate(make_request("ICON"), ignored)
        await newest.generate(make_request("ICON"), ignored)
    assert {str(kind) for kind in oldest.capabilities.kinds} == {"TEXT_TO_IMAGE"}
    assert (oldest.capabilities.seeds, oldest.capabilities.reference_images) == (True, 0)
    assert (newest.capabilities.seeds, newest.capabilities.reference_images) == (True, 2)
    assert [request.json().get("output_format") for request in service.requests] == [None, "png"]
    assert [request.json()["seed"] for request in service.requests] == [7, 7]


async def test_a_picture_that_comes_by_address_is_fetched_without_the_key() -> None:
    contract = ArkContract(by_url=True)
    async with scripted(otherwise=contract) as service:
        contract.url = service.url
        async with seedream_at(service) as provider:
            result = await provider.generate(make_request("ICON"), ignored)
    assert len(result.pictures) == 1


async def test_an_address_in_a_private_network_is_not_fetched() -> None:
    contract = ArkContract(by_url=True)
    async with scripted(otherwise=contract) as service:
        contract.url = service.url
        async with seedream_at(service, private=False) as provider:
            error = await refused(provider)
    assert error.code == "PROVIDER_BAD_ANSWER"
    assert "127.0.0.1" not in error.message
    assert [request.method for request in service.requests] == ["POST"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (error(400, "InputTextSensitiveContentDetected", "x"), "CONTENT_POLICY"),
        (error(400, "InputImageSensitiveContentDetected.PrivacyInformation", "x"), "CONTENT_POLICY"),
        (error(400, "OutputImageSensitiveContentDetected", "x"), "CONTENT_POLICY"),
        (error(400, "InputImageRiskDetection", "x"), "CONTENT_POLICY"),
        (error(400, "InvalidParameter", "The parameter `size` is not valid."), "PROVIDER_INVALID_REQUEST"),
        (error(400, "InvalidEndpoint.ClosedEndpoint", "x"), "PROVIDER_UNAVAILABLE"),
        (error(401, "AuthenticationError", "x"), "PROVIDER_AUTH"),
        (error(403, "AccountOverdueError", "x"), "PROVIDER_QUOTA"),
        (error(403, "AccessDenied", "x"), "PROVIDER_AUTH"),
        (error(404, "InvalidEndpointOrModel.NotFound", "x"), "PROVIDER_INVALID_REQUEST"),
        (error(404, "ModelNotOpen", "x"), "PROVIDER_INVALID_REQUEST"),
        (error(429, "QuotaExceeded", "x"), "PROVIDER_QUOTA"),
        (error(429, "SetLimitExceeded", "x"), "PROVIDER_QUOTA"),
        (error(500, "InternalServiceError", "x"), "PROVIDER_OUTCOME_UNKNOWN"),
        (error(504, "", "x"), "PROVIDER_OUTCOME_UNKNOWN"),
        (Reply(200, {"data": [{"error": {"code": "OutputImageRiskDetection", "message": "x"}}]}), "CONTENT_POLICY"),
        (Reply(200, {"data": [{"error": {"code": "Odd", "message": "x"}}]}), "PROVIDER_INVALID_REQUEST"),
        (Reply(200, {"error": {"code": "OutputImageRiskDetection", "message": "x"}}), "CONTENT_POLICY"),
        (Reply(200, {"error": {"code": "Odd", "message": "x"}}), "PROVIDER_INVALID_REQUEST"),
        (Reply(200, {"data": []}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": [{"b64_json": "aGVsbG8="}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": [{"size": "1x1"}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, b"<html>"), "PROVIDER_BAD_ANSWER"),
    ],
)
async def test_every_failure_has_its_class_and_is_paid_once(reply: Reply, code: str) -> None:
    async with scripted(reply) as service, seedream_at(service) as provider:
        assert (await refused(provider)).code == code
    assert len(service.requests) == 1


@pytest.mark.parametrize("code", ["RateLimitExceeded.EndpointRPMExceeded", "ModelAccountRpmRateLimitExceeded"])
async def test_a_rate_limit_is_waited_for(code: str) -> None:
    seconds = Seconds()
    busy = error(429, code, "x")
    async with scripted(busy, otherwise=ArkContract()) as service, seedream_at(service, seconds=seconds) as provider:
        await provider.generate(make_request("ICON"), ignored)
    assert len(service.requests) == 2
    assert len(seconds.slept) == 1


async def test_the_request_id_is_told_and_the_key_never() -> None:
    wrong = error(400, "InvalidParameter", f"The key {KEY} asks for too much.")
    async with scripted(wrong) as service, seedream_at(service) as provider:
        caught = await refused(provider)
    assert KEY not in caught.message
    assert "asks for too much" in caught.message
    assert caught.request_id == "ark-refused"
