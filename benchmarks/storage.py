"""What files cost in a bucket: a real SeaweedFS server on this machine, and a real `wonder serve`.

    python benchmarks/storage.py --objects 10000

Prints JSON: how long 1,000 small objects take, one writer and eight; by how much the memory of the process grows while
200 MB go up and come down; how long the objects of a deleted project take to go, and how the API answers meanwhile.
"""

import argparse
import asyncio
import dataclasses
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.running_server import RunningServer, ask, signed_up
from domain.clock import SystemClock
from domain.storage.keys import output_key, task_prefix
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from tests.helpers.seaweed import ACCESS_KEY, SECRET_KEY, SeaweedServer, seaweed_server

_SMALL = 1000
_LARGE_BYTES = 200_000_000
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


def deletion(server: SeaweedServer, options: S3Options, folder: Path, count: int) -> dict[str, float]:
    """Delete a project with so many objects through a real server, and ask it something else all the while."""
    variables = {
        "WONDER_STORAGE": "s3",
        "WONDER_S3_ENDPOINT_URL": options.endpoint_url,
        "WONDER_S3_BUCKET": options.bucket,
        "WONDER_S3_ACCESS_KEY_ID": options.access_key_id,
        "WONDER_S3_SECRET_ACCESS_KEY": options.secret_access_key,
    }
    with RunningServer(folder / "data", **variables) as running:
        client, project = signed_up(running.address, "bench@example.com")
        user = ask(client, "{ me { id } }")["me"]["id"]
        asyncio.run(fill(options, user, project, count))
        begun = time.perf_counter()
        ask(client, _DELETE, id=project)
        answered = time.perf_counter() - begun
        waits, prefix = [], task_prefix(user, project, "tsk_0").partition("tasks/")[0]
        looked = 0.0
        while True:
            asked = time.perf_counter()
            ask(client, "{ me { id } }")
            waits.append(time.perf_counter() - asked)
            time.sleep(0.01)
            if time.perf_counter() - looked > 1:
                looked = time.perf_counter()
                if not [key for key in server.keys(options.bucket) if key.startswith(prefix)]:
                    break
        waits.sort()
        return {
            "objects": count,
            "seconds_until_answer": round(answered, 3),
            "seconds_until_gone": round(time.perf_counter() - begun, 1),
            "api_p50_ms": round(waits[len(waits) // 2] * 1000, 1),
            "api_p99_ms": round(waits[len(waits) * 99 // 100] * 1000, 1),
            "api_max_ms": round(waits[-1] * 1000, 1),
        }


def main() -> None:
    """Run all three and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=10_000)
    count = parser.parse_args().objects
    with seaweed_server() as server, tempfile.TemporaryDirectory() as name:
        server.create_bucket("bench")
        options = S3Options("bench", server.url, access_key_id=ACCESS_KEY, secret_access_key=SECRET_KEY)
        figures = {
            "small": asyncio.run(small(options)),
            "large": asyncio.run(large(dataclasses.replace(options, read_timeout_seconds=300), Path(name))),
            "deletion": deletion(server, options, Path(name), count),
        }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
