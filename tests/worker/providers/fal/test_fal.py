"""fal, on a server that answers as its SDK and documentation say."""

from typing import Any

import pytest

from tests.helpers.fal_contract import KEY, FalContract, error
from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.painting import paint
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError


def kind(name: str = "fal-video", **fields: Any) -> Kind:
    return Kind(name, FalContract, key=KEY, fields=fields)


async def test_a_clip_is_asked_for_and_delivered() -> None:
    request = make_request("VIDEO", "风筝升起", negative_prompt="fog", **SMALL)
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        assert job == "fal-ai/kling-video/requests/9f1e-0"
        body = contract.bodies[job]
        assert body["model"] == "fal-ai/kling-video/v2.5-turbo/pro/text-to-video"
        assert (body["duration"], body["aspect_ratio"]) == ("5", "16:9")
        assert "风筝升起" in body["prompt"]
        assert "fog" in body["negative_prompt"]
        assert await provider.check(job) == JobRunning()
        contract.jobs[job]["status"] = "IN_PROGRESS"
        assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.request_id) == (CLIP, job)
    report: Any = result.details["service"]
    assert report["clips"][0]["metrics"] == {"inference_time": 1.9}


async def test_a_picture_is_painted_with_the_seed_that_the_service_tells() -> None:
    one = kind("fal-image")
    async with contract_of(one) as (service, contract), provider_of(one, service) as provider:
        job = await provider.submit(make_request("BACKGROUND"), "job_1")
        contract.finish(job, paint("", 512, 512, transparent=False))
        result = await provider.fetch(job, make_request("BACKGROUND"))
    body = contract.bodies[job]
    assert (set(body["image_size"]), body["output_format"], body["num_images"]) == ({"width", "height"}, "png", 1)
    assert (len(result.pictures), result.seed) == (1, 11)
    assert {str(item) for item in provider.capabilities.kinds} == {"TEXT_TO_IMAGE"}


async def test_pictures_have_a_model_of_their_own() -> None:
    one, model = kind("fal-image"), "fal-ai/nano-banana/edit"
    async with contract_of(one) as (service, contract), provider_of(one, service, picture_model=model) as provider:
        words = await provider.submit(make_request("ICON"), "job_1")
        picture = await provider.submit(make_request("ICON", source=sprite(1)), "job_2")
    assert (contract.bodies[words]["model"], contract.bodies[picture]["model"]) == ("fal-ai/flux/dev", model)
    assert len(contract.bodies[picture]["image_urls"]) == 1
    assert provider.capabilities.seeds is False  # one of the two takes none


async def test_a_model_for_pictures_only_is_offered_for_those() -> None:
    one = kind("fal-image", model="fal-ai/nano-banana/edit")
    request = make_request("ICON", source=sprite(1), references=(sprite(2),))
    async with contract_of(one) as (service, contract), provider_of(one, service, max_pictures=3) as provider:
        job = await provider.submit(request, "job_1")
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("ICON"), "job_2")
    assert len(contract.bodies[job]["image_urls"]) == 2
    assert caught.value.code == "PROVIDER_INVALID_REQUEST"
    assert {str(item) for item in provider.capabilities.kinds} == {"IMAGE_TO_IMAGE"}
    assert provider.capabilities.reference_images == 2


async def test_a_clip_begins_with_a_picture() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO", source=sprite(1)), "job_1")
    assert contract.bodies[job]["model"].endswith("/image-to-video")


@pytest.mark.parametrize(
    ("model", "options", "kinds"),
    [
        ("fal-ai/wan/v2.2/text-to-video", {}, {"TEXT_TO_VIDEO"}),
        ("fal-ai/wan/v2.2/image-to-video", {}, {"IMAGE_TO_VIDEO"}),
        ("a/b", {"picture_model": "a/c"}, {"TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"}),
    ],
)
async def test_models_say_in_their_names_what_they_begin_with(
    model: str, options: dict[str, Any], kinds: set[str]
) -> None:
    one = kind(model=model)
    async with contract_of(one) as (service, _), provider_of(one, service, **options) as provider:
        assert {str(item) for item in provider.capabilities.kinds} == kinds


async def test_the_operator_says_what_a_model_takes() -> None:
    one = kind("fal-image", model="fal-ai/flux/dev")
    options = {"inputs": {"num_images": ()}, "extra": {"num_inference_steps": 9}}
    async with contract_of(one) as (service, contract), provider_of(one, service, **options) as provider:
        job = await provider.submit(make_request("ICON"), "job_1")
    assert set(contract.bodies[job]) == {"model", "query", "prompt", "num_images", "num_inference_steps"}


