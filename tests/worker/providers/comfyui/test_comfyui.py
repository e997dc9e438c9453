"""ComfyUI with the operator's workflows."""

import contextlib
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.errors import SettingsError
from tests.helpers.clients import client_of
from tests.helpers.comfyui_contract import SLOTS, WORKFLOW, ComfyContract
from tests.helpers.requests import failed_checks, make_request, run_here
from tests.helpers.service import Reply, ScriptedService, scripted
from tests.helpers.stub import sprite
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.comfyui.provider import ComfyProvider, judge_comfyui
from worker.providers.comfyui.socket import ProgressSocket
from worker.providers.comfyui.workflow import WorkflowOptions, load_workflow
from worker.providers.pictures.shot import Traits
from worker.providers.pictures.size import FreeSizes
from worker.providers.pictures.work import PictureWork

#: Where nothing listens: what is told over a socket is tried elsewhere.
NO_SOCKET = "http://127.0.0.1:9"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sprite.json"
    path.write_text(json.dumps(WORKFLOW))
    return path


@contextlib.asynccontextmanager
async def provider_at(service: ScriptedService, file: Path, socket_url: str = "") -> AsyncIterator[ComfyProvider]:
    workflows = {
        "text_to_image": load_workflow("comfy", "text_to_image", WorkflowOptions(file=file, slots=SLOTS)),
        "image_to_image": load_workflow(
            "comfy", "image_to_image", WorkflowOptions(file=file, slots={**SLOTS, "image": "10.image"})
        ),
    }
    work = PictureWork("comfy", "sprite", Traits(seeds=True, edits=True), run_here)
    async with client_of(service.url, name="comfy", judge=judge_comfyui, local=True, headers={}) as client:
        socket = ProgressSocket(NO_SOCKET, ssl.create_default_context(), {}, retry_seconds=0.02)
        try:
            yield ComfyProvider(work, client, workflows, FreeSizes(multiple=8), 2.0, socket)
        finally:
            await socket.aclose()


@pytest.mark.parametrize("newer", [True, False])
@pytest.mark.parametrize("asset_type", ["SPRITE", "SPRITESHEET", "TILESET"])
async def test_a_job_is_queued_waited_for_and_fetched(file: Path, asset_type: str, *, newer: bool) -> None:
    contract = ComfyContract(newer=newer)
    request = make_request(asset_type, "a knight")
    async with scripted(otherwise=contract) as service, provider_at(service, file) as provider:
        assert isinstance(provider, AsynchronousProvider)
        job = await provider.submit(request, "job_1")
        graph = contract.pending[job]
        assert (graph["3"]["inputs"]["seed"], graph["3"]["inputs"]["steps"]) == (7, 20)
        assert "a knight" in graph["6"]["inputs"]["text"]
        assert graph["5"]["inputs"]["width"] % 8 == 0
        assert await provider.check(job) == JobRunning(0.0)
        contract.finish(job)
        assert await provider.check(job) == JobDone()
        result = await provider.fetch(job, request)
    assert [verdict for verdict in failed_checks(request, result) if verdict.name != "frame_motion"] == []
    assert (result.seed, result.request_id) == (7, job)
    report: Any = result.details["service"]
    assert [picture["sentPrompt"] for picture in report["pictures"]] == [graph["6"]["inputs"]["text"]]
    assert WORKFLOW["6"]["inputs"]["text"] == ""  # the template is not changed


async def test_a_source_picture_is_uploaded_and_named_as_the_server_names_it(file: Path) -> None:
    contract = ComfyContract()
    async with scripted(otherwise=contract) as service, provider_at(service, file) as provider:
        job = await provider.submit(make_request("SPRITE", source=sprite(1)), "job_1")
    assert contract.pending[job]["10"]["inputs"]["image"] == "upload-0.png"
    assert contract.uploads["upload-0.png"].startswith(b"\x89PNG")


async def test_a_job_whose_answer_was_lost_is_found_by_its_name(file: Path) -> None:
    contract = ComfyContract()

    async with scripted(otherwise=contract) as service, provider_at(service, file) as provider:
        assert await provider.find("job_1") is None
        job = await provider.submit(make_request("SPRITE"), "job_1")
        assert await provider.find("job_1") == job
        contract.finish(job)
        assert await provider.find("job_1") == job
        assert await provider.find("job_2") is None


async def test_a_queued_job_is_not_queued_twice_when_only_the_answer_broke(file: Path) -> None:
    contract = ComfyContract()
    async with scripted() as service, provider_at(service, file) as provider:

        def lose(request: Any) -> Reply | bytes:
            answer = contract(request)
            return b"HTTP/1.1 2" if request.path == "/prompt" else answer

        service.otherwise = lose
        job = await provider.submit(make_request("SPRITE"), "job_1")
    assert list(contract.pending) == [job]
    assert [request.path for request in service.requests].count("/prompt") == 1


