"""Replicate, on a server that answers as its SDK and documentation say."""

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.painting import paint
from tests.helpers.replicate_contract import KEY, VERSION, ReplicateContract, error
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.imaging.pixels import encode_png
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.replicate import predictions


def kind(name: str = "replicate-video", **fields: Any) -> Kind:
    return Kind(name, ReplicateContract, key=KEY, fields=fields)


def noise(side: int = 512) -> bytes:
    pixels = np.random.default_rng(1).integers(0, 256, (side, side, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    return encode_png(pixels)


async def test_a_clip_is_asked_for_in_the_words_of_the_models_schema_and_delivered() -> None:
    request = make_request("VIDEO", "风筝升起", negative_prompt="fog", **SMALL)
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert body["route"] == "/v1/models/bytedance/seedance-1-pro/predictions"
        given = body["input"]
        assert (given["duration"], given["resolution"], given["aspect_ratio"], given["seed"]) == (2, "480p", "4:3", 7)
        assert "风筝升起" in given["prompt"]
        assert "fog" in given["negative_prompt"]
        assert "prefer" not in body["headers"]
        assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.request_id) == (CLIP, job)
    report: Any = result.details["service"]
    assert report["clips"][0]["metrics"] == {"predict_time": 1.4}


async def test_a_picture_is_painted_and_its_schema_is_read_once() -> None:
    one = kind("replicate-image")
    async with contract_of(one) as (service, contract), provider_of(one, service, wait_seconds=5) as provider:
        for name in ("job_1", "job_2"):
            job = await provider.submit(make_request("ICON"), name)
        contract.finish(job, paint("", 512, 512, transparent=False))
        result = await provider.fetch(job, make_request("ICON"))
    body = contract.bodies[job]
    assert (body["input"]["output_format"], body["input"]["num_outputs"]) == ("png", 1)
    assert (body["input"]["aspect_ratio"], body["headers"]["prefer"]) == ("1:1", "wait=5")
    assert (len(result.pictures), result.seed) == (1, 7)
    assert (
        len([request for request in service.requests if request.path == "/v1/models/black-forest-labs/flux-schnell"])
        == 1
    )


@pytest.mark.parametrize(
    ("model", "route", "version"),
    [
        (f"acme/old:{VERSION}", "/v1/predictions", VERSION),
        ("deployments/acme/mine", "/v1/deployments/acme/mine/predictions", None),
    ],
)
async def test_a_version_and_a_deployment_have_routes_of_their_own(model: str, route: str, version: str | None) -> None:
    one = kind("replicate-image", model=model)
    async with contract_of(one) as (service, contract), provider_of(one, service) as provider:
        job = await provider.submit(make_request("ICON"), "job_1")
    body = contract.bodies[job]
    assert (body["route"], body.get("version")) == (route, version)
    assert (body["input"]["width"], body["input"]["height"]) == (1024, 1024)


async def test_small_pictures_are_sent_along_and_large_ones_uploaded() -> None:
    one = kind("replicate-image", model="google/nano-banana")
    request = make_request("ICON", source=noise(), references=(sprite(2),))
    async with contract_of(one) as (service, contract), provider_of(one, service) as provider:
        job = await provider.submit(request, "job_1")
    large, small = contract.bodies[job]["input"]["image_input"]
    assert large == f"{service.url}/v1/files/file-0"
    assert contract.uploads["file-0"].startswith(b"\x89PNG")
    assert base64.b64decode(small.partition(",")[2]).startswith(b"\x89PNG")
    assert (provider.capabilities.reference_images, provider.capabilities.seeds) == (2, False)


async def test_a_clip_begins_with_a_picture() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO", source=sprite(1)), "job_1")
    assert contract.bodies[job]["input"]["image"]
    assert "aspect_ratio" not in contract.bodies[job]["input"]


async def test_a_model_that_takes_no_picture_is_not_asked_and_nothing_is_made() -> None:
    one = kind("replicate-image")
    async with contract_of(one) as (service, contract), provider_of(one, service, max_pictures=1) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("ICON", source=sprite(1)), "job_1")
    assert (caught.value.code, caught.value.unpaid, contract.created) == ("PROVIDER_INVALID_REQUEST", True, [])
    assert "options.inputs" in caught.value.message


async def test_options_name_fields_and_add_some() -> None:
    options = {"inputs": {"aspect_ratio": ("1:1",)}, "extra": {"num_outputs": 2}}
    one = kind("replicate-image", asset_types=["ICON"])
    async with contract_of(one) as (service, contract), provider_of(one, service, **options) as provider:
        job = await provider.submit(make_request("ICON"), "job_1")
    assert (contract.bodies[job]["input"]["num_outputs"], provider.capabilities.asset_types) == (2, {"ICON"})


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        ("wan-video/wan-2.5-t2v", {"TEXT_TO_VIDEO"}),
        ("wan-video/wan-2.5-i2v", {"IMAGE_TO_VIDEO"}),
        ("bytedance/seedance-1-pro", {"TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"}),
    ],
)
async def test_what_a_clip_begins_with_is_said_in_names_and_options(model: str, kinds: set[str]) -> None:
    one = kind(model=model)
    async with contract_of(one) as (service, _), provider_of(one, service) as provider:
        assert {str(item) for item in provider.capabilities.kinds} == kinds
    async with (
        contract_of(one) as (service, _),
        provider_of(one, service, from_words=True, from_pictures=False) as told,
    ):
        assert {str(item) for item in told.capabilities.kinds} == {"TEXT_TO_VIDEO"}


