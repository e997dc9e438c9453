"""A server is killed at one step after the other of everything that stores or removes files, then judged."""

import hashlib
import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from PIL import Image

from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import PASSWORD, Client
from tests.helpers.stepping import SteppingServer

_UPLOAD: Final = """mutation($p: ID!, $f: Upload!) {
  uploadImage(projectId: $p, file: $f) { image { id } errors { code } } }"""
_DELETE_PROJECT: Final = "mutation($id: ID!) { deleteProject(id: $id) { deletedId errors { code } } }"
_DELETE_ACCOUNT: Final = "mutation { deleteAccount(password: %s) { deletedId errors { code } } }" % json.dumps(PASSWORD)  # noqa: UP031
_CLEANUP: Final = "mutation { admin { cleanupTasks(olderThanDays: 0) { changed details errors { code } } } }"
_REPAIR: Final = "mutation { admin { repairTasks(dryRun: true) { found details errors { code } } } }"
_SECONDS: Final = 90
#: What settings such a server needs so that what is late is over soon.
VARIABLES: Final = {
    "WONDER_LEASE_SECONDS": "2",
    "WONDER_TASK_RETRY_DELAY_SECONDS": "0.1",
    "WONDER_PURGE_INTERVAL_SECONDS": "0.2",
    "WONDER_TASK_TIMEOUT_SECONDS": "20",
    "WONDER_GENERATES_PER_MINUTE": "0",
    "WONDER_SIGNUPS_PER_MINUTE": "0",
    "WONDER_MAX_WORKER_LOSSES": "1000",
}


PHASES: Final = ("upload", "generate", "delete project", "delete account", "clean up")


