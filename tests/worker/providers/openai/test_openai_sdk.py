"""The contract server, judged by the vendor's own SDK: so the contract is not only our idea of it."""

import asyncio
import base64
import io

import openai
import pytest

from tests.helpers.openai_contract import KEY, OpenAIContract
from tests.helpers.service import ScriptedService, scripted
from tests.helpers.stub import sprite


def sdk(service: ScriptedService, key: str = KEY) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{service.url}/v1", api_key=key, max_retries=0, timeout=20)


async def test_it_generates() -> None:
    async with scripted(otherwise=OpenAIContract()) as service:
        answer = await asyncio.to_thread(
            lambda: sdk(service).images.generate(
                model="gpt-image-2.5-flare",
                prompt="flat icon of a red kite",
                size="1024x1024",
                background="transparent",
                output_format="png",
                quality="medium",
                n=1,
            )
        )
    assert answer.data is not None
    assert base64.b64decode(answer.data[0].b64_json or "").startswith(b"\x89PNG")
    assert answer.usage is not None
    assert answer.usage.total_tokens == 1070


async def test_it_edits_several_pictures() -> None:
    async with scripted(otherwise=OpenAIContract()) as service:
        files = [("a.png", io.BytesIO(sprite(1)), "image/png"), ("b.png", io.BytesIO(sprite(2)), "image/png")]
        answer = await asyncio.to_thread(
            lambda: sdk(service).images.edit(model="gpt-image-2.5-flare", image=files, prompt="make it blue")
        )
    assert answer.data
    assert len(service.requests[0].form()["image[]"]) == 2


async def test_it_understands_the_errors() -> None:
    async with scripted(otherwise=OpenAIContract()) as service:
        with pytest.raises(openai.AuthenticationError):
            await asyncio.to_thread(sdk(service, "sk-no").models.list)
        with pytest.raises(openai.BadRequestError) as caught:
            await asyncio.to_thread(lambda: sdk(service).images.generate(model="gpt-image-2", prompt="gore"))
        assert caught.value.code == "moderation_blocked"
        with pytest.raises(openai.NotFoundError):
            await asyncio.to_thread(lambda: sdk(service).images.generate(model="gpt-image-1", prompt="a kite"))
        listed = await asyncio.to_thread(sdk(service).models.list)
    assert "gpt-image-2.5-flare" in [model.id for model in listed.data]
