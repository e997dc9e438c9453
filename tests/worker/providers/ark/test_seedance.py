"""Seedance, on a server that answers as Ark's SDK and documentation say."""

import base64
import time
from typing import Any

import pytest

from domain.ids import IdPrefix, new_id
from tests.helpers.ark_contract import KEY, ArkContract, error
from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.ark.seedance import mark_of, seedance_capabilities
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError

SEEDANCE = Kind("seedance", ArkContract, "/api/v3", key=KEY)


def kind_with(model: str) -> Kind:
    return Kind("seedance", ArkContract, "/api/v3", key=KEY, fields={"model": model})


async def test_it_is_asked_in_its_words_and_delivers() -> None:
    request = make_request("VIDEO", "风筝升起", **SMALL)
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert (body["model"], body["resolution"], body["ratio"]) == ("doubao-seedance-1-0-pro-250528", "480p", "4:3")
        assert (body["duration"], body["seed"], body["watermark"]) == (2, 7, False)
        assert "风筝升起" in body["content"][0]["text"]
        assert "generate_audio" not in body
        assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP, last_frame_url="https://else.example/x")
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.seed, result.request_id) == (CLIP, 7, job)
    report: Any = result.details["service"]
    assert report["clips"][0]["usage"] == {"completion_tokens": 108900, "total_tokens": 108900}


async def test_a_source_picture_is_the_first_frame_and_gives_the_shape() -> None:
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        job = await provider.submit(make_request("VIDEO", source=sprite(1), width=600, height=800), "job_1")
    words, picture = contract.bodies[job]["content"]
    assert (words["type"], picture["role"], contract.bodies[job]["ratio"]) == ("text", "first_frame", "adaptive")
    data = base64.b64decode(picture["image_url"]["url"].partition(",")[2])
    width, height = (int.from_bytes(data[place : place + 4], "big") for place in (16, 20))
    assert (width / height, width % 16) == (pytest.approx(0.75, rel=0.02), 0)


@pytest.mark.parametrize(
    ("model", "asked", "seconds", "sound"),
    [
        ("doubao-seedance-1-0-pro-250528", 9.5, 10, None),
        ("doubao-seedance-1-5-pro-251215", 2, 4, False),
        ("ep-20261201-abcde", 3, 4, None),
    ],
)
async def test_each_model_is_asked_for_what_it_takes(
    model: str, asked: float, seconds: int, *, sound: bool | None
) -> None:
    kind = kind_with(model)
    async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
        job = await provider.submit(make_request("VIDEO", duration_seconds=asked), "job_1")
    assert (contract.bodies[job]["duration"], contract.bodies[job].get("generate_audio")) == (seconds, sound)


async def test_options_are_sent_as_they_are() -> None:
    options = {"resolution": "1080p", "service_tier": "flex", "camera_fixed": True, "extra": {"draft": True}}
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service, **options) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        assert provider.check_interval_seconds == 5
    body = contract.bodies[job]
    assert (body["resolution"], body["service_tier"], body["camera_fixed"], body["draft"]) == (
        "1080p",
        "flex",
        True,
        True,
    )


def test_a_model_that_films_from_words_or_pictures_only_says_so_in_its_name() -> None:
    kinds = [
        {str(kind) for kind in seedance_capabilities(model).kinds}
        for model in ("doubao-seedance-1-0-lite-t2v-250428", "doubao-seedance-1-0-lite-i2v-250428", "ep-1")
    ]
    assert kinds == [{"TEXT_TO_VIDEO"}, {"IMAGE_TO_VIDEO"}, {"TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"}]


@pytest.mark.parametrize(
    ("changes", "code", "retryable"),
    [
        (
            {"status": "failed", "error": {"code": "OutputVideoSensitiveContentDetected", "message": "x"}},
            "CONTENT_POLICY",
            False,
        ),
        ({"status": "failed", "error": {"code": "InternalServiceError", "message": "x"}}, "PROVIDER_UNAVAILABLE", True),
        ({"status": "failed", "error": {"code": "Odd", "message": "x"}}, "PROVIDER_INVALID_REQUEST", False),
        ({"status": "failed", "error": None}, "PROVIDER_INVALID_REQUEST", False),
        ({"status": "expired"}, "PROVIDER_TIMEOUT", True),
        ({"status": "cancelled"}, "PROVIDER_JOB_GONE", False),
        ({"status": "succeeded"}, "PROVIDER_BAD_ANSWER", True),
        ({"status": "succeeded", "content": {"video_url": ""}}, "PROVIDER_BAD_ANSWER", True),
    ],
)
async def test_the_end_of_a_job_has_its_class(changes: dict[str, Any], code: str, *, retryable: bool) -> None:
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.tasks[job] |= changes
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (code, retryable)


