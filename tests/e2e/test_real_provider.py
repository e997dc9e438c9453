"""The whole way with a provider that is a server: from the settings to a file that a client fetches."""

import io
from pathlib import Path

import httpx
from PIL import Image

from tests.helpers.openai_contract import KEY, OpenAIContract
from tests.helpers.server import running
from tests.helpers.service import Reply, Request
from tests.helpers.threads import served

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
