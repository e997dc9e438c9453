"""The whole way of a clip from a service: the server is killed while it waits, and told when the job has ended."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.helpers.ark_contract import KEY, ArkContract
from tests.helpers.lives import CLIP
from tests.helpers.server import Client, Server, running
from tests.helpers.threads import served
from worker.video.read import probe

pytestmark = pytest.mark.slow

PUBLIC = "http://wonder.test"
STATE = "query($id: ID!) { task(id: $id) { status externalId nextCheckAt } }"


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def parked(ada: Client, task_id: str) -> bool:
    task = ada.data(STATE, id=task_id)["task"]
    return task["status"] == "RUNNING" and bool(task["externalId"] and task["nextCheckAt"])


def test_a_server_that_was_killed_goes_on_with_the_job_and_asks_when_it_is_told(tmp_path: Path) -> None:
    contract = ArkContract()
    with served(contract) as service:
        contract.url = service.url
        file = tmp_path / "providers.toml"
        file.write_text(
            f"""
            [[provider]]
            name = "films"
            type = "seedance"
            base_url = "{service.url}/api/v3"
            api_key_env = "FILMS_KEY"
            price_per_image = 0.5
            options = {{ callbacks = true, check_seconds = 3600 }}
            """
        )
        variables = {"WONDER_PROVIDERS_FILE": str(file), "FILMS_KEY": KEY, "WONDER_PUBLIC_URL": PUBLIC}
        first = Server(tmp_path, **variables)
        assert first.start() is not None
        ada = first.client().sign_up()
        fields = {"params": {"width": 96, "height": 64, "durationSeconds": 0.5}}
        task_id = ada.generate(ada.project(), "风筝升起", "VIDEO", **fields)["task"]["id"]
        until(lambda: parked(ada, task_id))
        first.kill()
        first.end()
        [job] = contract.created
        contract.finish(job, CLIP)
        with running(tmp_path, **variables) as second:
            ada = second.client(ada.token)
            door = contract.bodies[job]["callback_url"].replace(PUBLIC, second.address)
            assert httpx.post(door.replace("token=", "token=x"), json={}).status_code == 404
            assert httpx.post(door, json={"id": job, "status": "succeeded"}).status_code == 204
            assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
            task = ada.task(task_id)
            [clip] = [asset for asset in task["assets"] if asset["role"] == "video"]
            data = httpx.get(clip["url"].replace(PUBLIC, second.address)).content
        log = second.log.read_text()
    assert (task["attempt"], task["provider"], contract.created) == (1, "films", [job])
    assert (probe(data).width, probe(data).height) == (96, 64)
    assert "token=" not in log
    assert KEY not in log
    assert f"{service.url}/files" not in log
