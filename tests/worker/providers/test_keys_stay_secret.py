"""A service that repeats every word it was sent, the key above all, wherever an answer has room: nobody reads it."""

import asyncio
import base64
import contextlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import SecretStr

from domain.clock import SystemClock
from domain.kinds import AssetType
from domain.provider_settings import JudgeEntry, ProviderEntry, ProviderType
from domain.styles import Style
from tests.helpers.clients import tls_of_nobody
from tests.helpers.comfyui_contract import SLOTS, WORKFLOW
from tests.helpers.requests import ignored, make_request, run_here
from tests.helpers.service import Reply, Request, Script, scripted
from tests.helpers.stub import sprite
from worker.artifacts import Picture
from worker.providers.base import AsynchronousProvider, JobFailed, ProviderError
from worker.providers.factory import Configured, ProviderFactory
from worker.providers.judge.contact import ContactJob
from worker.providers.judge.judge import Exhibit
from worker.providers.probe import log_probes
from worker.providers.registry import AnyProvider

CANARY = "canary-7f3b9c51e2"
SECRET = "canary-secret-4d1a"
#: As it travels where a user name and password are wanted.
BASIC = base64.b64encode(CANARY.encode()).decode()
MODELS = {
    "replicate-image": "someone/painter",
    "replicate-video": "someone/filmer",
    "fal-image": "fal-ai/painter",
    "fal-video": "fal-ai/filmer",
}
STATUSES = [200, 201, 302, 400, 401, 402, 403, 404, 408, 409, 418, 422, 429, 500, 502, 503, 504, 599]


async def here(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def parrot(status: int, *, plain: bool) -> Any:
    """What a request said, in every field that any service has for words."""

    def repeat(request: Request) -> Script:
        words = " ".join([CANARY, BASIC, SECRET, request.path, *request.headers.values()])
        headers = {"x-request-id": CANARY, "location": f"http://127.0.0.1/{CANARY}", "x-fal-request-id": CANARY}
        if plain:
            return Reply(status, words, headers)
        fields = ("message", "detail", "title", "code", "request_id", "id", "status", "name", "errors", "failure")
        error = dict.fromkeys(fields, words)
        answer = {**error, "error": error, "base_resp": {"status_code": 1004, "status_msg": words}}
        return Reply(status, answer, headers)

    return repeat


def entry_of(kind: str, url: str, tmp_path: Path) -> ProviderEntry:
    options: dict[str, Any] = {}
    if kind == "comfyui":
        file = tmp_path / "workflow.json"
        file.write_text(json.dumps(WORKFLOW))
        options = {"text_to_image": {"file": str(file), "slots": SLOTS}}
    return ProviderEntry(
        name="studio",
        type=kind,
        base_url=url,
        local=False,
        key=SecretStr(CANARY),
        secret=SecretStr(SECRET),
        model=MODELS.get(kind, ""),
        options=options,
        connect_seconds=2,
        timeout_seconds=5,
    )


async def _once(provider: AnyProvider) -> list[str]:
    """What is said when the provider is used in every way."""
    said = []
    request = make_request("VIDEO" if "VIDEO" in provider.capabilities.asset_types else "ICON", "a kite")
    if not isinstance(provider, AsynchronousProvider):
        with pytest.raises(ProviderError) as caught:
            await provider.generate(request, ignored)
        return [caught.value.message, str(caught.value.request_id)]
    for ask in (
        lambda: provider.submit(request, "job_1"),
        lambda: provider.find("job_1"),
        lambda: provider.check("1"),
        lambda: provider.fetch("1", request),
        lambda: provider.cancel("1"),
    ):
        try:
            answer = await ask()
        except ProviderError as error:
            said += [error.message, str(error.request_id)]
        else:
            if isinstance(answer, JobFailed):
                said += [answer.error.message, str(answer.error.request_id)]
    return said


@contextlib.asynccontextmanager
async def made(entry: ProviderEntry) -> Any:
    factory = ProviderFactory(run_here, here, tls_of_nobody(), SystemClock())
    configured = factory.build([entry])
    try:
        yield configured
    finally:
        await configured.aclose()


def assert_clean(texts: Sequence[str], secrets: Sequence[str] = (CANARY, SECRET, BASIC)) -> None:
    for text in texts:
        for secret in secrets:
            assert secret not in text


def quick(configured: Configured) -> None:
    """Have no wait between tries."""

    async def no_wait(_: float) -> None:
        await asyncio.sleep(0)

    for client in configured.clients:
        client._sleep = no_wait  # type: ignore[assignment]


@pytest.mark.parametrize("kind", get_args(ProviderType))
@pytest.mark.parametrize("plain", [True, False])
async def test_no_failure_repeats_a_key(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, *, plain: bool
) -> None:
    said = []
    with caplog.at_level(logging.DEBUG, "worker"):
        for status in STATUSES:
            async with scripted(otherwise=parrot(status, plain=plain)) as service:
                async with made(entry_of(kind, service.url, tmp_path)) as configured:
                    quick(configured)
                    said += await _once(configured.providers[0])
                    await log_probes(configured.probes)
                    [info] = configured.registry().describe()
                    said.append(str(info.unavailable_reason))
                assert service.requests
    assert len(said) > len(STATUSES)
    assert_clean([*said, caplog.text])


@pytest.mark.parametrize("kind", get_args(ProviderType))
@pytest.mark.parametrize(
    "cut", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n" + CANARY.encode(), CANARY.encode()]
)
async def test_no_broken_connection_repeats_a_key(
    kind: str, cut: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "worker"):
        async with (
            scripted(otherwise=lambda _: cut) as service,
            made(entry_of(kind, service.url, tmp_path)) as configured,
        ):
            quick(configured)
            said = await _once(configured.providers[0])
    assert said
    assert_clean([*said, caplog.text])


@pytest.mark.parametrize("status", STATUSES)
async def test_the_judge_repeats_no_key(status: int, caplog: pytest.LogCaptureFixture) -> None:
    factory = ProviderFactory(run_here, here, tls_of_nobody(), SystemClock())
    configured = Configured()
    picture = Picture(sprite(1), 64, 64)
    exhibit = Exhibit(AssetType.ICON, Style(), "a kite", ContactJob((picture,), transparent=True))
    async with scripted(otherwise=parrot(status, plain=False)) as service:
        judge = factory.judge(JudgeEntry(model="m", base_url=service.url, key=SecretStr(CANARY)), configured)
        quick(configured)
        with caplog.at_level(logging.DEBUG, "worker"):
            answer = await judge.judge(exhibit)
        await configured.aclose()
    assert_clean([str(answer), caplog.text], [CANARY])
