"""Wan, on a server that answers as DashScope's SDK and documentation say."""

from typing import Any

import pytest

from tests.helpers.dashscope_contract import KEY, DashScopeContract, error
from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.painting import paint
from tests.helpers.requests import failed_checks, make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.dashscope.clips import wan_video_capabilities

OLD_WORDS, OLD_PICTURES = "wan2.5-t2i-preview", "wan2.5-i2i-preview"


def images(model: str = "") -> Kind:
    return Kind("wan-image", DashScopeContract, "/api/v1", key=KEY, asset_type="SPRITE", fields={"model": model})


def videos(model: str = "") -> Kind:
    return Kind("wan-video", DashScopeContract, "/api/v1", key=KEY, fields={"model": model})


@pytest.mark.parametrize("model", ["", "wan2.6-t2i", OLD_WORDS])
@pytest.mark.parametrize("asset_type", ["SPRITE", "BACKGROUND", "SPRITESHEET", "TILESET"])
async def test_assets_are_painted_and_pass_the_checks(model: str, asset_type: str) -> None:
    kind, request = images(model), make_request(asset_type, "a knight")
    async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        width, height = (int(side) for side in contract.bodies[job]["parameters"]["size"].split("*"))
        prompt = _words(contract.bodies[job])
        assert await provider.check(job) == JobRunning()
        contract.finish(job, paint(prompt, width, height, transparent=False))
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []
    assert (result.seed, result.request_id) == (7, job)
    if model == OLD_WORDS:
        assert max(width, height) <= 1440
    else:
        assert 1280**2 <= width * height <= 1440**2


def _words(body: dict[str, Any]) -> str:
    given = body["input"]
    return str(given["prompt"] if "prompt" in given else given["messages"][0]["content"][0]["text"])


async def test_pictures_are_shown_to_models_that_look_at_them() -> None:
    request = make_request("SPRITE", source=sprite(1), references=(sprite(2),) * 5)
    sent = {}
    for model in ("", OLD_PICTURES):
        kind = images(model)
        async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
            job = await provider.submit(request, "job_1")
            sent[model] = contract.bodies[job]
    [message] = sent[""]["input"]["messages"]
    assert [next(iter(part)) for part in message["content"]] == ["text", "image", "image", "image"]
    assert (sent[OLD_PICTURES]["service"], len(sent[OLD_PICTURES]["input"]["images"])) == ("pictures", 3)


async def test_what_a_model_makes_follows_from_its_name() -> None:
    kinds = {}
    for model in ("", "wan2.6-t2i", OLD_WORDS, OLD_PICTURES):
        async with contract_of(images()) as (service, _), provider_of(images(model), service) as provider:
            kinds[model] = sorted(str(kind) for kind in provider.capabilities.kinds)
    both, words = ["IMAGE_TO_IMAGE", "TEXT_TO_IMAGE"], ["TEXT_TO_IMAGE"]
    assert kinds == {"": both, "wan2.6-t2i": words, OLD_WORDS: words, OLD_PICTURES: ["IMAGE_TO_IMAGE"]}
    assert {str(kind) for kind in wan_video_capabilities("wan2.6-t2v").kinds} == {"TEXT_TO_VIDEO"}
    assert {str(kind) for kind in wan_video_capabilities("wan2.7-i2v").kinds} == {"IMAGE_TO_VIDEO"}


@pytest.mark.parametrize(
    ("model", "source", "parameters"),
    [
        ("wan2.2-t2v-plus", None, {"size": "1280*720", "duration": 5}),
        ("wan2.5-t2v-preview", None, {"size": "1280*720", "duration": 10, "audio": False}),
        ("wan2.6-t2v", None, {"size": "1280*720", "duration": 10}),
        ("wan2.6-i2v", sprite(1), {"resolution": "720P", "duration": 10}),
        ("wan2.7-t2v", None, {"resolution": "720P", "ratio": "16:9", "duration": 10}),
        ("wan2.7-i2v", sprite(1), {"resolution": "720P", "duration": 10}),
    ],
)
async def test_clips_are_asked_for_as_each_version_wants_it(
    model: str, source: bytes | None, parameters: dict[str, Any]
) -> None:
    kind, request = videos(model), make_request("VIDEO", source=source, duration_seconds=8)
    async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
        job = await provider.submit(request, "job_1")
    body = contract.bodies[job]
    fixed = {"seed": 7, "prompt_extend": False, "watermark": False}
    assert (body["model"], body["parameters"]) == (model, {**parameters, **fixed})
    assert ("img_url" in body["input"]) is (model == "wan2.6-i2v")
    assert ("media" in body["input"]) is (model == "wan2.7-i2v")


