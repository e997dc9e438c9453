"""What files cost a real `wonder serve`: many small assets made and stored, and 200 MB through it, up and down."""

import asyncio
import hashlib
import io
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx
from PIL import Image

from benchmarks.running_server import RunningServer, ask, signed_up
from domain.ports import Storage

#: Bytes of a picture of noise, which does not get smaller: below the 10 MiB that an upload may have.
_NOISE_SIDE: Final = 1800
_LARGE_BYTES: Final = 200_000_000
_BATCH: Final = 50
_UPLOAD = "mutation($p: ID!, $f: Upload!) { uploadImage(projectId: $p, file: $f) { image { id } errors { code } } }"
_GENERATE = """mutation($i: [GenerateInput!]!) {
  generateBatch(inputs: $i) { results { task { id } errors { code } } errors { code } } }"""
_STATES = "SELECT status, COUNT(*) FROM task GROUP BY status"
_MANY: Final = {
    "WONDER_BCRYPT_COST": "4",
    "WONDER_MAX_ACTIVE_TASKS": "100000",
    "WONDER_GENERATES_PER_MINUTE": "0",
    "WONDER_WORKERS": "8",
}


def small_assets(folder: Path, variables: Mapping[str, str], count: int) -> dict[str, float]:
    """Have so many icons made, each one file of some hundred bytes, and stored; returns how many in a minute."""
    with RunningServer(folder / "small", **_MANY, **variables) as running:
        client, project = signed_up(running.address, "bench@example.com")
        wish = {"projectId": project, "assetType": "ICON", "params": {"width": 32, "height": 32}}
        begun = time.perf_counter()
        for start in range(0, count, _BATCH):
            inputs = [{**wish, "prompt": f"potion {n}"} for n in range(start, min(start + _BATCH, count))]
            answer = ask(client, _GENERATE, i=inputs)["generateBatch"]
            if answer["errors"] or any(result["errors"] for result in answer["results"]):
                raise RuntimeError(str(answer)[:500])
        accepted = time.perf_counter() - begun
        while (states := dict(_rows(running.data_dir, _STATES))).keys() & {"PENDING", "RUNNING"}:
            time.sleep(0.1)
        seconds = time.perf_counter() - begun
    return {
        "completed": states.get("COMPLETED", 0),
        "seconds_until_accepted": round(accepted, 1),
        "seconds": round(seconds, 1),
        "per_minute": round(states.get("COMPLETED", 0) / seconds * 60),
    }


def large_files(folder: Path, variables: Mapping[str, str], storage: Storage) -> dict[str, float]:
    """Send 200 MB of pictures up through a server, and a project of 200 MB down as a ZIP.

    Memory is the server's own at its highest: for one picture of 10 MB, from then on, and from a first ZIP on.
    """
    data_dir = folder / "large"
    with RunningServer(data_dir, **_MANY, **variables) as running:
        client, project = signed_up(running.address, "bench@example.com")
        _upload(client, project, 64)
        peak = _peak_since(running.pid)
        _upload(client, project, _NOISE_SIDE)
        one = peak()
        peak = _peak_since(running.pid)
        begun, sent = time.perf_counter(), 0
        while sent < _LARGE_BYTES:
            sent += _upload(client, project, _NOISE_SIDE)
        figures = {
            "bytes_up": sent,
            "seconds_up": round(time.perf_counter() - begun, 1),
            "memory_of_one_picture_mib": one,
            "memory_grown_up_mib": peak(),
        }
        ask(client, _GENERATE, i=[{"projectId": project, "prompt": "a slime", "assetType": "ICON"}])
        while dict(_rows(data_dir, _STATES)) != {"COMPLETED": 1}:
            time.sleep(0.1)
    # Nothing makes an asset so large; what is measured is how one is served.
    asyncio.run(_enlarge(data_dir, storage))
    with RunningServer(data_dir, **_MANY, **variables) as running:
        client.base_url = running.address
        query = "query($id: ID!) { project(id: $id) { downloadUrl } }"
        url = ask(client, query, id=project)["project"]["downloadUrl"]
        with httpx.stream("GET", url) as response:  # begun, and given up
            next(response.iter_bytes())
        peak = _peak_since(running.pid)
        begun = time.perf_counter()
        with httpx.stream("GET", url, timeout=60) as response:
            received = sum(len(chunk) for chunk in response.iter_bytes())
        return figures | {
            "bytes_down": received,
            "seconds_down": round(time.perf_counter() - begun, 1),
            "memory_grown_down_mib": peak(),
        }


def _upload(client: httpx.Client, project: str, side: int) -> int:
    picture = io.BytesIO()
    Image.frombytes("RGB", (side, side), os.urandom(side * side * 3)).save(picture, "PNG", compress_level=0)
    form = {
        "operations": json.dumps({"query": _UPLOAD, "variables": {"p": project, "f": None}}),
        "map": '{"0": ["variables.f"]}',
    }
    files = {"0": ("noise.png", picture.getvalue(), "image/png")}
    answer = client.post("/graphql", data=form, files=files, headers={"GraphQL-Require-Preflight": "1"}).json()
    if answer["data"]["uploadImage"]["errors"]:
        raise RuntimeError(str(answer))
    return picture.tell()


async def _enlarge(data_dir: Path, storage: Storage) -> None:
    """Put 200 MB in place of the one asset's file."""
    [(key,)] = _rows(data_dir, "SELECT storage_key FROM asset")
    digest, piece = hashlib.sha256(), os.urandom(1_000_000)
    with tempfile.NamedTemporaryFile(dir=data_dir.parent) as file:
        for _ in range(0, _LARGE_BYTES, len(piece)):
            file.write(piece)
            digest.update(piece)
        file.flush()
        await storage.check()
        await storage.put_file(str(key), Path(file.name), "image/png")
        await storage.close()
    with closing(sqlite3.connect(data_dir / "wonder.db")) as connection, connection:
        connection.execute("UPDATE asset SET size_bytes = ?, sha256 = ?", [_LARGE_BYTES, digest.hexdigest()])


def _rows(data_dir: Path, statement: str) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(f"file:{data_dir / 'wonder.db'}?mode=ro", uri=True)) as connection:
        return connection.execute(statement).fetchall()


def _peak_since(pid: int) -> Callable[[], float]:
    """Forget how much memory a process took at most; returns what tells by how many MiB it has grown since."""
    process = Path(f"/proc/{pid}")
    (process / "clear_refs").write_text("5")

    def peak_kib() -> int:
        lines = (process / "status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

    before = peak_kib()
    return lambda: round((peak_kib() - before) / 1024, 1)
