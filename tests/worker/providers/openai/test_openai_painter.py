"""OpenAI's Images API and servers of its dialect, on a contract server that is strict about what it takes."""

import base64
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from domain.clock import SystemClock
from tests.helpers.clients import client_of, tls_of_nobody
from tests.helpers.openai_contract import KEY, OpenAIContract
from tests.helpers.painting import paint
from tests.helpers.requests import failed_checks, ignored, make_request, run_here
from tests.helpers.service import Reply, ScriptedService, scripted
from tests.helpers.stub import sprite
from worker.imaging.pixels import decode_rgba
from worker.providers.base import ProviderError
from worker.providers.http.download import Downloader
from worker.providers.openai.judge import judge_openai
from worker.providers.openai.options import OpenAIOptions
from worker.providers.openai.painter import OpenAIPainter
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork


async def nowhere(host: str, port: int) -> Sequence[str]:
    raise OSError(host)


@contextlib.asynccontextmanager
async def provider_at(
    service: ScriptedService, model: str = "gpt-image-2.5-flare", *, private: bool = True, **fields: Any
) -> AsyncIterator[PictureProvider]:
    """A provider of the service; fields of its options, and of `Service` under `way`."""
    defaults = {"headers": {"authorization": f"Bearer {KEY}"}, "secrets": (KEY,), "judge": judge_openai}
    settings = {**defaults, **fields.pop("way", {})}
    async with client_of(f"{service.url}/v1", **settings) as client:
        downloader = Downloader(nowhere, tls_of_nobody(), private)
        options = OpenAIOptions(**{"transparency": True, **fields})
        painter = OpenAIPainter(client, downloader, model, options, SystemClock())
        yield PictureProvider(PictureWork("openai", model, painter.traits, run_here), painter)


async def refused(provider: PictureProvider, subject: str = "a knight", **fields: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await provider.generate(make_request("ICON", subject, **fields), ignored)
    return caught.value


@pytest.mark.parametrize("asset_type", ["SPRITE", "BACKGROUND", "SPRITESHEET", "TILESET"])
async def test_assets_are_painted_and_pass_the_checks(asset_type: str) -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service) as provider:
        request = make_request(asset_type, "a knight")
        result = await provider.generate(request, ignored)
    assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []
    assert result.request_id == "req_painted"
    report: Any = result.details["service"]
    assert report["pictures"][0]["usage"]["total_tokens"] == 1070
    assert report["pictures"][0]["revisedPrompt"].startswith("As painted: ")


async def test_the_fields_are_those_of_the_reference() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service, quality="low") as provider:
        await provider.generate(make_request("BACKGROUND", "a forest", negative_prompt="people"), ignored)
    body = service.requests[0].json()
    prompt = body.pop("prompt")
    assert body == {
        "model": "gpt-image-2.5-flare",
        "n": 1,
        "size": "1360x768",
        "background": "opaque",
        "output_format": "png",
        "quality": "low",
        "response_format": "b64_json",
    }
    assert prompt.endswith("\nAvoid: people, text, watermark, signature.")


async def test_pictures_that_come_by_address_are_downloaded() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}), kind="WEBP")
    async with scripted(otherwise=contract) as service, provider_at(service) as provider:
        contract.by_url = service.url
        result = await provider.generate(make_request("ICON"), ignored)
    assert result.pictures[0].data.startswith(b"\x89PNG")
    assert "authorization" not in service.requests[-1].headers


async def test_addresses_inside_the_network_are_refused_of_a_server_that_is_not_ours() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service, private=False) as provider:
        contract.by_url = service.url
        error = await refused(provider)
    assert error.code == "PROVIDER_BAD_ANSWER"
    assert "private network" in error.message
    assert len(service.requests) == 1


async def test_a_source_and_the_styles_pictures_go_to_edits() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service, max_pictures=4) as provider:
        request = make_request("SPRITE", source=sprite(1), references=(sprite(2), sprite(3)))
        await provider.generate(request, ignored)
    [sent] = service.requests
    form = sent.form()
    assert sent.path == "/v1/images/edits"
    assert [decode_rgba(data).shape for data in form["image[]"]] == [(64, 64, 4)] * 3
    assert form["background"] == [b"transparent"]


async def test_a_single_picture_goes_as_one_file() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service, max_pictures=1) as provider:
        await provider.generate(make_request("SPRITE", source=sprite(1), references=(sprite(2),)), ignored)
    form = service.requests[0].form()
    assert ("image" in form, "image[]" in form) == (True, False)


async def test_later_animations_are_edits_that_show_the_first() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service, max_pictures=2) as provider:
        await provider.generate(make_request("SPRITESHEET", animations=(("walk", 4), ("jump", 2))), ignored)
    assert [request.path for request in service.requests] == ["/v1/images/generations", "/v1/images/edits"]
    assert "this very character" in service.requests[1].form()["prompt"][0].decode()


async def test_seeds_and_negative_prompts_go_where_servers_take_them() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format", "seed", "negative_prompt", "steps"}))
    options: dict[str, Any] = {"seeds": True, "negative_prompt": True, "extra": {"steps": 8}}
    async with scripted(otherwise=contract) as service, provider_at(service, "", **options) as provider:
        result = await provider.generate(make_request("ICON"), ignored)
    body = service.requests[0].json()
    assert (body["seed"], body["steps"], result.seed) == (7, 8, 7)
    assert "text, watermark" in body["negative_prompt"]
    assert "Avoid" not in body["prompt"]
    assert "model" not in body