@pytest.mark.parametrize(
    ("changes", "code", "retryable"),
    [
        ({"status": "failed", "error": "NSFW content detected. Try other words."}, "CONTENT_POLICY", False),
        ({"status": "failed", "error": "flagged as sensitive (E005)"}, "CONTENT_POLICY", False),
        ({"status": "failed", "error": "CUDA out of memory"}, "PROVIDER_UNAVAILABLE", True),
        ({"status": "failed", "error": "Prediction interrupted (code: PA)"}, "PROVIDER_UNAVAILABLE", True),
        ({"status": "failed", "error": "width must be a number"}, "PROVIDER_INVALID_REQUEST", False),
        ({"status": "failed", "error": None}, "PROVIDER_INVALID_REQUEST", False),
        ({"status": "canceled"}, "PROVIDER_JOB_GONE", False),
        ({"status": "aborted"}, "PROVIDER_JOB_GONE", False),
        ({"status": "succeeded", "output": None, "data_removed": True}, "PROVIDER_JOB_GONE", False),
        ({"status": "succeeded", "output": None}, "PROVIDER_BAD_ANSWER", True),
        ({"status": "succeeded", "output": ["no address", 3, {"a": None}]}, "PROVIDER_BAD_ANSWER", True),
    ],
)
async def test_the_end_of_a_prediction_has_its_class(changes: dict[str, Any], code: str, *, retryable: bool) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= changes
        ended = await provider.check(job)
        gone = await provider.check("rrr-old")
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (code, retryable)
    assert isinstance(gone, JobFailed)
    assert gone.error.code == "PROVIDER_JOB_GONE"


@pytest.mark.parametrize(
    "shaped", [str, lambda url: [url], lambda url: {"video": url}, lambda url: [{"file": url}], lambda url: [None, url]]
)
async def test_a_result_is_found_in_whatever_shape_the_model_gives_it(shaped: Callable[[str], Any]) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.finish(job, CLIP)
        contract.jobs[job]["output"] = shaped(contract.jobs[job]["output"])
        result = await provider.fetch(job, make_request("VIDEO", **SMALL))
    assert result.clip == CLIP


@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (error(401, "x", "x"), "PROVIDER_AUTH", 1),
        (error(402, "x", "You have insufficient credit"), "PROVIDER_QUOTA", 1),
        (error(404, "x", "no such model"), "PROVIDER_INVALID_REQUEST", 1),
        (error(422, "x", "prompt is required"), "PROVIDER_INVALID_REQUEST", 1),
        (error(422, "x", "NSFW content"), "CONTENT_POLICY", 1),
        (error(429, "x", "Request was throttled. Expected available in 1s."), "PROVIDER_RATE_LIMITED", 3),
        (error(429, "x", "Request was throttled. Expected available in 900s."), "PROVIDER_RATE_LIMITED", 1),
        (Reply(429, {"detail": "x"}, {"retry-after": "2"}), "PROVIDER_RATE_LIMITED", 3),
        (error(500, "x", "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(503, "x", "x"), "PROVIDER_UNAVAILABLE", 3),
        (Reply(502, b"gateway"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(201, {"id": None}), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, b"<html>"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (b"HTTP/1.1 2", "PROVIDER_OUTCOME_UNKNOWN", 1),
    ],
)
async def test_a_failed_creation_has_its_class(reply: Reply | bytes, code: str, sent: int) -> None:
    async with contract_of(kind()) as (service, _), provider_of(kind(), service) as provider:
        await provider.submit(make_request("VIDEO"), "job_0")
        before = len(service.requests)
        service.script = [reply] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, len(service.requests) - before) == (code, sent)


@pytest.mark.parametrize(("status", "cancelled"), [("processing", True), ("starting", True), ("succeeded", False)])
async def test_a_prediction_is_cancelled_there(status: str, *, cancelled: bool) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job]["status"] = status
        await provider.cancel(job)
        await provider.cancel("rrr-gone")  # that it has gone is no error
    assert (contract.jobs[job]["status"] == "canceled") is cancelled
    assert contract.cancelled == [job]


async def test_it_cannot_be_looked_up_by_our_name_and_no_key_is_in_a_message() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.fail(job, f"{KEY} went wrong")
        ended = await provider.check(job)
    assert caught.value.outcome_unknown
    assert isinstance(ended, JobFailed)
    assert KEY not in ended.error.message


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (error(404, "x", "no such model"), "PROVIDER_INVALID_REQUEST"),
        (Reply(200, b"<html>"), "PROVIDER_BAD_ANSWER"),
        (error(401, "x", "x"), "PROVIDER_AUTH"),
    ],
)
async def test_without_a_schema_nothing_is_created(reply: Reply, code: str) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        service.script = [reply]
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, caught.value.outcome_unknown, contract.created) == (code, False, [])


async def test_a_schema_that_does_not_come_ends_in_time_and_nothing_is_created(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictions, "_PREPARATION_SECONDS", 0.05)
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        service.script = [service.silent]
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, caught.value.outcome_unknown, contract.created) == ("PROVIDER_TIMEOUT", False, [])


async def test_a_model_whose_schema_says_nothing_gets_the_words_only() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        service.script = [Reply(200, {"latest_version": None})]
        job = await provider.submit(make_request("VIDEO"), "job_1")
    assert set(contract.bodies[job]["input"]) == {"prompt"}