def objects_in_folder(data_dir: Path) -> Callable[[], dict[str, bytes]]:
    """What lists the objects of a local storage."""
    root = data_dir / "files" / "objects"
    return lambda: {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def objects_in_bucket(server: SeaweedServer, bucket: str) -> Callable[[], dict[str, bytes]]:
    """What lists the objects of a bucket."""
    return lambda: {key: server.content(bucket, key) for key in server.keys(bucket)}


class Died(Exception):
    """The server was killed before it answered."""


@dataclass
class FileTrial:
    """Phases that can be gone through again after a kill, on a server whose files `stored` lists: keys and contents.

    `rows` reads the server's database by SQL, and `change` changes it while the server is stopped.
    """

    server: SteppingServer
    stored: Callable[[], dict[str, bytes]]
    rows: Callable[[str], list[tuple[Any, ...]]]
    change: Callable[[str], None]
    kills: dict[str, int] = field(default_factory=dict)
    _pictures: int = 0

    def prepare(self) -> None:
        """Start the server with a user who stays, and an administrator."""
        self._restart()
        self._ada = self.server.client().sign_up("ada@example.com")
        self._project = self._ada.project()
        self._root = self.server.administrator()

    def run(self, phase: str, steps: range) -> int:
        """Kill the server at each of these steps of a phase, until the phase is through before its step has come.

        Returns how often it was killed.
        """
        make, go_on = {
            "upload": (self._nothing, self._upload),
            "generate": (self._nothing, self._generate),
            "delete project": (self._filled_project, self._delete_project),
            "delete account": (self._filled_account, self._delete_account),
            "clean up": (self._filled_project, self._clean_up),
        }[phase]
        killed = 0
        for step in steps:
            subject = make()
            self._pictures += 1
            self.server.die_at(step)
            try:
                go_on(subject)
            except Died:
                killed += 1
                self._restart()
                go_on(subject)
                continue
            self.server.die_at(0)
            if self.server.exit_code is None:
                break
            killed += 1  # behind the answer
            self._restart()
        self.kills[phase] = killed
        return killed

    def judge(self) -> dict[str, Any]:
        """Wait until nothing is left to do, and count what is wrong: all of it must be nothing."""
        self._wait("SELECT COUNT(*) FROM task WHERE status IN ('PENDING', 'RUNNING')")
        # What may still be written late, or was being carried out when its server died, is looked at again minutes from
        # now. Those minutes are taken away here.
        self.server.kill()
        self.change("UPDATE storage_deletion SET next_try_at = created_at, final_at = created_at")
        self._restart()
        self._wait("SELECT COUNT(*) FROM storage_deletion")
        named = {str(key): str(digest) for key, digest in self.rows("SELECT storage_key, sha256 FROM asset")}
        named |= {str(key): "" for (key,) in self.rows("SELECT storage_key FROM stored_upload")}
        stored = self.stored()
        failed = self.rows("SELECT status, error_code, error_message FROM task WHERE status NOT IN ('COMPLETED')")
        repair = self._ask(self._root, _REPAIR)["admin"]["repairTasks"]
        torn = [
            key
            for key, digest in named.items()
            if digest and key in stored and hashlib.sha256(stored[key]).hexdigest() != digest
        ]
        return {
            "not completed": failed,
            "rows without object": sorted(named.keys() - stored.keys()),
            "objects without row": sorted(stored.keys() - named.keys()),
            "torn": torn,
            "contradictions": repair["details"],
        }

    # -- what the phases do

    def _nothing(self) -> str:
        return f"{self._pictures}"

    def _upload(self, subject: str) -> None:
        picture = io.BytesIO()
        Image.new("RGB", (32, 32), (int(subject) % 256, int(subject) // 256, 7)).save(picture, "PNG")
        operations = {"query": _UPLOAD, "variables": {"p": self._project, "f": None}}
        files = {"0": ("x.png", picture.getvalue(), "image/png")}
        form = {"operations": json.dumps(operations), "map": '{"0": ["variables.f"]}'}
        answer = self._post(self._ada, data=form, files=files)
        assert answer["uploadImage"]["errors"] == [], answer
        self._picture = answer["uploadImage"]["image"]["id"]

    def _generate(self, subject: str) -> None:
        self._finish(self._ada, self._project, f"slime {subject}", "SPRITESHEET")

    def _finish(self, client: Client, project: str, prompt: str, asset_type: str) -> None:
        wish: dict[str, Any] = {"projectId": project, "prompt": prompt, "assetType": asset_type}
        wish["idempotencyKey"] = prompt
        wish["params"] = {"width": 32, "height": 32, "seed": 1}
        query = "mutation($input: GenerateInput!) { generate(input: $input) { task { id } errors { code message } } }"
        answer = self._ask(client, query, input=wish)["generate"]
        assert answer["errors"] == [], answer
        query, deadline = "query($id: ID!) { task(id: $id) { status error { message } } }", time.monotonic() + _SECONDS
        while True:
            task = self._ask(client, query, id=answer["task"]["id"])["task"]
            if task["status"] not in {"PENDING", "RUNNING"}:
                assert task["status"] == "COMPLETED", task
                return
            assert time.monotonic() < deadline, task
            time.sleep(0.02)

    def _filled_project(self) -> str:
        project = self._ada.project(f"game {self._pictures}")
        self._finish(self._ada, project, f"a slime for {project}", "SPRITE")
        return project

    def _delete_project(self, subject: str) -> None:
        answer = self._ask(self._ada, _DELETE_PROJECT, id=subject)["deleteProject"]
        assert [error["code"] for error in answer["errors"]] in ([], ["NOT_FOUND"]), answer
        self._linger()

    def _filled_account(self) -> Client:
        client = self.server.client().sign_up(f"eve{self._pictures}@example.com")
        self._finish(client, client.project(), "a slime", "SPRITE")
        return client

    def _delete_account(self, subject: Client) -> None:
        answer = self._ask(subject, _DELETE_ACCOUNT, gone=True).get("deleteAccount")
        assert answer is None or answer["errors"] == [], answer
        self._linger()

    def _clean_up(self, _subject: str) -> None:
        answer = self._ask(self._root, _CLEANUP)["admin"]["cleanupTasks"]
        assert answer["errors"] == [], answer
        self._linger()

    def _linger(self) -> None:
        """Wait until what was recorded has been carried out once, or the server has died of it."""
        deadline = time.monotonic() + _SECONDS
        while self.rows("SELECT COUNT(*) FROM storage_deletion WHERE next_try_at < final_at")[0][0]:
            if self.server.exit_code is not None:
                raise Died
            assert time.monotonic() < deadline
            time.sleep(0.02)

    # -- how they ask

    def _ask(self, client: Client, query: str, *, gone: bool = False, **variables: Any) -> dict[str, Any]:
        return self._post(client, gone=gone, json={"query": query, "variables": variables})

    def _post(self, client: Client, *, gone: bool = False, **body: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {client.token}"}
        try:
            answer = httpx.post(f"{self.server.address}/graphql", headers=headers, timeout=60, **body).json()
        except httpx.HTTPError as error:
            raise Died from error
        if gone and "errors" in answer:  # whoever was deleted is nobody
            return {}
        assert "errors" not in answer, answer
        data: dict[str, Any] = answer["data"]
        return data

    def _restart(self) -> None:
        if self.server.started:
            self.server.end()
        assert self.server.start() is not None, self.server.log.read_text()[-3000:]
        for client in (getattr(self, "_ada", None), getattr(self, "_root", None)):
            if client is not None:
                client.address = self.server.address

    def _wait(self, counting: str) -> None:
        deadline = time.monotonic() + _SECONDS
        while self.rows(counting)[0][0]:
            assert time.monotonic() < deadline, counting
            time.sleep(0.05)
