"""Seedream, Seedance and the judge against aimock, whose idea of Ark and of chats is not ours."""

import base64
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.kinds import AssetType
from domain.styles import Style
from tests.helpers.aimock import running_aimock
from tests.helpers.ark_contract import KEY as ARK_KEY
from tests.helpers.ark_contract import ArkContract
from tests.helpers.chat_contract import BAD, GOOD
from tests.helpers.clients import client_of
from tests.helpers.clips import clip
from tests.helpers.lives import SMALL, Kind, provider_of
from tests.helpers.painting import paint
from tests.helpers.requests import ignored, make_request, run_here
from tests.helpers.service import Reply, ScriptedService, scripted
from tests.helpers.stub import sprite
from worker.artifacts import Picture, Verdict
from worker.providers.base import JobDone, JobFailed, ProviderError
from worker.providers.judge.contact import ContactJob
from worker.providers.judge.judge import Exhibit, Judge
from worker.providers.openai.judge import judge_openai

pytestmark = pytest.mark.clients
SEEDREAM = Kind("seedream", ArkContract, "/api/v3", asset_type="ICON", key=ARK_KEY)
SEEDANCE = Kind("seedance", ArkContract, "/api/v3", key=ARK_KEY)
CLIP = clip(count=12)


def fixture(endpoint: str, words: str, response: dict[str, Any], **match: str) -> dict[str, Any]:
    return {"match": {"endpoint": endpoint, "userMessage": words, **match}, "response": response}


def refusal(code: str, message: str = "refused") -> dict[str, Any]:
    return {"error": {"message": message, "type": "BadRequest", "code": code}, "status": 400}


def job(status: str, **fields: Any) -> dict[str, Any]:
    return {"json": {"id": "x", "model": "seedance", "status": status, "updated_at": 1796082360, **fields}}


def fixtures(clip_url: str) -> list[dict[str, Any]]:
    picture = base64.b64encode(paint("a kite", 1024, 1024, transparent=False)).decode()
    no_schemas = refusal("invalid_value", "Invalid parameter: 'response_format' of this type is not supported.")
    risk = {"code": "OutputVideoSensitiveContentDetected", "message": "The clip was held back."}
    return [
        fixture("image", "a kite", {"image": {"b64Json": picture}}),
        fixture("image", "gore", refusal("InputTextSensitiveContentDetected")),
        fixture("video", "a kite", job("succeeded", content={"video_url": clip_url}, usage={"total_tokens": 9})),
        fixture("video", "gore", job("failed", error=risk)),
        fixture("chat", "a plain server", no_schemas, responseFormat="json_schema"),
        fixture("chat", "a plain server", {"content": json.dumps(GOOD)}, responseFormat="json_object"),
        fixture("chat", "a hat", {"content": json.dumps(BAD)}, responseFormat="json_schema"),
    ]


@pytest.fixture
async def clips() -> AsyncIterator[ScriptedService]:
    """Where results lie, which is not where jobs are created."""
    async with scripted(otherwise=lambda _: Reply(200, CLIP, {"content-type": "video/mp4"})) as service:
        yield service


@pytest.fixture
def aimock(clips: ScriptedService, tmp_path: Path) -> Iterator[ScriptedService]:
    """A running aimock, as a service whose answers are not ours."""
    with running_aimock(fixtures(f"{clips.url}/clip.mp4"), tmp_path) as url:
        yield ScriptedService(port=httpx.URL(url).port or 0)


async def test_seedream_paints(aimock: ScriptedService) -> None:
    async with provider_of(SEEDREAM, aimock) as provider:
        result = await provider.generate(make_request("ICON", "a kite"), ignored)
    assert [(picture.width, picture.height) for picture in result.pictures] == [(64, 64)]


async def test_a_refusal_of_seedream_has_its_class(aimock: ScriptedService) -> None:
    async with provider_of(SEEDREAM, aimock) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.generate(make_request("ICON", "gore"), ignored)
    assert (caught.value.code, caught.value.retryable) == ("CONTENT_POLICY", False)


async def test_seedance_films(aimock: ScriptedService, clips: ScriptedService) -> None:
    request = make_request("VIDEO", "a kite", **SMALL)
    async with provider_of(SEEDANCE, aimock) as provider:
        external_id = await provider.submit(request, "job_1")
        assert await provider.check(external_id) == JobDone()
        result = await provider.fetch(external_id, request)
    assert (result.request_id, result.details["service"]) == (external_id, {"clips": [{"usage": {"total_tokens": 9}}]})
    [fetched] = clips.requests
    assert ARK_KEY not in str(fetched.headers)


async def test_a_clip_that_seedance_holds_back_has_its_class(aimock: ScriptedService) -> None:
    async with provider_of(SEEDANCE, aimock) as provider:
        external_id = await provider.submit(make_request("VIDEO", "gore", **SMALL), "job_1")
        looked = await provider.check(external_id)
    assert isinstance(looked, JobFailed)
    assert (looked.error.code, looked.error.retryable) == ("CONTENT_POLICY", False)
    assert "held back" in looked.error.message
    assert looked.error.request_id == external_id


@contextlib.asynccontextmanager
async def judge_at(service: ScriptedService) -> AsyncIterator[Judge]:
    async with client_of(f"{service.url}/v1", name="judge", judge=judge_openai) as client:
        yield Judge(client, "vision-1", run_here, 0.6)


@pytest.mark.parametrize(("subject", "passed"), [("a hat", False), ("a plain server", True)])
async def test_the_judge_gets_its_answer_with_a_schema_or_without(
    aimock: ScriptedService, subject: str, *, passed: bool
) -> None:
    shown = ContactJob((Picture(sprite(1), 64, 64),), transparent=True)
    async with judge_at(aimock) as judge:
        verdict = await judge.judge(Exhibit(AssetType.SPRITE, Style(), subject, shown))
    assert isinstance(verdict, Verdict)
    assert verdict.passed is passed
