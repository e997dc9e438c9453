"""Kling, on a server that answers as its documentation says."""

import base64
from typing import Any

import jwt
import pytest

from domain.ids import IdPrefix, new_id
from tests.conftest import MovableClock
from tests.helpers.kling_contract import ACCESS_KEY, SECRET, KlingContract, error
from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError

KLING = Kind("kling", KlingContract, key=ACCESS_KEY, secret=SECRET)


@pytest.mark.parametrize("as_list", [True, False])
async def test_it_is_asked_in_its_words_and_delivers(*, as_list: bool) -> None:
    request = make_request("VIDEO", "风筝升起", negative_prompt="fog", **SMALL)
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert (body["model_name"], body["mode"], body["duration"]) == ("kling-v2-5-turbo", "pro", "5")
        assert (body["aspect_ratio"], body["external_task_id"]) == ("16:9", "job_1")
        assert "风筝升起" in body["prompt"]
        assert "fog" in body["negative_prompt"]
        contract.as_list = as_list
        assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.seed, result.request_id) == (CLIP, None, "text2video/866100")
    assert result.details["service"] == {"clips": [{"duration": "5.1"}]}
    assert provider.capabilities.seeds is False


async def test_a_source_picture_is_sent_bare_and_has_a_path_of_its_own() -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service) as provider:
        job = await provider.submit(make_request("VIDEO", source=sprite(1)), "job_1")
        assert await provider.check(job) == JobRunning()
    assert job == "image2video/866100"
    assert base64.b64decode(contract.bodies[job]["image"]).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("model", "asked", "seconds"), [("kling-v3", 4, "4"), ("kling-v1-6", 6, "10"), ("kling-v3", 0.5, "3")]
)
async def test_each_model_has_its_lengths(model: str, asked: float, seconds: str) -> None:
    kind = Kind("kling", KlingContract, key=ACCESS_KEY, secret=SECRET, fields={"model": model})
    async with contract_of(kind) as (service, contract), provider_of(kind, service, sound=False) as provider:
        job = await provider.submit(make_request("VIDEO", duration_seconds=asked), "job_1")
    assert (contract.bodies[job]["duration"], contract.bodies[job]["sound"]) == (seconds, "off")


async def test_a_token_is_signed_once_and_renewed_before_it_ends(clock: MovableClock) -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service, clock=clock) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        for seconds in (0, 1400, 101, 1499, 100):
            clock.advance(seconds)
            contract.now = clock.now().timestamp()
            assert await provider.check(job) == JobRunning()
    first, *later = [contract.tokens.index(token) for token in contract.tokens]
    assert [first, *later] == [0, 0, 0, 3, 3, 5]
    claims = jwt.decode(contract.tokens[0], SECRET, algorithms=["HS256"], options={"verify_signature": False})
    assert claims["iss"] == ACCESS_KEY
    assert claims["exp"] - claims["nbf"] == 1805
    assert jwt.get_unverified_header(contract.tokens[0]) == {"alg": "HS256", "typ": "JWT"}


async def test_a_token_that_the_service_calls_ended_is_signed_anew_once(clock: MovableClock) -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service, clock=clock) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        clock.advance(600)
        service.script = [error(401, 1004, "expired")]
        assert await provider.check(job) == JobRunning()
        assert len(set(contract.tokens)) == 2
        contract.now = clock.now().timestamp() + 7200  # its clock is two hours ahead: no token will do
        with pytest.raises(ProviderError) as caught:
            await provider.check(job)
    assert caught.value.code == "PROVIDER_AUTH"
    assert len(service.requests) == 1 + 2 + 1


async def test_a_creation_refused_for_an_ended_token_is_sent_again_and_makes_one_job(clock: MovableClock) -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service, clock=clock) as provider:
        await provider.find("job_0")
        clock.advance(600)
        service.script = [error(401, 1004, "expired")]
        await provider.submit(make_request("VIDEO"), "job_1")
    assert len(contract.created) == 1


async def test_a_plain_key_is_sent_as_it_is() -> None:
    kind = Kind("kling", KlingContract, key="kling-plain-key")
    async with contract_of(kind) as (service, _), provider_of(kind, service) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert service.requests[0].headers["authorization"] == "Bearer kling-plain-key"
    assert (caught.value.code, "kling-plain-key" in caught.value.message) == ("PROVIDER_AUTH", False)


