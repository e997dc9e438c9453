"""What files cost in a bucket: a real SeaweedFS server on this machine, and a real `wonder serve`.

    python benchmarks/storage.py --objects 10000 --assets 1000

Prints JSON: how long 1,000 small objects take, one writer and eight; by how much the memory of the process grows while
200 MB go up and come down; how long the objects of a deleted project take to go, and how the API answers meanwhile
and when nothing else goes on; how many small assets the server makes and stores in a minute; and by how much its memory
grows while 200 MB go through it, up and down, with a folder and with the bucket.
"""

import argparse
import asyncio
import dataclasses
import json
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx

from benchmarks.running_server import RunningServer, ask, signed_up
from benchmarks.served_files import large_files, small_assets
from domain.clock import SystemClock
from domain.storage.keys import output_key, task_prefix
from domain.storage.local import LocalStorage
from domain.storage.s3.connection import S3Connection
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from domain.storage.signing import UrlSigner
from tests.helpers.seaweed import ACCESS_KEY, SECRET_KEY, seaweed_server

_SMALL = 1000
_LARGE_BYTES = 200_000_000
_ASKED_IDLE = 500
_DELETE = "mutation($id: ID!) { deleteProject(id: $id) { errors { code } } }"


async def put_small(storage: S3Storage, count: int, writers: int) -> float:
    """Return seconds for storing objects of 5 kB."""
    numbers = iter(range(count))

    async def write() -> None:
        for number in numbers:
            await storage.put(f"users/bench/{writers}/{number}.png", bytes(5000), "image/png")

    begun = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(writers)))
    return time.perf_counter() - begun


async def small(options: S3Options) -> dict[str, float]:
    """Store small objects one after the other and eight at once."""
    storage = S3Storage(options, SystemClock())
    await storage.check()
    result = {f"seconds_{writers}_writers": round(await put_small(storage, _SMALL, writers), 1) for writers in (1, 8)}
    await storage.delete_prefix("users/bench/")
    await storage.close()
    return result


async def large(options: S3Options, folder: Path) -> dict[str, float]:
    """Send a large file up and read it down; memory is counted from after a small one, which loads everything."""
    storage = S3Storage(options, SystemClock())
    source = folder / "large"
    with source.open("wb") as file:
        file.truncate(30_000_000)
    await storage.put_file("users/large", source, "video/mp4")
    with source.open("wb") as file:
        file.truncate(_LARGE_BYTES)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    await storage.put_file("users/large", source, "video/mp4")
    up = time.perf_counter() - begun
    size = sum([len(chunk) async for chunk in storage.read("users/large")])
    down = time.perf_counter() - begun - up
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    await storage.close()
    return {
        "bytes": size,
        "seconds_up": round(up, 1),
        "seconds_down": round(down, 1),
        "memory_grown_mib": round(grown, 1),
    }


async def fill(options: S3Options, user_id: str, project_id: str, count: int) -> None:
    """Give a project as many objects as that, ten below each task."""
    storage = S3Storage(options, SystemClock())
    numbers = iter(range(count))

    async def write() -> None:
        for number in numbers:
            key = output_key(user_id, project_id, f"tsk_{number // 10}", "run", f"{number}.png")
            await storage.put(key, b"x" * 200, "image/png")

    await asyncio.gather(*(write() for _ in range(16)))
    await storage.close()


async def nothing_below(options: S3Options, prefix: str) -> None:
    """Return when the bucket holds nothing with this prefix any more, which is looked for four times a second.

    One key a look: reading a page of them would hold up the thread that measures.
    """
    connection = S3Connection(options)
    client = await connection.client()
    while True:
        page = await client.list_objects_v2(Bucket=options.bucket, Prefix=prefix, MaxKeys=1)
        if not page.get("Contents"):
            break
        await asyncio.sleep(0.25)
    await connection.close()


def deletion(options: S3Options, folder: Path, count: int) -> dict[str, float]:
    """Delete a project with so many objects through a real server, and ask it something else all the while."""
    with RunningServer(folder / "data", **bucket_variables(options)) as running:
        client, project = signed_up(running.address, "bench@example.com")
        user = ask(client, "{ me { id } }")["me"]["id"]
        asyncio.run(fill(options, user, project, count))
        idle = [waited(client) for _ in range(_ASKED_IDLE)]
        begun = time.perf_counter()
        ask(client, _DELETE, id=project)
        answered = time.perf_counter() - begun
        waits, prefix = [], task_prefix(user, project, "tsk_0").partition("tasks/")[0]
        with ThreadPoolExecutor(1) as beside:
            gone = beside.submit(asyncio.run, nothing_below(options, prefix))
            while not gone.done():
                waits.append(waited(client))
            gone.result()
        return {
            "objects": count,
            "seconds_until_answer": round(answered, 3),
            "seconds_until_gone": round(time.perf_counter() - begun, 1),
            **percentiles("idle", idle),
            "api_asked": len(waits),
            **percentiles("api", waits),
        }


def bucket_variables(options: S3Options) -> dict[str, str]:
    """Return the settings of a server that keeps its files there."""
    return {
        "WONDER_STORAGE": "s3",
        "WONDER_S3_ENDPOINT_URL": options.endpoint_url,
        "WONDER_S3_BUCKET": options.bucket,
        "WONDER_S3_ACCESS_KEY_ID": options.access_key_id,
        "WONDER_S3_SECRET_ACCESS_KEY": options.secret_access_key,
    }


def waited(client: httpx.Client) -> float:
    """Ask the API something small, and rest a moment; returns the seconds until its answer."""
    asked = time.perf_counter()
    ask(client, "{ me { id } }")
    seconds = time.perf_counter() - asked
    time.sleep(0.01)
    return seconds


def percentiles(name: str, seconds: list[float]) -> dict[str, float]:
    """Return what half, 95 and 99 of a hundred and all stayed below, in milliseconds."""
    ordered = sorted(seconds)
    shares = {"p50": 50, "p95": 95, "p99": 99}
    found = {f"{name}_{short}_ms": ordered[len(ordered) * share // 100] for short, share in shares.items()}
    found[f"{name}_max_ms"] = ordered[-1]
    return {key: round(value * 1000, 1) for key, value in found.items()}


def main() -> None:
    """Run all of them and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--assets", type=int, default=1000)
    parsed = parser.parse_args()
    with seaweed_server() as server, tempfile.TemporaryDirectory() as name:
        server.create_bucket("bench")
        folder = Path(name)
        options = S3Options("bench", server.url, access_key_id=ACCESS_KEY, secret_access_key=SECRET_KEY)
        figures = {
            "small": asyncio.run(small(options)),
            "large": asyncio.run(large(dataclasses.replace(options, read_timeout_seconds=300), folder)),
            "deletion": deletion(options, folder, parsed.objects),
            "assets": small_assets(folder, bucket_variables(options), parsed.assets),
        }
        for kind in ("local", "s3"):
            own = folder / kind
            own.mkdir()
            signer = UrlSigner(b"k" * 32, SystemClock(), 60)
            storage = S3Storage(options, SystemClock()) if kind == "s3" else LocalStorage(own / "large/files", signer)
            variables = bucket_variables(options) if kind == "s3" else {}
            figures[f"through_server_{kind}"] = large_files(own, variables, storage)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
