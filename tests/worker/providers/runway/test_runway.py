"""Runway, on a server that answers as its SDK says."""

from typing import Any

import pytest

from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.requests import make_request
from tests.helpers.runway_contract import KEY, RunwayContract, error
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.runway.gen import in_units, units


def kind(**fields: Any) -> Kind:
    return Kind("runway", RunwayContract, key=KEY, fields=fields)


async def test_it_is_asked_in_its_words_and_delivers() -> None:
    request = make_request("VIDEO", "风筝升起", negative_prompt="fog", **SMALL)
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert (body["route"], body["model"], body["ratio"]) == ("text_to_video", "gen4.5", "1280:720")
        assert (body["duration"], body["seed"]) == (2, 7)
        assert "风筝升起" in body["promptText"]
        assert "fog" in body["promptText"]
        assert await provider.check(job) == JobRunning()
        contract.jobs[job] |= {"status": "RUNNING", "progress": 0.4}
        assert await provider.check(job) == JobRunning(0.4)
        contract.finish(job, CLIP)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.request_id, provider.check_interval_seconds) == (CLIP, job, 6)
    report: Any = result.details["service"]
    assert report["clips"] == [{"cost": {"credits": 60}}]


async def test_a_source_picture_is_sent_along_and_has_more_shapes() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        request = make_request("VIDEO", source=sprite(1), width=600, height=600)
        job = await provider.submit(request, "job_1")
    assert (contract.bodies[job]["route"], contract.bodies[job]["ratio"]) == ("image_to_video", "960:960")


async def test_a_long_prompt_of_characters_of_two_units_fits() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO", "🪁" * 900, negative_prompt="fog"), "job_1")
    text = contract.bodies[job]["promptText"]
    assert units(text) in (999, 1000)
    assert text.endswith("Avoid: " + text.rpartition("Avoid: ")[2])


@pytest.mark.parametrize(
    ("text", "most", "fits"), [("a🪁b", 2, "a"), ("a🪁b", 3, "a🪁"), ("abc", 0, ""), ("abc", -4, "")]
)
def test_no_character_is_cut_in_two(text: str, most: int, fits: str) -> None:
    assert in_units(text, most) == fits


@pytest.mark.parametrize(
    ("model", "kinds", "seeds"),
    [
        ("gen4_turbo", {"IMAGE_TO_VIDEO"}, True),
        ("gen4.5", {"TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"}, True),
        ("veo3.1", {"TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"}, False),
    ],
)
async def test_each_model_has_its_ways(model: str, kinds: set[str], *, seeds: bool) -> None:
    one = kind(model=model)
    async with contract_of(one) as (service, contract), provider_of(one, service) as provider:
        job = await provider.submit(make_request("VIDEO", source=sprite(1), duration_seconds=5), "job_1")
    assert {str(item) for item in provider.capabilities.kinds} == kinds
    assert (provider.capabilities.seeds, "seed" in contract.bodies[job]) == (seeds, seeds)
    assert contract.bodies[job]["duration"] == (6 if model.startswith("veo") else 5)


async def test_options_say_what_a_model_takes() -> None:
    options = {"ratios": ["960:960"], "durations": [4], "seeds": False, "extra": {"outputFormat": "mp4"}}
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service, **options) as provider:
        job = await provider.submit(make_request("VIDEO", source=sprite(1)), "job_1")
    body = contract.bodies[job]
    assert (body["ratio"], body["duration"], body["outputFormat"], "seed" in body) == ("960:960", 4, "mp4", False)


@pytest.mark.parametrize(
    ("code", "expected", "retryable"),
    [
        ("SAFETY.INPUT.TEXT", "CONTENT_POLICY", False),
        ("SAFETY.OUTPUT.VIDEO", "CONTENT_POLICY", False),
        ("INPUT_PREPROCESSING.SAFETY.TEXT", "CONTENT_POLICY", False),
        ("INTERNAL.BAD_OUTPUT.CODE01", "PROVIDER_UNAVAILABLE", True),
        ("INPUT_PREPROCESSING.INTERNAL", "PROVIDER_UNAVAILABLE", True),
        ("THIRD_PARTY.UNAVAILABLE", "PROVIDER_UNAVAILABLE", True),
        (None, "PROVIDER_UNAVAILABLE", True),
        ("ASSET.INVALID", "PROVIDER_INVALID_REQUEST", False),
    ],
)
async def test_the_code_of_a_failure_decides(code: str | None, expected: str, *, retryable: bool) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.fail(job, code, f"{KEY} went wrong")
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable, KEY in ended.error.message) == (expected, retryable, False)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "CANCELLED"}, "PROVIDER_JOB_GONE"),
        ({"status": "SUCCEEDED", "output": []}, "PROVIDER_BAD_ANSWER"),
        ({"status": "SUCCEEDED", "output": None}, "PROVIDER_BAD_ANSWER"),
    ],
)
async def test_other_ends_have_their_class(changes: dict[str, Any], code: str) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= changes
        ended, gone = await provider.check(job), await provider.check("17f20503-old")
    assert isinstance(ended, JobFailed)
    assert isinstance(gone, JobFailed)
    assert (ended.error.code, gone.error.code) == (code, "PROVIDER_JOB_GONE")


@pytest.mark.parametrize("status", ["PENDING", "THROTTLED", "pondering", None])
async def test_other_states_are_waited_on(status: str | None) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job]["status"] = status
        assert await provider.check(job) == JobRunning()


@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (error(400, "Validation of body failed"), "PROVIDER_INVALID_REQUEST", 1),
        (error(400, "The prompt did not pass moderation"), "CONTENT_POLICY", 1),
        (error(400, "You do not have enough credits to run this task."), "PROVIDER_QUOTA", 1),
        (error(401, "x"), "PROVIDER_AUTH", 1),
        (error(404, "x"), "PROVIDER_INVALID_REQUEST", 1),
        (error(429, "x"), "PROVIDER_RATE_LIMITED", 3),
        (error(500, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(502, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(503, "x"), "PROVIDER_UNAVAILABLE", 3),
        (error(504, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, {}), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, b"<html>"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (b"HTTP/1.1 2", "PROVIDER_OUTCOME_UNKNOWN", 1),
    ],
)
async def test_a_failed_creation_has_its_class(reply: Reply | bytes, code: str, sent: int) -> None:
    async with contract_of(kind()) as (service, _), provider_of(kind(), service) as provider:
        service.script = [reply] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, len(service.requests)) == (code, sent)


async def test_a_task_is_cancelled_and_cannot_be_looked_up_by_our_name() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        await provider.cancel(job)
        await provider.cancel(job)  # that it has gone is no error
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
    assert (contract.cancelled, caught.value.outcome_unknown) == ([job], True)