async def test_a_clip_is_delivered_with_what_the_service_says_of_it() -> None:
    kind, request = videos(), make_request("VIDEO", **SMALL)
    async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
        job = await provider.submit(request, "job_1")
        contract.finish(job, CLIP)
        result = await provider.fetch(job, request)
    assert (result.clip, result.model) == (CLIP, "wan2.6-t2v")
    assert result.details["service"] == {"clips": [{"usage": {"SR": 720}, "actualPrompt": "as filmed"}]}


@pytest.mark.parametrize(
    ("changes", "code", "retryable"),
    [
        ({"task_status": "FAILED", "code": "DataInspectionFailed", "message": "x"}, "CONTENT_POLICY", False),
        ({"task_status": "FAILED", "code": "IPInfringementSuspect", "message": "x"}, "CONTENT_POLICY", False),
        ({"task_status": "FAILED", "code": "InternalError.Timeout", "message": "x"}, "PROVIDER_UNAVAILABLE", True),
        ({"task_status": "FAILED", "code": "Odd", "message": "x"}, "PROVIDER_INVALID_REQUEST", False),
        ({"task_status": "CANCELED"}, "PROVIDER_JOB_GONE", False),
        ({"task_status": "UNKNOWN"}, "PROVIDER_JOB_GONE", False),
        ({"task_status": "SUCCEEDED"}, "PROVIDER_BAD_ANSWER", True),
        (
            {"task_status": "SUCCEEDED", "results": [{"code": "DataInspectionFailed", "message": "x"}]},
            "CONTENT_POLICY",
            False,
        ),
    ],
)
async def test_the_end_of_a_job_has_its_class_although_the_status_is_200(
    changes: dict[str, Any], code: str, *, retryable: bool
) -> None:
    kind = images(OLD_WORDS)
    async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
        job = await provider.submit(make_request("ICON"), "job_1")
        contract.jobs[job] |= changes
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (code, retryable)


@pytest.mark.parametrize("status", ["SUSPENDED", "RUNNING", "PONDERING", None])
async def test_other_states_are_waited_on(status: str | None) -> None:
    async with contract_of(videos()) as (service, contract), provider_of(videos(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job]["task_status"] = status
        assert await provider.check(job) == JobRunning()


@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (error(400, "DataInspectionFailed", "x"), "CONTENT_POLICY", 1),
        (error(400, "InvalidParameter", "x"), "PROVIDER_INVALID_REQUEST", 1),
        (error(400, "InvalidParameter.DataInspection", "cannot download"), "PROVIDER_INVALID_REQUEST", 1),
        (error(400, "Arrearage", "x"), "PROVIDER_QUOTA", 1),
        (error(401, "InvalidApiKey", "x"), "PROVIDER_AUTH", 1),
        (error(403, "AccessDenied.Unpurchased", "x"), "PROVIDER_AUTH", 1),
        (
            error(403, "AccessDenied", "current user api does not support synchronous calls."),
            "PROVIDER_INVALID_REQUEST",
            1,
        ),
        (error(403, "AllocationQuota.FreeTierOnly", "x"), "PROVIDER_QUOTA", 1),
        (error(404, "ModelNotFound", "x"), "PROVIDER_INVALID_REQUEST", 1),
        (error(429, "Throttling.RateQuota", "x"), "PROVIDER_RATE_LIMITED", 3),
        (error(500, "InternalError", "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(503, "ModelServiceFailed", "x"), "PROVIDER_UNAVAILABLE", 3),
        (Reply(200, {"code": "DataInspectionFailed", "message": "x"}), "CONTENT_POLICY", 1),
        (Reply(200, {"output": {}}), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(504, b"gateway"), "PROVIDER_OUTCOME_UNKNOWN", 1),
    ],
)
async def test_a_failed_creation_has_its_class(reply: Reply, code: str, sent: int) -> None:
    async with contract_of(videos()) as (service, _), provider_of(videos(), service) as provider:
        service.script = [reply] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, len(service.requests)) == (code, sent)
    if b"4909-refused" in reply.encoded():
        assert caught.value.request_id == "4909-refused"


@pytest.mark.parametrize(("status", "cancelled"), [("PENDING", True), ("RUNNING", False), ("SUCCEEDED", False)])
async def test_a_job_that_has_not_begun_is_cancelled(status: str, *, cancelled: bool) -> None:
    async with contract_of(videos()) as (service, contract), provider_of(videos(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job]["task_status"] = status
        await provider.cancel(job)
        await provider.cancel("0385-gone")
    assert (contract.cancelled == [job]) is cancelled


async def test_a_job_cannot_be_looked_up_by_our_name() -> None:
    async with contract_of(videos()) as (service, _), provider_of(videos(), service) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
    assert (caught.value.outcome_unknown, service.requests) == (True, [])
