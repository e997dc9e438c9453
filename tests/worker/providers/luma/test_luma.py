"""Luma, on a server that answers as its SDK says."""

from typing import Any

import pytest

from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.luma_contract import KEY, LumaContract, error
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError

LUMA = Kind("luma", LumaContract, "/dream-machine/v1", key=KEY)


async def test_it_is_asked_in_its_words_and_delivers() -> None:
    request = make_request("VIDEO", "风筝升起", negative_prompt="fog", **SMALL)
    async with contract_of(LUMA) as (service, contract), provider_of(LUMA, service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert (body["model"], body["duration"], body["resolution"]) == ("ray-2", "5s", "540p")
        assert (body["aspect_ratio"], "loop" in body) == ("4:3", False)
        assert "风筝升起" in body["prompt"]
        assert "fog" in body["prompt"]
        assert await provider.check(job) == JobRunning()
        contract.jobs[job]["state"] = "dreaming"
        assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.seed, result.request_id) == (CLIP, None, job)
    assert {str(item) for item in provider.capabilities.kinds} == {"TEXT_TO_VIDEO"}
    assert provider.capabilities.seeds is False


@pytest.mark.parametrize(
    ("params", "resolution", "seconds"),
    [
        ({"width": 1280, "height": 720, "duration_seconds": 6}, "720p", "9s"),
        ({"width": 640, "height": 360, "duration_seconds": 10}, "540p", "9s"),
    ],
)
async def test_the_least_that_is_enough_is_asked_for(params: dict[str, Any], resolution: str, seconds: str) -> None:
    async with contract_of(LUMA) as (service, contract), provider_of(LUMA, service, loop=True) as provider:
        job = await provider.submit(make_request("VIDEO", **params), "job_1")
    body = contract.bodies[job]
    assert (body["resolution"], body["duration"], body["loop"]) == (resolution, seconds, True)


@pytest.mark.parametrize(
    ("changes", "code", "retryable"),
    [
        ({"state": "failed", "failure_reason": "400: prompt didn't pass moderation"}, "CONTENT_POLICY", False),
        ({"state": "failed", "failure_reason": "Internal error, try again"}, "PROVIDER_UNAVAILABLE", True),
        ({"state": "failed", "failure_reason": "odd"}, "PROVIDER_INVALID_REQUEST", False),
        ({"state": "failed", "failure_reason": None}, "PROVIDER_INVALID_REQUEST", False),
        ({"state": "completed", "assets": None}, "PROVIDER_BAD_ANSWER", True),
        ({"state": "completed", "assets": {"video": None}}, "PROVIDER_BAD_ANSWER", True),
    ],
)
async def test_the_end_of_a_generation_has_its_class(changes: dict[str, Any], code: str, *, retryable: bool) -> None:
    async with contract_of(LUMA) as (service, contract), provider_of(LUMA, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= changes
        ended = await provider.check(job)
        gone = await provider.check("d1968551-old")
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (code, retryable)
    assert isinstance(gone, JobFailed)
    assert gone.error.code == "PROVIDER_JOB_GONE"
    assert gone.error.message.endswith("Its request id: d1968551-old.")


@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (error(400, "prompt didn't pass moderation"), "CONTENT_POLICY", 1),
        (error(400, "Insufficient credits"), "PROVIDER_QUOTA", 1),
        (error(400, "resolution is not valid"), "PROVIDER_INVALID_REQUEST", 1),
        (error(401, "x"), "PROVIDER_AUTH", 1),
        (error(402, "x"), "PROVIDER_QUOTA", 1),
        (error(403, "x"), "PROVIDER_AUTH", 1),
        (Reply(422, {"detail": [{"loc": ["body", "model"], "msg": "odd"}]}), "PROVIDER_INVALID_REQUEST", 1),
        (error(429, "x"), "PROVIDER_RATE_LIMITED", 3),
        (error(500, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(502, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(503, "x"), "PROVIDER_UNAVAILABLE", 3),
        (Reply(201, {"id": None}), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(201, b"<html>"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (b"HTTP/1.1 2", "PROVIDER_OUTCOME_UNKNOWN", 1),
    ],
)
async def test_a_failed_creation_has_its_class(reply: Reply | bytes, code: str, sent: int) -> None:
    async with contract_of(LUMA) as (service, _), provider_of(LUMA, service) as provider:
        service.script = [reply] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, len(service.requests)) == (code, sent)
    if isinstance(reply, Reply) and "luma-refused" in reply.headers.values():
        assert caught.value.request_id == "luma-refused"


async def test_a_generation_is_deleted_and_cannot_be_looked_up_by_our_name() -> None:
    async with contract_of(LUMA) as (service, contract), provider_of(LUMA, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        await provider.cancel(job)
        await provider.cancel(job)  # that it has gone is no error
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
    assert (contract.cancelled, caught.value.outcome_unknown) == ([job], True)


async def test_no_key_is_in_a_message() -> None:
    async with contract_of(LUMA) as (service, contract), provider_of(LUMA, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= {"state": "failed", "failure_reason": f"{KEY} went wrong"}
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert KEY not in ended.error.message


async def test_a_job_that_is_named_by_the_key_has_no_name() -> None:
    async with contract_of(LUMA) as (service, _), provider_of(LUMA, service) as provider:
        service.otherwise = lambda _: Reply(201, {"id": f"job-{KEY}", "state": "queued"})
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO", **SMALL), "job_1")
    assert (caught.value.code, KEY in str(caught.value)) == ("PROVIDER_OUTCOME_UNKNOWN", False)