def item(kind: str, message: str = "x") -> list[dict[str, Any]]:
    return [{"loc": ["body", "prompt"], "msg": message, "type": kind}]


@pytest.mark.parametrize(
    ("result", "status", "code", "retryable"),
    [
        (Reply(422, {"detail": item("content_policy_violation")}), {}, "CONTENT_POLICY", False),
        (Reply(422, {"detail": item("image_too_small")}), {}, "PROVIDER_INVALID_REQUEST", False),
        (
            Reply(500, {"detail": item("internal_server_error")}, {"x-fal-retryable": "true"}),
            {},
            "PROVIDER_UNAVAILABLE",
            True,
        ),
        (Reply(504, {"detail": item("generation_timeout")}), {}, "PROVIDER_TIMEOUT", True),
        (Reply(), {"error": "no runner", "error_type": "runner_scheduling_failure"}, "PROVIDER_UNAVAILABLE", True),
        (Reply(), {"error": "late", "error_type": "request_timeout"}, "PROVIDER_TIMEOUT", True),
        (Reply(), {"error": "flagged by a content checker"}, "CONTENT_POLICY", False),
        (Reply(), {"error": "odd"}, "PROVIDER_INVALID_REQUEST", False),
        (Reply(200, {"video": None}), {}, "PROVIDER_BAD_ANSWER", True),
        (
            Reply(200, {"images": [{"url": "https://x.test/a"}], "has_nsfw_concepts": [True]}),
            {},
            "CONTENT_POLICY",
            False,
        ),
    ],
)
async def test_completed_is_not_success(result: Reply, status: dict[str, Any], code: str, *, retryable: bool) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.ended(job, result, **status)
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (code, retryable)


@pytest.mark.parametrize("reply", [Reply(500, b"oops"), Reply(503), Reply(200, b"<html>"), Reply(401), Reply(429)])
async def test_a_result_that_cannot_be_read_just_now_is_not_the_end(reply: Reply) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.ended(job, reply)
        with pytest.raises(ProviderError):
            await provider.check(job)


async def test_a_job_that_it_does_not_know_any_more_has_ended() -> None:
    async with contract_of(kind()) as (service, _), provider_of(kind(), service) as provider:
        ended = await provider.check("fal-ai/flux/requests/old")
    assert isinstance(ended, JobFailed)
    assert ended.error.code == "PROVIDER_JOB_GONE"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/other/requests/9f1e-1",  # the key would go to another number
        "https://queue.fal.run/../../requests/9f1e-0",
        "",
        "::",
    ],
)
async def test_of_the_addresses_that_are_told_only_a_fitting_path_is_believed(address: str) -> None:
    async with contract_of(kind()) as (service, _), provider_of(kind(), service) as provider:
        service.script = [Reply(200, {"request_id": "9f1e-0", "response_url": address})]
        job = await provider.submit(make_request("VIDEO"), "job_1")
    assert job == "fal-ai/kling-video/requests/9f1e-0"


@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (error(401, "x"), "PROVIDER_AUTH", 1),
        (error(403, "x"), "PROVIDER_AUTH", 1),
        (error(403, "User is locked. Reason: Exhausted balance."), "PROVIDER_QUOTA", 1),
        (error(404, "x"), "PROVIDER_INVALID_REQUEST", 1),
        (Reply(422, {"detail": item("content_policy_violation")}), "CONTENT_POLICY", 1),
        (error(429, "x", **{"retry-after": "1"}), "PROVIDER_RATE_LIMITED", 3),
        (error(500, "x"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (error(504, "x", "request_timeout"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, {"status": "IN_QUEUE"}), "PROVIDER_OUTCOME_UNKNOWN", 1),
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


@pytest.mark.parametrize(("status", "cancelled"), [("IN_QUEUE", True), ("IN_PROGRESS", True), ("COMPLETED", False)])
async def test_a_job_is_asked_to_stop(status: str, *, cancelled: bool) -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job]["status"] = status
        await provider.cancel(job)
        await provider.cancel("fal-ai/flux/requests/gone")
    assert (contract.cancelled == [job]) is cancelled


async def test_it_cannot_be_looked_up_by_our_name_and_no_key_is_in_a_message() -> None:
    async with contract_of(kind()) as (service, contract), provider_of(kind(), service) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.ended(job, Reply(), error=f"{KEY} went wrong")
        ended = await provider.check(job)
    assert caught.value.outcome_unknown
    assert isinstance(ended, JobFailed)
    assert KEY not in ended.error.message
