"""How quickly a running server answers: `generate`, a whole 64 x 64 sprite, and an event's way to a subscriber.

    python benchmarks/latency.py --requests 200

Events carry the instant at which they were written (`at`); server and client share this machine's clock.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import httpx
from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport
from running_server import RunningServer, ask, generate, signed_up

_LIMITS = {"WONDER_MAX_ACTIVE_TASKS": "100000", "WONDER_GENERATES_PER_MINUTE": "0"}
_PROGRESS = gql("subscription($id: ID!) { taskProgress(taskId: $id) { sequence at } }")
_STATUS = "query($id: ID!) { task(id: $id) { status startedAt finishedAt createdAt } }"


def main() -> None:
    """Run the trials and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, RunningServer(Path(folder) / "data", **_LIMITS) as server:
        client, project = signed_up(server.address, "latency@example.com")
        figures = {
            "generate, idle server, ms": _percentiles(_generate_times(client, project, options.requests, wait=True)),
            "generate, busy server, ms": _percentiles(_generate_times(client, project, options.requests, wait=False)),
        }
        _wait(client, 600)
        figures["64 x 64 sprite, request to end, ms"] = _percentiles(_sprite_times(client, project, 30))
        token = client.headers["Authorization"]
        delays = asyncio.run(_event_delays(server.address, token, client, project, 40))
        figures["event written to received, ms"] = _percentiles(delays)
        print(json.dumps(figures, indent=2))


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    at = lambda share: round(ordered[min(int(len(ordered) * share), len(ordered) - 1)], 2)  # noqa: E731
    return {"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "mean": round(statistics.mean(ordered), 2)}


def _generate_times(client: httpx.Client, project: str, count: int, *, wait: bool) -> list[float]:
    times = []
    for number in range(count):
        started = time.perf_counter()
        task_id = generate(client, project, f"slime {wait} {number}")
        times.append((time.perf_counter() - started) * 1000)
        if wait:
            _wait_for(client, task_id)
    return times


def _wait_for(client: httpx.Client, task_id: str) -> dict[str, str]:
    for _ in range(10_000):
        task: dict[str, str] = ask(client, _STATUS, id=task_id)["task"]
        if task["status"] not in ("PENDING", "RUNNING"):
            return task
        time.sleep(0.01)
    raise TimeoutError


def _wait(client: httpx.Client, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        stats = ask(client, "{ queueStats { pending running } }")["queueStats"]
        if stats["pending"] + stats["running"] == 0:
            return
        time.sleep(0.2)


def _sprite_times(client: httpx.Client, project: str, count: int) -> list[float]:
    times = []
    for number in range(count):
        task = _wait_for(client, generate(client, project, f"a blue slime {number}", width=64, height=64))
        created, finished = (datetime.fromisoformat(task[name]) for name in ("createdAt", "finishedAt"))
        times.append((finished - created).total_seconds() * 1000)
    return times


async def _event_delays(address: str, token: str, client: httpx.Client, project: str, count: int) -> list[float]:
    delays = []
    transport = WebsocketsTransport(
        url=address.replace("http://", "ws://") + "/graphql", init_payload={"Authorization": token}
    )
    async with Client(transport=transport, fetch_schema_from_transport=False) as session:
        for number in range(count):
            task_id = await asyncio.to_thread(generate, client, project, f"a red slime {number}")
            seen_live = False
            async for answer in session.subscribe(_PROGRESS, variable_values={"id": task_id}):
                if seen_live:  # the first one is a snapshot of what may be long past
                    at = datetime.fromisoformat(answer["taskProgress"]["at"])
                    delays.append((datetime.now(UTC) - at).total_seconds() * 1000)
                seen_live = True
    return delays


if __name__ == "__main__":
    main()