@pytest.mark.parametrize("newer", [True, False])
async def test_a_job_is_cancelled_and_others_are_left_alone(file: Path, *, newer: bool) -> None:
    contract = ComfyContract(newer=newer)
    async with scripted(otherwise=contract) as service, provider_at(service, file) as provider:
        first = await provider.submit(make_request("SPRITE"), "job_1")
        second = await provider.submit(make_request("SPRITE"), "job_2")
        await provider.cancel(second)
        await provider.cancel(second)  # that it has gone is no error
        assert (list(contract.pending), contract.cancelled) == ([first], [second])
        lost = await provider.check(second)
    assert isinstance(lost, JobFailed)
    assert (lost.error.code, lost.error.retryable) == ("PROVIDER_UNAVAILABLE", True)


@pytest.mark.parametrize(
    ("name", "data", "code", "words"),
    [
        ("execution_interrupted", {"node_id": "3"}, "PROVIDER_UNAVAILABLE", "interrupted"),
        (
            "execution_error",
            {"node_type": "KSampler", "exception_type": "torch.OutOfMemoryError", "exception_message": "no memory\n"},
            "PROVIDER_UNAVAILABLE",
            "KSampler: no memory",
        ),
        (
            "execution_error",
            {"node_type": "RegexReplace", "exception_type": "re.error", "exception_message": "missing )"},
            "PROVIDER_INVALID_REQUEST",
            "RegexReplace: missing )",
        ),
        ("unknown", {}, "PROVIDER_INVALID_REQUEST", "does not say why"),
    ],
)
async def test_a_job_that_failed_says_why(file: Path, name: str, data: dict[str, str], code: str, words: str) -> None:
    contract = ComfyContract()
    async with scripted(otherwise=contract) as service, provider_at(service, file) as provider:
        job = await provider.submit(make_request("SPRITE"), "job_1")
        contract.fail(job, name, **data)
        ended = await provider.check(job)
    assert isinstance(ended, JobFailed)
    assert (ended.error.code, ended.error.request_id) == (code, job)
    assert words in ended.error.message


async def test_a_workflow_that_does_not_fit_names_the_node(file: Path) -> None:
    error = {"error": {"message": "Prompt outputs failed validation", "details": ""}, "node_errors": {
        "4": {"errors": [{"message": "Value not in list", "details": "ckpt_name: 'x' not in []"}]}}}  # fmt: skip
    async with scripted(Reply(400, error)) as service, provider_at(service, file) as provider:
        service.otherwise = ComfyContract()
        with pytest.raises(ProviderError) as caught:
            await provider.submit(make_request("SPRITE"), "job_1")
    assert caught.value.code == "PROVIDER_INVALID_REQUEST"
    assert "node 4: Value not in list, ckpt_name: 'x' not in []" in caught.value.message


@pytest.mark.parametrize("page", [b"<html>log in</html>", b"[]", b""])
async def test_a_page_of_a_proxy_does_not_end_a_job(file: Path, page: bytes) -> None:
    async with scripted(otherwise=lambda _: Reply(200, page)) as service, provider_at(service, file) as provider:
        with pytest.raises(ProviderError):
            await provider.check("1b4e28ba-2fa1-11d2-883f-0016d3cca427")


async def test_a_workflow_that_saves_nothing_is_a_bad_answer(file: Path) -> None:
    contract = ComfyContract()
    async with scripted(otherwise=contract) as service, provider_at(service, file) as provider:
        job = await provider.submit(make_request("SPRITE"), "job_1")
        contract._end(job, {}, [])
        with pytest.raises(ProviderError) as caught:
            await provider.fetch(job, make_request("SPRITE"))
    assert caught.value.code == "PROVIDER_BAD_ANSWER"


@pytest.mark.parametrize(
    ("text", "slots", "output", "words"),
    [
        ("{", SLOTS, "", "is not JSON"),
        ('{"nodes": [], "links": []}', SLOTS, "", "no workflow in API format"),
        (
            json.dumps(WORKFLOW),
            {**SLOTS, "seed": "3.noise_seed"},
            "",
            "slots.seed: the workflow has no input 3.noise_seed",
        ),
        (json.dumps(WORKFLOW), {"prompt": "6.text"}, "", "slots.seed: is missing"),
        (json.dumps(WORKFLOW), SLOTS, "99", "output: the workflow has no node 99"),
    ],
)
def test_workflows_are_checked_when_they_are_read(
    file: Path, text: str, slots: dict[Any, Any], output: str, words: str
) -> None:
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"provider comfy, options\.text_to_image") as caught:
        load_workflow("comfy", "text_to_image", WorkflowOptions(file=file, slots=slots, output=output))
    assert words in str(caught.value)


def test_a_value_goes_to_several_places_and_none_is_no_harm(file: Path) -> None:
    slots: Any = {**SLOTS, "prompt": ("6.text", "7.text")}
    workflow = load_workflow("comfy", "text_to_image", WorkflowOptions(file=file, slots=slots))
    graph = workflow.filled({"prompt": "a kite", "image": "x.png"})
    assert graph["6"]["inputs"]["text"] == graph["7"]["inputs"]["text"] == "a kite"
    assert graph["10"]["inputs"]["image"] == "example.png"
