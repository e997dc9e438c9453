"""FLUX, on a server that answers as its documentation says."""

import base64
from typing import Any

import pytest

from domain.styles import Style
from tests.helpers.bfl_contract import KEY, BflContract, error
from tests.helpers.lives import Kind, contract_of, provider_of
from tests.helpers.painting import paint
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.bfl.flux import same_domain


def kind(**fields: Any) -> Kind:
    return Kind("flux", BflContract, asset_type="SPRITE", key=KEY, fields=fields)


async def test_it_is_asked_in_its_words_and_delivers() -> None:
    request = make_request("ICON", "风筝", negative_prompt="fog")
    options = {"safety_tolerance": 2, "prompt_upsampling": True}
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service, **options) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert (job, body["model"], body["seed"], body["output_format"]) == ("8c2f-0", "flux-2-pro", 7, "png")
        assert (body["width"], body["height"], body["safety_tolerance"]) == (1024, 1024, 2)
        assert "风筝" in body["prompt"]
        assert body["prompt_upsampling"] is True
        assert await provider.check(job) == JobRunning()
        contract.jobs[job]["progress"] = 0.4
        assert await provider.check(job) == JobRunning(0.4)
        contract.finish(job, paint("", 512, 512, transparent=False))
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (len(result.pictures), result.seed, result.request_id) == (1, 7, job)


@pytest.mark.parametrize("shown", [False, True])
async def test_a_prompt_is_told_as_sent_only_where_that_is_known(*, shown: bool) -> None:
    style = Style(reference_image_ids=("img_1",) if shown else ())
    created = make_request("ICON", "风筝", style=style, references=(sprite(2),) if shown else ())
    asked_again = make_request("ICON", "风筝", style=style)  # for the result nobody reads the style's pictures again
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(created, "job_1")
        contract.finish(job, paint("", 512, 512, transparent=False))
        result = await provider.fetch(job, asked_again)
    [picture] = result.details["service"]["pictures"]
    if shown:
        assert "sentPrompt" not in picture
    else:
        assert contract.bodies[job]["prompt"].startswith(picture["sentPrompt"])
        assert "风筝" in picture["sentPrompt"]


@pytest.mark.parametrize(
    ("model", "fields", "references"),
    [
        ("flux-2-max", {"width", "height"}, 3),
        ("flux-kontext-pro", {"aspect_ratio"}, 0),
        ("flux-pro-1.1", {"width", "height"}, 0),
        ("flux-pro-1.1-ultra", {"aspect_ratio"}, 0),
    ],
)
async def test_each_model_is_asked_for_what_it_takes(model: str, fields: set[str], references: int) -> None:
    one = kind(model=model)
    async with contract_of(one) as (service, contract), provider_of(one, service) as provider:
        job = await provider.submit(make_request("BACKGROUND", width=960, height=540), "job_1")
    assert set(contract.bodies[job]) & {"width", "height", "aspect_ratio"} == fields
    assert provider.capabilities.reference_images == references
    assert ("IMAGE_TO_IMAGE" in {str(item) for item in provider.capabilities.kinds}) is ("1.1" not in model)


async def test_pictures_are_sent_bare_and_numbered() -> None:
    request = make_request("ICON", source=sprite(1), references=(sprite(2), sprite(3)))
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(request, "job_1")
    names = sorted(name for name in contract.bodies[job] if name.startswith("input_image"))
    assert names == ["input_image", "input_image_2", "input_image_3"]
    assert base64.b64decode(contract.bodies[job]["input_image_2"]).startswith(b"\x89PNG")


async def test_a_job_is_asked_about_at_the_address_that_was_named() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        contract.polling = f"{service.url}/v1/get_regional"
        job = await provider.submit(make_request("ICON"), "job_1")
        assert await provider.check(job) == JobRunning()
        contract.jobs["8c2f-0"] |= {"status": "Content Moderated"}
        ended = await provider.check(job)
    assert service.requests[-1].path == "/v1/get_regional?id=8c2f-0"
    assert isinstance(ended, JobFailed)
    assert ended.error.request_id == "8c2f-0"


