"""A worker that stands still while it stores, for longer than its lease: what it goes on to write goes for good."""

import contextlib
import hashlib
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.storage.s3.options import S3Options
from tests.e2e.test_bucket import variables
from tests.e2e.test_several_servers import KEY, rows
from tests.helpers.file_trial import objects_in_bucket, objects_in_folder
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import Client, Server
from tests.helpers.stepping import FILES, REQUESTS, SteppingServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("database_url", ["postgres"], indirect=True),
]

_LEASE_SECONDS = 2
_SETTINGS = {
    "WONDER_SECRET_KEY": KEY,
    "WONDER_WORKERS": "1",
    "WONDER_LEASE_SECONDS": str(_LEASE_SECONDS),
    "WONDER_RECONCILE_INTERVAL_SECONDS": "0.3",
    "WONDER_PURGE_INTERVAL_SECONDS": "0.2",
}


class House:
    """Two servers on one database and one storage, of which the first stands still when it is told to."""

    def __init__(self, folder: Path, database_url: str, bucket: tuple[SeaweedServer, S3Options] | None) -> None:
        settings = {**_SETTINGS, "WONDER_DATABASE_URL": database_url}
        if bucket is not None:
            settings |= variables(bucket[1])
        self.stored: Callable[[], dict[str, bytes]] = (
            objects_in_folder(folder / "data") if bucket is None else objects_in_bucket(bucket[0], bucket[1].bucket)
        )
        self._database_url = database_url
        for name in ("one", "two"):
            (folder / name).mkdir()
        kinds = FILES if bucket is None else REQUESTS
        self.frozen = SteppingServer(folder / "one", kinds=kinds, ending=signal.SIGSTOP, **settings)
        self.other = Server(folder / "two", **settings)
        for server in (self.frozen, self.other):
            server.data_dir = folder / "data"

    def rows(self, statement: str) -> list[dict[str, Any]]:
        return rows(self._database_url, statement)

    def until(self, reached: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + 40
        while not reached():
            assert time.monotonic() < deadline, what
            time.sleep(0.05)

    def freeze(self, client: Client, project: str, step: int) -> str:
        """Have the first server stand still at this step of storing a task's files, until its lease has run out."""
        self.frozen.die_at(step)
        task_id: str = client.generate(project, "a slime", "SPRITESHEET")["task"]["id"]
        self.until(lambda: self.frozen.stands_still, "it stands still")
        ended = f"SELECT 1 FROM task WHERE id = '{task_id}' AND lease_until < now()"
        self.until(lambda: self.rows(ended), "its lease runs out")
        return task_id

    def judge(self) -> None:
        """Every object is named by a row, and as it says; each row has its object."""
        named = {row["storage_key"]: row["sha256"] for row in self.rows("SELECT storage_key, sha256 FROM asset")}
        stored = {key: hashlib.sha256(data).hexdigest() for key, data in self.stored().items()}
        assert stored == named


@pytest.fixture(params=["local", "s3"])
def house(request: pytest.FixtureRequest, tmp_path: Path, database_url: str) -> Iterator[House]:
    bucket = None
    if request.param == "s3":
        bucket = request.getfixturevalue("s3_server"), request.getfixturevalue("s3_options")
    house = House(tmp_path, database_url, bucket)
    try:
        assert house.frozen.start() is not None, house.frozen.log.read_text()
        yield house
    finally:
        for server in (house.frozen, house.other):
            if server.started:
                server.kill()
                with contextlib.suppress(ValueError):
                    server.end()


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("taken_by", ["deletion", "other server"])
def test_what_a_worker_stores_long_after_its_task_was_taken_from_it_goes(
    house: House, taken_by: str, step: int
) -> None:
    client = house.frozen.client().sign_up()
    doomed, kept = client.project("doomed"), client.project("kept")
    task_id = house.freeze(client, doomed, step)
    assert house.other.start() is not None, house.other.log.read_text()
    client.address = house.other.address
    if taken_by == "deletion":
        answer = client.data("mutation($id: ID!) { deleteProject(id: $id) { errors { code } } }", id=doomed)
        assert answer["deleteProject"]["errors"] == []
        # Once at once, and for the last time as if the minutes after which nobody should be writing were over.
        house.until(lambda: not house.rows("SELECT 1 FROM storage_deletion WHERE next_try_at < final_at"), "removed")
        house.rows("UPDATE storage_deletion SET next_try_at = created_at, final_at = created_at")
        house.until(lambda: not house.rows("SELECT 1 FROM storage_deletion"), "removed for good")
        assert house.stored() == {}
    else:
        house.until(lambda: client.task(task_id)["status"] == "COMPLETED", "the other server does it")
    house.frozen.send_signal(signal.SIGCONT)
    assert house.other.end() == 0
    # Its one worker takes this only after it has let go of the other.
    client.address = house.frozen.address
    last = client.generate(kept, "a bat", "SPRITE")["task"]["id"]
    house.until(lambda: client.task(last)["status"] == "COMPLETED", "the first server works again")
    house.judge()
    assert house.frozen.end() == 0