@pytest.mark.parametrize(
    ("status", "code", "expected", "sent"),
    [
        (401, 1000, "PROVIDER_AUTH", 1),
        (401, 1002, "PROVIDER_AUTH", 1),
        (429, 1100, "PROVIDER_QUOTA", 1),
        (429, 1101, "PROVIDER_QUOTA", 1),
        (429, 1102, "PROVIDER_QUOTA", 1),
        (403, 1103, "PROVIDER_AUTH", 1),
        (400, 1201, "PROVIDER_INVALID_REQUEST", 1),
        (404, 1202, "PROVIDER_INVALID_REQUEST", 1),
        (400, 1300, "CONTENT_POLICY", 1),
        (400, 1301, "CONTENT_POLICY", 1),
        (429, 1302, "PROVIDER_RATE_LIMITED", 3),
        (429, 1303, "PROVIDER_RATE_LIMITED", 3),
        (429, 1304, "PROVIDER_AUTH", 1),
        (500, 5000, "PROVIDER_OUTCOME_UNKNOWN", 1),
        (503, 5001, "PROVIDER_UNAVAILABLE", 3),
        (504, 5002, "PROVIDER_OUTCOME_UNKNOWN", 1),
        (200, 1301, "CONTENT_POLICY", 1),
        (200, 9999, "PROVIDER_INVALID_REQUEST", 1),
    ],
)
async def test_the_code_decides_and_not_the_status(status: int, code: int, expected: str, sent: int) -> None:
    async with contract_of(KLING) as (service, _), provider_of(KLING, service) as provider:
        service.script = [error(status, code, "x")] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, len(service.requests)) == (expected, sent)
    assert caught.value.request_id == "kling-refused"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Failure to pass the risk control system", "CONTENT_POLICY"),
        ("内容敏感", "CONTENT_POLICY"),
        ("internal failure", "PROVIDER_INVALID_REQUEST"),
        ("", "PROVIDER_INVALID_REQUEST"),
    ],
)
async def test_a_job_that_failed_says_why(message: str, code: str) -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= {"task_status": "failed", "task_status_msg": message}
        ended = await provider.check(job)
        gone = await provider.check("text2video/1")
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable, message in ended.error.message) == (code, False, True)
    assert isinstance(gone, JobFailed)
    assert gone.error.code == "PROVIDER_JOB_GONE"


@pytest.mark.parametrize("result", [None, {}, {"videos": []}, {"videos": [{"id": "v1"}]}])
async def test_a_success_without_a_clip_is_a_bad_answer(result: dict[str, Any] | None) -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= {"task_status": "succeed", "task_result": result}
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert ended.error.code == "PROVIDER_BAD_ANSWER"


async def test_a_job_is_found_by_our_name_in_either_list() -> None:
    names = [new_id(IdPrefix.JOB) for _ in range(40)]
    async with contract_of(KLING) as (service, _), provider_of(KLING, service) as provider:
        for name in names:
            await provider.submit(make_request("VIDEO"), name)
        picture = await provider.submit(make_request("VIDEO", source=sprite(1)), "job_picture")
        assert await provider.find(names[0]) == "text2video/866100"
        assert await provider.find("job_picture") == picture
        assert await provider.find(new_id(IdPrefix.JOB)) is None


async def test_a_list_without_names_leaves_the_outcome_unknown() -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service) as provider:
        await provider.submit(make_request("VIDEO"), new_id(IdPrefix.JOB))
        contract.lists_names = False
        with pytest.raises(ProviderError) as caught:
            await provider.find(new_id(IdPrefix.JOB))
    assert caught.value.outcome_unknown


async def test_there_is_no_way_to_cancel_and_nothing_is_sent() -> None:
    async with contract_of(KLING) as (service, _), provider_of(KLING, service) as provider:
        await provider.cancel("text2video/1")
    assert service.requests == []


async def test_neither_key_nor_secret_nor_token_is_in_any_message(clock: MovableClock) -> None:
    async with contract_of(KLING) as (service, contract), provider_of(KLING, service, clock=clock) as provider:
        await provider.find("job_0")
        [token] = set(contract.tokens)
        service.script = [error(400, 1201, f"{token} {ACCESS_KEY} {SECRET} went wrong")]
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
        service.script = [Reply(418, f"{token} is a teapot")]
        with pytest.raises(ProviderError) as odd:
            await provider.submit(make_request("VIDEO"), "job_1")
    for message in (caught.value.message, odd.value.message):
        assert not [secret for secret in (token, ACCESS_KEY, SECRET) if secret in message]
    assert "went wrong" in caught.value.message
