"""Providers from their configuration."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from domain.clock import SystemClock
from domain.errors import SettingsError
from domain.provider_settings import ProviderEntry
from tests.helpers.automatic1111_contract import Automatic1111Contract
from tests.helpers.clients import tls_of_nobody
from tests.helpers.comfyui_contract import SLOTS, WORKFLOW, ComfyContract
from tests.helpers.openai_contract import KEY, OpenAIContract
from tests.helpers.requests import ignored, make_request, run_here
from tests.helpers.service import scripted
from worker.providers.base import ProviderError
from worker.providers.factory import Configured, ProviderFactory
from worker.providers.pictures.provider import PictureProvider
from worker.providers.probe import log_probes, probe_all
from worker.providers.registry import ProviderRegistry

Build = Callable[..., Configured]
#: A job that cannot be.
NOBODY = "00000000-0000-0000-0000-000000000000"


async def nowhere(host: str, port: int) -> Sequence[str]:
    raise OSError(host)


@pytest.fixture
async def build() -> AsyncIterator[Build]:
    made: list[Configured] = []

    def build(*entries: ProviderEntry, builtin: bool = False) -> Configured:
        factory = ProviderFactory(run_here, nowhere, tls_of_nobody(), SystemClock())
        made.append(factory.build(entries, builtin=builtin))
        return made[-1]

    yield build
    for one in made:
        await one.aclose()


def entry(name: str = "studio", **fields: Any) -> ProviderEntry:
    return ProviderEntry(name=name, type="openai", **{"key": SecretStr(KEY), **fields})


def first(made: Configured) -> PictureProvider:
    provider = made.providers[0]
    assert isinstance(provider, PictureProvider)
    return provider


def names(made: Configured) -> list[str]:
    return [info.name for info in ProviderRegistry(made.providers, made.terms).describe()]


async def test_the_built_in_one_comes_last_and_can_be_left_out(build: Build) -> None:
    assert names(build(entry(), builtin=True)) == ["studio", "builtin"]
    assert names(build(entry())) == ["studio"]
    assert names(build(entry(enabled=False), entry("other"))) == ["other"]


async def test_a_provider_paints_through_its_service(build: Build) -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service:
        made = build(entry(base_url=f"{service.url}/v1", model="gpt-image-2", price_per_image=0.5))
        result = await first(made).generate(make_request("ICON"), ignored)
    assert (result.provider, result.model) == ("studio", "gpt-image-2")
    report: Any = result.details["service"]
    assert report["estimatedCost"] == 0.5


async def test_providers_with_one_key_share_its_limits(build: Build) -> None:
    shared = [entry("a", concurrency=2), entry("b", concurrency=2)]
    made = build(*shared, entry("c", key=SecretStr("sk-another-key")), entry("d", base_url="http://127.0.0.1:1/v1"))
    limiters = [client._limiter for client in made.clients]
    assert limiters[0] is limiters[1]
    assert len({id(limiter) for limiter in limiters}) == 3


async def test_wrong_options_are_told_with_the_providers_name(build: Build) -> None:
    with pytest.raises(SettingsError, match=r"provider studio, options.sizes.0: .*\n.*options.colour: "):
        build(entry(options={"sizes": ["large"], "colour": 1}))


async def test_one_without_its_key_is_there_and_unavailable(build: Build) -> None:
    made = build(entry(key=SecretStr("")))
    [info] = ProviderRegistry(made.providers, made.terms).describe()
    assert info.unavailable_reason == "Its key is missing: the variable OPENAI_API_KEY is not set."
    assert made.probes == []
    with pytest.raises(ProviderError) as caught:
        await first(made).generate(make_request("ICON"), ignored)
    assert caught.value.code == "PROVIDER_UNAVAILABLE"


async def test_an_asset_type_that_is_not_wanted_is_not_offered(build: Build) -> None:
    made = build(entry(asset_types=("ICON",)))
    assert made.providers[0].capabilities.asset_types == {"ICON"}


async def test_keys_are_checked_without_spending(build: Build, caplog: pytest.LogCaptureFixture) -> None:
    async with scripted(otherwise=OpenAIContract()) as service:
        good = entry("good", base_url=f"{service.url}/v1")
        bad = entry("bad", base_url=f"{service.url}/v1", key=SecretStr("sk-wrong-key"))
        odd = entry("odd", base_url=f"{service.url}/v2")
        gone = entry("gone", base_url="http://127.0.0.1:1/v1")
        made = build(good, bad, odd, gone)
        found = await probe_all(made.probes)
        assert {request.path for request in service.requests} == {"/v1/models", "/v2/models"}
        await log_probes(made.probes)
    assert (found["good"], found["odd"]) == (None, None)
    assert "refuses this server's key" in str(found["bad"])
    assert "could not be" in str(found["gone"]) or "ConnectError" in str(found["gone"])
    described = {info.name: info.available for info in ProviderRegistry(made.providers, made.terms).describe()}
    assert described == {"good": True, "bad": False, "odd": True, "gone": False}
    assert "sk-wrong-key" not in caplog.text


async def test_servers_of_ones_own_need_no_key_and_are_checked(build: Build, tmp_path: Path) -> None:
    workflow = tmp_path / "sprite.json"
    workflow.write_text(json.dumps(WORKFLOW))
    options = {"text_to_image": {"file": str(workflow), "slots": SLOTS}}
    async with (
        scripted(otherwise=Automatic1111Contract("ada:secret")) as web,
        scripted(otherwise=ComfyContract()) as comfy,
    ):
        forge = ProviderEntry(name="forge", type="automatic1111", base_url=web.url, key=SecretStr("ada:secret"))
        nodes = ProviderEntry(name="nodes", type="comfyui", base_url=comfy.url, options=options)
        made = build(forge, nodes)
        assert await probe_all(made.probes) == {"forge": None, "nodes": None}
        result = await first(made).generate(make_request("ICON"), ignored)
    assert (forge.missing, nodes.missing, result.provider) == ("", "", "forge")
    described = {info.name: (info.model, info.asynchronous) for info in made.registry().describe()}
    assert described == {"forge": ("unnamed", False), "nodes": ("sprite", True)}


@pytest.mark.parametrize(
    ("kind", "header", "route"),
    [
        ("openai", "authorization", "/models"),
        ("gemini", "x-goog-api-key", "/v1beta/models/gemini-3.1-flash-image"),
        ("stability", "authorization", "/v1/user/balance"),
        ("seedream", "authorization", "/contents/generations/tasks?page_num=1&page_size=1"),
        ("seedance", "authorization", "/contents/generations/tasks?page_num=1&page_size=1"),
        ("wan-image", "authorization", "/tasks?page_no=1&page_size=1"),
        ("wan-video", "authorization", "/tasks?page_no=1&page_size=1"),
        ("minimax", "authorization", "/v1/query/video_generation?task_id=0"),
        ("kling", "authorization", "/v1/videos/text2video?pageNum=1&pageSize=1"),
        ("replicate-image", "authorization", "/v1/account"),
        ("replicate-video", "authorization", "/v1/account"),
        ("fal-image", "authorization", f"/fal-ai/flux/requests/{NOBODY}/status"),
        ("fal-video", "authorization", f"/fal-ai/flux/requests/{NOBODY}/status"),
        ("flux", "x-key", "/v1/credits"),
        ("luma", "authorization", "/generations?limit=1&offset=0"),
        ("runway", "authorization", "/v1/organization"),
    ],
)
async def test_each_service_gets_its_key_in_its_own_header(build: Build, kind: str, header: str, route: str) -> None:
    async with scripted() as service:
        made = build(ProviderEntry.model_validate({"name": "x", "type": kind, "base_url": service.url, "key": KEY}))
        assert await probe_all(made.probes) == {"x": None}
    [request] = service.requests
    assert request.path == route
    assert request.headers[header].removeprefix("Bearer ").removeprefix("Key ") == KEY