@pytest.mark.parametrize("status", ["queued", "running", "pondering", None])
async def test_other_states_are_waited_on(status: str | None) -> None:
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.tasks[job]["status"] = status
        assert await provider.check(job) == JobRunning()


async def test_a_job_that_it_does_not_know_any_more_has_ended() -> None:
    async with contract_of(SEEDANCE) as (service, _), provider_of(SEEDANCE, service) as provider:
        ended = await provider.check("cgt-old")
    assert isinstance(ended, JobFailed)
    assert ended.error.code == "PROVIDER_JOB_GONE"


@pytest.mark.parametrize(
    ("reply", "code", "unknown"),
    [
        (error(400, "InputTextSensitiveContentDetected", "x"), "CONTENT_POLICY", False),
        (error(400, "InvalidParameter", "x"), "PROVIDER_INVALID_REQUEST", False),
        (error(401, "AuthenticationError", "x"), "PROVIDER_AUTH", False),
        (error(403, "AccountOverdueError", "x"), "PROVIDER_QUOTA", False),
        (error(429, "QuotaExceeded", "x"), "PROVIDER_QUOTA", False),
        (error(502, "", "x"), "PROVIDER_OUTCOME_UNKNOWN", True),
        (Reply(200, {"id": ""}), "PROVIDER_OUTCOME_UNKNOWN", True),
        (b"HTTP/1.1 2", "PROVIDER_OUTCOME_UNKNOWN", True),
    ],
)
async def test_a_failed_creation_has_its_class_and_is_sent_once(
    reply: Reply | bytes, code: str, *, unknown: bool
) -> None:
    async with contract_of(SEEDANCE) as (service, _), provider_of(SEEDANCE, service) as provider:
        service.script = [reply]
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, caught.value.outcome_unknown, len(service.requests)) == (code, unknown, 1)


async def test_a_job_is_found_by_its_mark_among_many_and_only_by_that() -> None:
    names = [new_id(IdPrefix.JOB) for _ in range(250)]
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        first = await provider.submit(make_request("VIDEO"), names[0])
        contract.tasks |= {
            f"cgt-{name}": {**contract.tasks[first], "id": f"cgt-{name}", "execution_expires_after": mark_of(name)}
            for name in names[1:]
        }
        assert await provider.find(names[0]) == first
        assert await provider.find(names[200]) == f"cgt-{names[200]}"
        assert await provider.find(new_id(IdPrefix.JOB)) is None
    assert len({mark_of(name) for name in names}) > 240
    assert all(3600 <= mark_of(name) <= 259_200 for name in names)


async def test_a_job_from_before_the_name_was_made_is_another_one() -> None:
    name = new_id(IdPrefix.JOB)
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        contract.now = int(time.time()) - 3600
        await provider.submit(make_request("VIDEO"), name)
        assert await provider.find(name) is None


@pytest.mark.parametrize("reply", [None, Reply(200, {}), Reply(500), Reply(200, b"<html>")])
async def test_a_list_that_does_not_tell_leaves_the_outcome_unknown(reply: Reply | None) -> None:
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        await provider.submit(make_request("VIDEO"), "job_1")
        contract.lists_little = True
        if reply is not None:
            service.otherwise = lambda _: reply
        with pytest.raises(ProviderError):
            await provider.find("job_2")


@pytest.mark.parametrize(("status", "deleted"), [("queued", True), ("running", False), ("succeeded", False)])
async def test_a_job_that_waits_is_cancelled_and_no_record_is_deleted(status: str, *, deleted: bool) -> None:
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.tasks[job]["status"] = status
        await provider.cancel(job)
        await provider.cancel("cgt-gone")  # that it has gone is no error
    assert (contract.deleted == [job]) is deleted
    assert job in contract.tasks


async def test_no_key_goes_to_where_results_lie_and_none_into_messages() -> None:
    async with contract_of(SEEDANCE) as (service, contract), provider_of(SEEDANCE, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.fail(job, "InternalServiceError", f"with {KEY} it went wrong")
        ended = await provider.check(job)
        assert isinstance(ended, JobFailed)
        assert KEY not in ended.error.message
        contract.finish(job, CLIP)
        await provider.fetch(job, make_request("VIDEO", **SMALL))  # the contract refuses the key there