async def test_without_seeds_none_is_claimed() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service) as provider:
        assert not provider.capabilities.seeds
        assert (await provider.generate(make_request("ICON"), ignored)).seed is None


async def test_a_server_without_edits_takes_no_pictures() -> None:
    async with scripted() as service, provider_at(service, edits=False) as provider:
        assert provider.capabilities.reference_images == 0
        assert {str(kind) for kind in provider.capabilities.kinds} == {"TEXT_TO_IMAGE"}


async def test_a_refusal_by_content_policy_is_its_own_and_final() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service) as provider:
        error = await refused(provider, "gore everywhere")
    assert (error.code, error.retryable, error.unpaid, len(service.requests)) == ("CONTENT_POLICY", False, False, 1)
    assert error.request_id == "req_refused"


async def test_a_wrong_key_is_told_without_showing_it() -> None:
    contract = OpenAIContract()
    wrong = {"headers": {"authorization": "Bearer sk-wrong-123456"}, "secrets": ("sk-wrong-123456",)}
    async with scripted(otherwise=contract) as service, provider_at(service, way=wrong) as provider:
        error = await refused(provider)
    assert error.code == "PROVIDER_AUTH"
    assert "sk-wrong" not in error.message


def error_body(message: str = "no", kind: str = "", code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(400, error_body(code="moderation_blocked")), "CONTENT_POLICY"),
        (Reply(400, error_body(code="content_policy_violation")), "CONTENT_POLICY"),
        (
            Reply(400, error_body("rejected. safety_violations=[violence]", "image_generation_user_error")),
            "CONTENT_POLICY",
        ),
        (Reply(400, error_body("bad size", "invalid_request_error")), "PROVIDER_INVALID_REQUEST"),
        (Reply(401, error_body(code="invalid_api_key")), "PROVIDER_AUTH"),
        (Reply(403, error_body("org must be verified")), "PROVIDER_AUTH"),
        (Reply(404, error_body(code="model_not_found")), "PROVIDER_INVALID_REQUEST"),
        (Reply(429, error_body(code="insufficient_quota")), "PROVIDER_QUOTA"),
        (Reply(429, error_body(code="rate_limit_exceeded"), {"retry-after": "300"}), "PROVIDER_RATE_LIMITED"),
        (Reply(500, error_body(kind="server_error")), "PROVIDER_OUTCOME_UNKNOWN"),
        (Reply(504, b"<html>gateway</html>"), "PROVIDER_OUTCOME_UNKNOWN"),
        # A success that is none.
        (Reply(200, error_body("boom")), "PROVIDER_INVALID_REQUEST"),
        (Reply(200, error_body(code="content_policy_violation")), "CONTENT_POLICY"),
        (Reply(200, {"created": 1, "data": []}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"created": 1}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": [{}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": ["x"]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": [{"error": {"code": "content_filter", "message": "no"}}]}), "CONTENT_POLICY"),
        (Reply(200, {"data": [{"error": {"code": "x", "message": "no"}}]}), "PROVIDER_INVALID_REQUEST"),
        (Reply(200, {"data": [{"b64_json": "%%%"}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": [{"b64_json": "aGVsbG8="}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, {"data": [{"url": "http://nowhere.test/a.png"}]}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, b"<html>login</html>", {"content-type": "text/html"}), "PROVIDER_BAD_ANSWER"),
        (Reply(200, b"[" * 100_000), "PROVIDER_BAD_ANSWER"),
        (Reply(200, b"null"), "PROVIDER_BAD_ANSWER"),
        (Reply(200, b""), "PROVIDER_BAD_ANSWER"),
    ],
)
async def test_every_failure_has_its_class(reply: Reply, code: str) -> None:
    async with scripted(reply) as service, provider_at(service) as provider:
        error = await refused(provider)
    assert error.code == code
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "out of memory"}, "out of memory"),
        ({"detail": [{"loc": ["body", "size"], "msg": "not a size", "type": "x"}]}, "body.size: not a size"),
        ({"detail": "no such model"}, "no such model"),
        ({"message": "hm"}, "hm"),
        (b"plain words", "plain words"),
    ],
)
async def test_the_words_of_every_kind_of_server_are_found(body: dict[str, Any] | bytes, words: str) -> None:
    async with scripted(Reply(422, body)) as service, provider_at(service) as provider:
        assert f'"{words}"' in (await refused(provider)).message


@pytest.mark.parametrize(("advice", "sent"), [("true", 3), ("false", 1)])
@pytest.mark.parametrize("status", [500, 503])
async def test_the_services_advice_on_trying_again_is_taken(status: int, advice: str, sent: int) -> None:
    reply = Reply(status, error_body(), {"x-should-retry": advice})
    async with scripted(otherwise=lambda _: reply) as service, provider_at(service) as provider:
        await refused(provider)
    assert len(service.requests) == sent


async def test_prefixed_base64_and_broken_lines_are_read() -> None:
    text = base64.encodebytes(paint("x", 64, 64, transparent=True)).decode()
    reply = Reply(200, {"data": [{"b64_json": f"data:image/png;base64,{text}"}]})
    async with scripted(reply) as service, provider_at(service) as provider:
        assert len((await provider.generate(make_request("ICON"), ignored)).pictures) == 1


async def test_a_very_long_prompt_is_cut_and_what_to_avoid_is_kept() -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    async with scripted(otherwise=contract) as service, provider_at(service) as provider:
        request = make_request("ICON", "word " * 8000)
        await provider.generate(request, ignored)
    prompt = json.loads(service.requests[0].body)["prompt"]
    assert len(prompt) == 32_000
    assert prompt.endswith("cropped.")
