"""MiniMax, on a server that answers as its documentation says."""

from typing import Any

import pytest

from tests.helpers.lives import CLIP, SMALL, Kind, contract_of, provider_of
from tests.helpers.minimax_contract import KEY, MiniMaxContract, said
from tests.helpers.requests import make_request
from tests.helpers.service import Reply
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.minimax.hailuo import minimax_capabilities

HAILUO = Kind("minimax", MiniMaxContract, key=KEY)
H3 = Kind("minimax", MiniMaxContract, key=KEY, fields={"model": "MiniMax-H3"})


def kind_with(model: str) -> Kind:
    return Kind("minimax", MiniMaxContract, key=KEY, fields={"model": model})


async def test_hailuo_is_asked_in_its_words_and_its_file_is_fetched() -> None:
    request = make_request("VIDEO", "风筝升起", negative_prompt="fog", **SMALL)
    async with contract_of(HAILUO) as (service, contract), provider_of(HAILUO, service) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        body = contract.bodies[job]
        assert (body["model"], body["duration"], body["resolution"]) == ("MiniMax-Hailuo-2.3", 6, "768P")
        assert body["prompt_optimizer"] is False
        assert "风筝升起" in body["prompt"]
        assert "Avoid: fog" in body["prompt"]
        for status in ("Queueing", "Preparing", "Processing", "Pondering"):
            contract.jobs[job]["status"] = status
            assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert (result.clip, result.seed, result.request_id) == (CLIP, None, job)
    assert result.details["service"] == {"clips": [{"video_width": 1366}]}
    assert [request.path.partition("?")[0] for request in service.requests][-3:] == [
        "/v1/query/video_generation",
        "/v1/files/retrieve",
        f"/files/{job}.mp4",
    ]


@pytest.mark.parametrize("wraps", [True, False])
async def test_h3_is_asked_in_its_words_and_delivers(*, wraps: bool) -> None:
    request = make_request("VIDEO", **SMALL)
    async with contract_of(H3) as (service, contract), provider_of(H3, service) as provider:
        contract.wraps = wraps
        job = await provider.submit(request, "job_1")
        assert contract.bodies[job] == {
            "model": "MiniMax-H3",
            "content": contract.bodies[job]["content"],
            "duration": 5,
            "resolution": "768P",
            "ratio": "4:3",
            "watermark": False,
        }
        for status in ("queued", "running", "pondering"):
            contract.jobs[job]["status"] = status
            assert await provider.check(job) == JobRunning()
        contract.finish(job, CLIP)
        result = await provider.fetch(job, request)
    assert (result.clip, result.model) == (CLIP, "MiniMax-H3")


async def test_a_source_picture_is_the_first_frame() -> None:
    request = make_request("VIDEO", source=sprite(1))
    for kind in (HAILUO, H3):
        async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
            body = contract.bodies[await provider.submit(request, "job_1")]
        if kind is HAILUO:
            assert body["first_frame_image"].startswith("data:image/png;base64,")
        else:
            assert (body["content"][1]["role"], body["ratio"]) == ("first_frame", "adaptive")


@pytest.mark.parametrize(
    ("model", "options", "seconds", "resolution"),
    [
        ("MiniMax-Hailuo-02", {}, 10, "768P"),
        ("MiniMax-Hailuo-02", {"resolution": "1080P"}, 6, "1080P"),
        ("T2V-01", {}, 6, None),
        ("MiniMax-Hailuo-02", {"durations": (6, 10), "resolution": "512P"}, 10, "512P"),
    ],
)
async def test_each_model_is_asked_for_what_it_takes(
    model: str, options: dict[str, Any], seconds: int, resolution: str | None
) -> None:
    kind = kind_with(model)
    async with contract_of(kind) as (service, contract), provider_of(kind, service, **options) as provider:
        body = contract.bodies[await provider.submit(make_request("VIDEO", duration_seconds=8), "job_1")]
    assert (body["duration"], body.get("resolution")) == (seconds, resolution)


def test_the_oldest_models_say_what_they_film_from() -> None:
    kinds = [
        sorted(str(kind) for kind in minimax_capabilities(model).kinds)
        for model in ("T2V-01-Director", "I2V-01", "MiniMax-Hailuo-2.3")
    ]
    assert kinds == [["TEXT_TO_VIDEO"], ["IMAGE_TO_VIDEO"], ["IMAGE_TO_VIDEO", "TEXT_TO_VIDEO"]]