@pytest.mark.parametrize("place", ["https://evil.example/v1/get_result", "ftp://x", "", "https://user@127.0.0.1/x"])
async def test_no_key_goes_to_an_address_of_another_domain(place: str) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        contract.polling = place
        job = await provider.submit(make_request("ICON"), "job_1")
        assert (job, await provider.check(job)) == ("8c2f-0", JobRunning())


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("https://api.eu4.bfl.ai/v1/get_result?id=1", True),
        ("https://api.bfl.ai/v1/get_result?id=1", True),
        ("http://api.eu4.bfl.ai/v1/get_result?id=1", False),
        ("https://api.eu4.bfl.ai:444/v1/get_result?id=1", False),
        ("https://api.eu4.bfl.ai@evil.example/", False),
        ("https://evilbfl.ai/", False),
        ("https://bfl.ai.evil.example/", False),
        ("/v1/get_result?id=1", False),
    ],
)
def test_hosts_of_the_same_domain_are_the_services_own(url: str, *, fits: bool) -> None:
    assert same_domain(url, "https://api.bfl.ai") is fits


def test_numbers_have_no_domain() -> None:
    assert not same_domain("https://10.7.0.1/", "https://10.9.0.1")
    assert not same_domain("https://evil.localhost/", "https://localhost")


@pytest.mark.parametrize(
    ("changes", "code", "retryable"),
    [
        ({"status": "Request Moderated", "details": {"Moderation Reasons": ["Violence"]}}, "CONTENT_POLICY", False),
        ({"status": "Content Moderated", "details": None}, "CONTENT_POLICY", False),
        ({"status": "Error", "details": "odd"}, "PROVIDER_UNAVAILABLE", True),
        ({"status": "Task not found"}, "PROVIDER_JOB_GONE", False),
        ({"status": "Ready", "result": None}, "PROVIDER_BAD_ANSWER", True),
        ({"status": "Ready", "result": {"sample": ""}}, "PROVIDER_BAD_ANSWER", True),
    ],
)
async def test_the_end_of_a_job_has_its_class(changes: dict[str, Any], code: str, *, retryable: bool) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("ICON"), "job_1")
        contract.jobs[job] |= changes
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (code, retryable)
    if changes["status"] == "Request Moderated":
        assert "Violence" in ended.error.message


@pytest.mark.parametrize("status", ["Pending", "Queued", "pondering", None])
async def test_other_states_are_waited_on(status: str | None) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("ICON"), "job_1")
        contract.jobs[job]["status"] = status
        assert await provider.check(job) == JobRunning()


@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (error(400, "x"), "PROVIDER_INVALID_REQUEST", 1),
        (error(402, "x"), "PROVIDER_QUOTA", 1),
        (error(403, "x"), "PROVIDER_AUTH", 1),
        (Reply(422, {"detail": [{"loc": ["body", "width"], "msg": "too large"}]}), "PROVIDER_INVALID_REQUEST", 1),
        (error(429, "x"), "PROVIDER_RATE_LIMITED", 3),
        (error(500, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(502, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(503, "x"), "PROVIDER_UNAVAILABLE", 3),
        (Reply(200, {}), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, b"<html>"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (b"HTTP/1.1 2", "PROVIDER_OUTCOME_UNKNOWN", 1),
    ],
)
async def test_a_failed_creation_has_its_class(reply: Reply | bytes, code: str, sent: int) -> None:
    async with contract_of(kind()) as (service, _), provider_of(kind(), service) as provider:
        service.script = [reply] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("ICON"), "job_1")
    assert (caught.value.code, len(service.requests)) == (code, sent)
    if isinstance(reply, Reply) and reply.status == 422:
        assert "width: too large" in caught.value.message


async def test_nothing_is_sent_to_cancel_or_to_look_for_a_job() -> None:
    async with contract_of(kind()) as (service, _), provider_of(kind(), service) as provider:
        await provider.cancel("8c2f-0")
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
    assert (caught.value.outcome_unknown, service.requests) == (True, [])
