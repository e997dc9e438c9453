"""The whole way with a provider that is a server: from the settings to a file that a client fetches."""

import io
import json
from pathlib import Path

import httpx
import pytest
from PIL import Image

from tests.helpers.chat_contract import BAD, ChatContract
from tests.helpers.comfyui_contract import SLOTS, WORKFLOW, ComfyContract
from tests.helpers.openai_contract import KEY, OpenAIContract
from tests.helpers.server import running
from tests.helpers.service import Reply, Request
from tests.helpers.threads import served

pytestmark = pytest.mark.slow

PROVENANCE = """query($id: ID!) { task(id: $id) { provider status assets { url provenance {
  provider model requestId report } } } }"""
PROVIDERS = """{ providers { name available unavailableReason model transparency seeds referenceImages
  concurrency requestsPerMinute pricePerImage } }"""


def test_a_picture_comes_from_the_service_that_the_file_names(tmp_path: Path) -> None:
    contract = OpenAIContract(more_fields=frozenset({"response_format"}))
    with served(contract) as service:
        file = tmp_path / "providers.toml"
        file.write_text(
            f"""
            [[provider]]
            name = "studio"
            type = "openai"
            base_url = "{service.url}/v1"
            api_key_env = "STUDIO_KEY"
            model = "gpt-image-2"
            price_per_image = 0.25
            """
        )
        with running(tmp_path, WONDER_PROVIDERS_FILE=str(file), STUDIO_KEY=KEY) as server:
            ada = server.client().sign_up()
            studio, builtin = ada.data(PROVIDERS)["providers"]
            assert (studio["name"], studio["available"], studio["model"]) == ("studio", True, "gpt-image-2")
            assert (studio["concurrency"], studio["pricePerImage"], studio["unavailableReason"]) == (4, 0.25, None)
            assert builtin["name"] == "builtin"
            task_id = ada.generate(ada.project(), "a red kite", "ICON")["task"]["id"]
            assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
            task = ada.data(PROVENANCE, id=task_id)["task"]
            [asset] = task["assets"]
            assert Image.open(io.BytesIO(httpx.get(asset["url"]).content)).size == (64, 64)
        log = server.log.read_text()
    provenance = asset["provenance"]
    assert (task["provider"], provenance["model"], provenance["requestId"]) == ("studio", "gpt-image-2", "req_painted")
    assert provenance["report"]["estimatedCost"] == 0.25
    assert provenance["report"]["pictures"][0]["usage"]["total_tokens"] == 1070
    assert "provider studio is ready" in log
    assert KEY not in log


def test_when_the_service_is_down_the_built_in_generator_does_the_work_and_it_is_told(tmp_path: Path) -> None:
    with running(tmp_path, WONDER_OPENAI_BASE_URL="http://127.0.0.1:1/v1") as server:
        ada = server.client().sign_up()
        task_id = ada.generate(ada.project(), "a red kite", "ICON")["task"]["id"]
        assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
        assert ada.task(task_id)["provider"] == "builtin"
        [down, _] = ada.data(PROVIDERS)["providers"]
        assert (down["available"], down["unavailableReason"]) == (False, "The service could not be reached.")


def test_without_the_built_in_one_a_refusal_is_the_tasks_error(tmp_path: Path) -> None:
    def refuse(_: Request) -> Reply:
        error = {"message": "rejected", "code": "moderation_blocked", "type": "image_generation_user_error"}
        return Reply(400, {"error": error}, {"x-request-id": "req_9"})

    with served(refuse) as service:
        variables = {"WONDER_OPENAI_BASE_URL": f"{service.url}/v1", "WONDER_BUILTIN_PROVIDER": "false"}
        with running(tmp_path, **variables) as server:
            ada = server.client().sign_up()
            task_id = ada.generate(ada.project(), "a red kite", "ICON")["task"]["id"]
            assert ada.follow(task_id)[-1]["status"] == "FAILED"
            error = ada.task(task_id)["error"]
    assert error["code"] == "CONTENT_POLICY"
    assert "Its request id: req_9." in error["message"]
    assert [request.path for request in service.requests].count("/v1/images/generations") == 1


class PromptComfy(ComfyContract):
    """A ComfyUI that has each job done by the second time that somebody asks about it."""

    def __call__(self, request: Request) -> Reply:
        answer = super().__call__(request)
        if request.path == "/queue" and request.method == "GET":
            for prompt_id in list(self.pending):
                self.finish(prompt_id)
        return answer


def test_a_job_of_comfyui_is_waited_for_without_a_worker_and_delivered(tmp_path: Path) -> None:
    workflow = tmp_path / "sprite.json"
    workflow.write_text(json.dumps(WORKFLOW))
    slots = "\n".join(f'{name} = "{place}"' for name, place in SLOTS.items())
    with served(PromptComfy()) as service:
        file = tmp_path / "providers.toml"
        file.write_text(
            f"""
            [[provider]]
            name = "comfy"
            type = "comfyui"
            base_url = "{service.url}"
            [provider.options]
            check_seconds = 0.2
            [provider.options.text_to_image]
            file = "{workflow}"
            [provider.options.text_to_image.slots]
            {slots}
            """
        )
        with running(tmp_path, WONDER_PROVIDERS_FILE=str(file), WONDER_BUILTIN_PROVIDER="false") as server:
            ada = server.client().sign_up()
            task_id = ada.generate(ada.project(), "a knight", "SPRITE")["task"]["id"]
            events = ada.follow(task_id)
            task = ada.data(PROVENANCE, id=task_id)["task"]
    assert events[-1]["status"] == "COMPLETED"
    assert "waiting for comfy" in [event["message"] for event in events]
    assert (task["provider"], task["assets"][0]["provenance"]["model"]) == ("comfy", "sprite")
    [picture] = task["assets"][0]["provenance"]["report"]["pictures"]
    assert "a knight" in picture["sentPrompt"]
    assert "usage" not in picture  # a server of one's own counts nothing


def test_a_judge_of_the_settings_adds_its_verdict(tmp_path: Path) -> None:
    with served(ChatContract([BAD])) as service:
        variables = {"WONDER_JUDGE_BASE_URL": f"{service.url}/v1", "WONDER_JUDGE_MODEL": "eye"}
        with running(tmp_path, **variables) as server:
            ada = server.client().sign_up()
            task_id = ada.generate(ada.project(), "a red kite", "ICON")["task"]["id"]
            assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
            checks = [check for check in ada.task(task_id)["qualityChecks"] if check["name"] == "judge"]
    assert [(check["round"], check["passed"]) for check in checks] == [(0, False), (1, True)]
    assert checks[0]["reason"] == "The hat is missing. Paint it green."
