"""What a call through the providers' HTTP layer costs beside a bare httpx call, against a server on loopback.

Prints one JSON object: the least and the median of many calls, in milliseconds of wall time and of this process's CPU.
The two ways take turns, so that whatever else the machine does falls on both.
"""

import asyncio
import base64
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

import httpx

from domain.clock import SystemClock
from worker.providers.health import Health
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.limiter import Limiter
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.http.service import Service

_ROUNDS: Final = 300
#: About what a picture of 1024 x 1024 takes as base64.
_PICTURE: Final = base64.b64encode(b"x" * 1_000_000).decode()
_BODY: Final = json.dumps({"created": 1, "data": [{"b64_json": _PICTURE}]}).encode()
_HEAD: Final = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(_BODY)}\r\n\r\n".encode()


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            writer.write(_HEAD + _BODY)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _judge(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    return refusal_by_status(answer, paid=paid, said="", now=now)


async def _timed(call: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    await call()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


async def _run() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    tls = httpx.create_ssl_context()
    body = {"prompt": "a red kite", "size": "1024x1024"}
    service = Service(name="bench", base_url=url, judge=_judge, local=True)
    client = HttpClient(service, Health(), Limiter(4), tls, SystemClock())
    found: dict[str, list[tuple[float, float]]] = {"bare": [], "layer": []}
    async with httpx.AsyncClient(verify=tls, trust_env=False, timeout=60) as bare:
        for _ in range(_ROUNDS):
            found["bare"].append(await _timed(lambda: bare.post(f"{url}/v1/images/generations", json=body)))
            call = Call("POST", "/v1/images/generations", json=body, paid=True)
            found["layer"].append(await _timed(lambda call=call: client.send(call)))  # type: ignore[misc]
    await client.aclose()
    server.close()
    await asyncio.sleep(0.05)  # the server's side sees that the connections are closed
    report = {
        name: {
            "wall_ms_least": round(min(wall for wall, _ in times), 3),
            "wall_ms_median": round(statistics.median(wall for wall, _ in times), 3),
            "cpu_ms_median": round(statistics.median(cpu for _, cpu in times), 3),
        }
        for name, times in found.items()
    }
    added = report["layer"]["wall_ms_median"] - report["bare"]["wall_ms_median"]
    print(json.dumps({"rounds": _ROUNDS, **report, "added_ms_median": round(added, 3)}, indent=2))


if __name__ == "__main__":
    asyncio.run(_run())
