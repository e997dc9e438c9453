"""A vendor's own SDK at work on a contract server: `vendor_sdks.py NAME URL KEY`; prints what it has seen, as JSON.

Runs in the environment of tests/clients, which has the SDKs. A job is finished there when it has been asked about once.
"""

# Each SDK is loaded by the process that uses it only.
# ruff: noqa: PLC0415

import base64
import io
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
FRAME = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
_TRIES = 50


def refused(call: Callable[[], Any]) -> str:
    """The class of the error that a call must raise."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 (each SDK has its own; the test says which)
        return type(error).__name__
    return ""


def until(done: Callable[[], Any]) -> Any:
    for _ in range(_TRIES):
        if found := done():
            return found
        time.sleep(0.02)
    raise SystemExit("the job did not end")


def use_replicate(url: str, key: str) -> dict[str, Any]:
    import replicate

    client = replicate.Client(api_token=key, base_url=url)
    model = client.models.get("black-forest-labs/flux-schnell")
    schema = model.latest_version.openapi_schema["components"]["schemas"]["Input"]["properties"]
    given = {"prompt": "a kite", "seed": 7, "aspect_ratio": "1:1", "output_format": "png", "num_outputs": 1}
    made = client.models.predictions.create(model=("black-forest-labs", "flux-schnell"), input=given)
    first = made.status
    made.wait()
    versioned = client.predictions.create(version=model.latest_version.id, input={"prompt": "a kite"})
    versioned.cancel()
    file = client.files.create(io.BytesIO(PNG))
    return {
        "account": client.accounts.current().username,
        "schema": sorted(schema),
        "states": [first, made.status],
        "output": made.output,
        "cancelled": versioned.status,
        "file": file.urls["get"],
        "refused": refused(lambda: client.predictions.create(version=model.latest_version.id, input={})),
        "wrong_key": refused(replicate.Client(api_token="r8_wrong", base_url=url).accounts.current),
    }


def use_fal(url: str, key: str) -> dict[str, Any]:
    os.environ["FAL_QUEUE_RUN_HOST"] = url.partition("://")[2]
    import fal_client

    client = fal_client.SyncClient(key=key)
    given = {"prompt": "a kite", "image_size": {"width": 512, "height": 512}, "seed": 7, "num_images": 1}
    handle = client.submit("fal-ai/flux/dev", given)
    states = [type(handle.status()).__name__, type(until(lambda: _ended(handle))).__name__]
    output = handle.get()
    other = client.submit("fal-ai/flux/dev", {"prompt": "a kite"})
    other.cancel()
    gore = client.submit("fal-ai/flux/dev", {"prompt": "gore"})
    return {
        "request_id": handle.request_id,
        "states": states,
        "output": output["images"][0]["url"],
        "refused": refused(gore.get),
        "wrong_key": refused(lambda: fal_client.SyncClient(key="a:b").submit("fal-ai/flux/dev", given)),
    }


def _ended(handle: Any) -> Any:
    status = handle.status()
    return status if type(status).__name__ == "Completed" else None


def use_runway(url: str, key: str) -> dict[str, Any]:
    from runwayml import RunwayML

    client = RunwayML(api_key=key, base_url=url, max_retries=0)
    made = client.text_to_video.create(model="gen4.5", prompt_text="a kite", ratio="1280:720", duration=5, seed=7)
    first = client.tasks.retrieve(made.id).status
    done = until(lambda: next((t for t in [client.tasks.retrieve(made.id)] if t.status == "SUCCEEDED"), None))
    moved = client.image_to_video.create(
        model="gen4.5", prompt_text="it rises", prompt_image=FRAME, ratio="960:960", duration=2
    )
    client.tasks.delete(moved.id)
    gore = client.text_to_video.create(model="gen4.5", prompt_text="gore", ratio="1280:720", duration=5)
    return {
        "credits": client.organization.retrieve().credit_balance,
        "states": [first, done.status],
        "output": done.output,
        "failure": client.tasks.retrieve(gore.id).failure_code,
        "gone": refused(lambda: client.tasks.retrieve(moved.id)),
        "refused": refused(
            lambda: client.text_to_video.create(model="gen4.5", prompt_text="x", ratio="1280:720", duration=99)
        ),
        "wrong_key": refused(RunwayML(api_key="no", base_url=url, max_retries=0).organization.retrieve),
    }


def use_luma(url: str, key: str) -> dict[str, Any]:
    from lumaai import LumaAI

    base = f"{url}/dream-machine/v1"
    client = LumaAI(auth_token=key, base_url=base, max_retries=0)
    made = client.generations.video.create(
        model="ray-2", prompt="a kite", aspect_ratio="16:9", duration="5s", resolution="720p"
    )
    first = client.generations.get(made.id).state
    done = until(lambda: next((g for g in [client.generations.get(made.id)] if g.state == "completed"), None))
    listed = client.generations.list(limit=10, offset=0)
    client.generations.delete(made.id)
    return {
        "states": [first, done.state],
        "output": done.assets.video,
        "listed": [item.id for item in listed.generations] == [made.id],
        "gone": refused(lambda: client.generations.get(made.id)),
        "refused": refused(lambda: client.generations.video.create(model="ray-2", prompt="gore")),
        "wrong_key": refused(LumaAI(auth_token="no", base_url=base, max_retries=0).generations.list),
    }


def use_ark(url: str, key: str) -> dict[str, Any]:
    from volcenginesdkarkruntime import Ark

    base = f"{url}/api/v3"
    client = Ark(api_key=key, base_url=base, max_retries=0)
    painted = client.images.generate(
        model="doubao-seedream-4-5-251128",
        prompt="a kite",
        size="2560x1440",
        response_format="b64_json",
        watermark=False,
    )
    tasks = client.content_generation.tasks
    words = [{"type": "text", "text": "a kite"}]
    fields: dict[str, Any] = {"ratio": "16:9", "duration": 5, "resolution": "480p", "execution_expires_after": 90000}
    made = tasks.create(model="doubao-seedance-1-0-pro-250528", content=words, **fields)
    first = tasks.get(task_id=made.id).status
    done = until(lambda: next((t for t in [tasks.get(task_id=made.id)] if t.status == "succeeded"), None))
    waiting = tasks.create(model="doubao-seedance-1-0-pro-250528", content=words, **fields)
    tasks.delete(task_id=waiting.id)
    gore = [{"type": "text", "text": "gore"}]
    return {
        "picture": base64.b64decode(painted.data[0].b64_json)[:3].hex(),
        "states": [first, done.status],
        "output": done.content.video_url,
        "cancelled": tasks.get(task_id=waiting.id).status,
        "refused": refused(lambda: tasks.create(model="doubao-seedance-1-0-pro-250528", content=gore, **fields)),
        "wrong_key": refused(Ark(api_key="no", base_url=base, max_retries=0).content_generation.tasks.list),
    }


def use_dashscope(url: str, key: str) -> dict[str, Any]:
    import dashscope
    from dashscope import VideoSynthesis

    dashscope.base_http_api_url = f"{url}/api/v1"
    fields = {"model": "wan2.6-t2v", "size": "1280*720", "api_key": key}
    made = VideoSynthesis.async_call(prompt="a kite", **fields)
    first = VideoSynthesis.fetch(made, api_key=key)
    done = until(
        lambda: next(
            (a for a in [VideoSynthesis.fetch(made, api_key=key)] if a.output.task_status == "SUCCEEDED"), None
        )
    )
    waiting = VideoSynthesis.async_call(prompt="a kite", **fields)
    cancelled = VideoSynthesis.cancel(waiting, api_key=key)
    gore = VideoSynthesis.async_call(prompt="gore", **fields)
    wrong = VideoSynthesis.async_call(prompt="a kite", **{**fields, "api_key": "no"})
    return {
        "states": [made.output.task_status, first.output.task_status, done.output.task_status],
        "output": done.output.video_url,
        "cancelled": cancelled.status_code,
        "refused": [gore.status_code, gore.code],
        "wrong_key": [wrong.status_code, wrong.code],
    }


def use_gemini(url: str, key: str) -> dict[str, Any]:
    from google import genai
    from google.genai import types

    def paint(secret: str) -> Any:
        client = genai.Client(api_key=secret, http_options=types.HttpOptions(base_url=url, api_version="v1beta"))
        config = types.GenerateContentConfig(
            response_modalities=["IMAGE"], image_config=types.ImageConfig(aspect_ratio="1:1", image_size="1K")
        )
        return client.models.generate_content(model="gemini-3.1-flash-image", contents="a kite", config=config)

    answer = paint(key)
    [candidate] = answer.candidates
    pictures = [part.inline_data.data for part in candidate.content.parts if part.inline_data and not part.thought]
    return {
        "output": pictures[0][:4].hex(),
        "finished": candidate.finish_reason.value,
        "tokens": answer.usage_metadata.candidates_token_count,
        "wrong_key": refused(lambda: paint("no")),
    }


if __name__ == "__main__":
    name, address, secret = sys.argv[1:]
    print(json.dumps(globals()[f"use_{name}"](address, secret)))  # noqa: T201