@pytest.mark.parametrize("kind", [HAILUO, H3], ids=str)
@pytest.mark.parametrize(
    ("code", "message", "expected", "retryable"),
    [
        (1027, "output new_sensitive", "CONTENT_POLICY", False),
        (0, "the output is sensitive", "CONTENT_POLICY", False),
        (1024, "internal error", "PROVIDER_UNAVAILABLE", True),
        (7777, "odd", "PROVIDER_INVALID_REQUEST", False),
    ],
)
async def test_a_job_that_failed_has_its_class(
    kind: Kind, code: int, message: str, expected: str, *, retryable: bool
) -> None:
    async with contract_of(kind) as (service, contract), provider_of(kind, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.fail(job, code or 9999, message)
        ended = await provider.check(job)
        gone = await provider.check("1")
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.retryable) == (expected, retryable)
    assert message in ended.error.message
    assert isinstance(gone, JobFailed)
    assert gone.error.code == "PROVIDER_JOB_GONE"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "expired"}, "PROVIDER_TIMEOUT"),
        ({"status": "cancelled"}, "PROVIDER_JOB_GONE"),
        ({"status": "succeeded"}, "PROVIDER_BAD_ANSWER"),
        ({"status": "failed"}, "PROVIDER_INVALID_REQUEST"),
    ],
)
async def test_other_ends_of_h3_have_their_class(changes: dict[str, Any], code: str) -> None:
    async with contract_of(H3) as (service, contract), provider_of(H3, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= changes
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert ended.error.code == code


async def test_a_success_whose_file_is_not_there_is_a_bad_answer() -> None:
    async with contract_of(HAILUO) as (service, contract), provider_of(HAILUO, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        contract.jobs[job] |= {"status": "Success", "file_id": "1"}
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert ended.error.code == "PROVIDER_BAD_ANSWER"


@pytest.mark.parametrize("kind", [HAILUO, H3], ids=str)
@pytest.mark.parametrize(
    ("reply", "code", "sent"),
    [
        (said(1026, "input new_sensitive", task_id=""), "CONTENT_POLICY", 1),
        (said(1004, "login fail"), "PROVIDER_AUTH", 1),
        (said(2049, "invalid api key"), "PROVIDER_AUTH", 1),
        (said(1008, "insufficient balance"), "PROVIDER_QUOTA", 1),
        (said(2056, "usage limit exceeded"), "PROVIDER_QUOTA", 1),
        (said(1002, "rate limit"), "PROVIDER_RATE_LIMITED", 3),
        (said(2013, "invalid params"), "PROVIDER_INVALID_REQUEST", 1),
        (said(7777, "odd"), "PROVIDER_INVALID_REQUEST", 1),
        (said(1001, "timeout"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (said(1000, "unknown error"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (said(1024, "internal error"), "PROVIDER_UNAVAILABLE", 1),
        (said(0, "success", task_id=""), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, {"error": {"code": "content_policy", "message": "no"}}), "CONTENT_POLICY", 1),
        (Reply(502, b"bad gateway"), "PROVIDER_OUTCOME_UNKNOWN", 1),
        (Reply(200, b"<html>"), "PROVIDER_OUTCOME_UNKNOWN", 1),
    ],
)
async def test_a_failed_creation_has_its_class_although_the_status_is_200(
    kind: Kind, reply: Reply, code: str, sent: int
) -> None:
    async with contract_of(kind) as (service, _), provider_of(kind, service) as provider:
        service.script = [reply] * 3
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("VIDEO"), "job_1")
    assert (caught.value.code, len(service.requests)) == (code, sent)


@pytest.mark.parametrize("kind", [HAILUO, H3], ids=str)
async def test_jobs_can_neither_be_looked_up_nor_stopped(kind: Kind) -> None:
    async with contract_of(kind) as (service, _), provider_of(kind, service) as provider:
        await provider.cancel("1")
        with pytest.raises(ProviderError) as caught:
            await provider.find("job_1")
    assert (caught.value.outcome_unknown, service.requests) == (True, [])


async def test_asking_again_about_a_job_is_safe_and_done_by_itself() -> None:
    async with contract_of(HAILUO) as (service, _), provider_of(HAILUO, service) as provider:
        job = await provider.submit(make_request("VIDEO"), "job_1")
        service.script = [said(1001, "timeout"), said(1024, "internal")]
        assert await provider.check(job) == JobRunning()
