"""Our OpenAI provider against aimock, a server of OpenAI's API that others have written."""

import base64
import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest

from domain.clock import SystemClock
from tests.helpers.aimock import running_aimock
from tests.helpers.clients import Seconds, client_of, tls_of_nobody
from tests.helpers.painting import paint
from tests.helpers.requests import ignored, make_request, run_here
from worker.providers.base import ProviderError
from worker.providers.http.download import Downloader
from worker.providers.openai.judge import judge_openai
from worker.providers.openai.options import OpenAIOptions
from worker.providers.openai.painter import OpenAIPainter
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork


def fixtures() -> list[dict[str, Any]]:
    picture = base64.b64encode(paint("a kite", 1024, 1024, transparent=True)).decode()
    refusal = {"message": "rejected", "type": "image_generation_user_error", "code": "moderation_blocked"}
    busy = {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}
    return [
        {"match": {"endpoint": "image", "userMessage": "a kite"}, "response": {"image": {"b64Json": picture}}},
        {"match": {"endpoint": "image", "userMessage": "forbidden"}, "response": {"error": refusal, "status": 400}},
        {
            "match": {"endpoint": "image", "userMessage": "busy"},
            "response": {"error": busy, "status": 429, "retryAfter": 7},
        },
    ]


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running aimock."""
    with running_aimock(fixtures(), tmp_path_factory.mktemp("aimock")) as url:
        yield f"{url}/v1"


async def nowhere(host: str, port: int) -> Sequence[str]:
    raise OSError(host)


@contextlib.asynccontextmanager
async def provider_at(url: str, seconds: Seconds | None = None) -> AsyncIterator[PictureProvider]:
    async with client_of(url, seconds, judge=judge_openai) as client:
        downloader = Downloader(nowhere, tls_of_nobody())
        painter = OpenAIPainter(client, downloader, "gpt-image-2", OpenAIOptions(transparency=True), SystemClock())
        yield PictureProvider(PictureWork("openai", "gpt-image-2", painter.traits, run_here), painter)


@pytest.mark.clients
async def test_a_picture_comes_from_aimock(aimock: str) -> None:
    async with provider_at(aimock) as provider:
        result = await provider.generate(make_request("ICON", "a kite"), ignored)
    assert [(picture.width, picture.height) for picture in result.pictures] == [(64, 64)]


@pytest.mark.clients
async def test_refusals_of_aimock_have_their_class(aimock: str) -> None:
    async with provider_at(aimock) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.generate(make_request("ICON", "forbidden"), ignored)
    assert (caught.value.code, caught.value.retryable) == ("CONTENT_POLICY", False)


@pytest.mark.clients
async def test_the_wait_that_aimock_asks_for_is_kept(aimock: str) -> None:
    seconds = Seconds()
    async with provider_at(aimock, seconds) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.generate(make_request("ICON", "busy"), ignored)
    assert caught.value.code == "PROVIDER_RATE_LIMITED"
    assert seconds.slept == [7.5, 7.5]
