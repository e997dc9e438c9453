"""How the server takes hostile clients: bytes of every kind, clients that vanish, and crowds of idle sockets.

Everything runs against a process of its own, with the application, the parsers and the limits of `wonder serve`. It is
looked into from inside: asyncio tasks, open channels, listeners to events and resident memory, after a collection of
garbage. Ends with exit code 1 when a bound is broken:

- random requests, frames and pieces of connections: no answer of 500, no traceback in the log;
- clients that vanish in the midst of a subscription, over each transport: nothing is left, memory stays flat;
- idle sockets of logged-in users: so much memory each above a socket of a bare Starlette application.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from probed_server import SERVED, serve_bare, serve_wonder
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

_KIB: Final = 1024
_FILES: Final = 16_384
_SETTLING_SECONDS: Final = 30
_SOCKETS_PER_USER: Final = 50
_FIRST_SOCKETS: Final = 1000
_MAX_IDLE_KIB: Final = 25.0
#: What the allocator may keep after all those clients.
_MAX_GROWTH_KIB: Final = 4096
_STATS: Final = "subscription { queueStats(intervalSeconds: 60) { pending } }"
_ACCEPTS: Final = {"sse": "text/event-stream", "multipart": "multipart/mixed;subscriptionSpec=1.0"}
_PROTOCOL: Final = Subprotocol("graphql-transport-ws")
_PIECES: Final = (
    b'{"query":"{ __typename }"}', b'{"type":"connection_init"}', b'{"type":"subscribe","id":"1","payload":',
    b"[" * 900, b"NaN", b"\\ud800", b"\xff\xfe", b"\x00", b"null", b'"', b"{", b"}", b"...F", b"query($a: Int){",
    b"9" * 400, b"\r\n",
)  # fmt: skip
_PATHS: Final = ("/graphql", "/graphql?query={", "/graphql?id=a")
_HALVES: Final = (b"", b"POST /graphql HTTP/1.1\r\nHost: l", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00")


class Probed:
    """The process that is measured."""

    def __init__(self, process: asyncio.subprocess.Process, address: str, log: Path) -> None:
        self._process = process
        self.address = address
        self.log = log
        parts = urlsplit(address)
        self.host, self.port = str(parts.hostname), int(parts.port or 0)

    async def figures(self) -> dict[str, int]:
        """Return what the process holds now."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process cannot be asked")
        self._process.stdin.write(b"\n")
        return cast("dict[str, int]", json.loads(await self._process.stdout.readline()))

    async def settled(self, tasks: int | None = None) -> dict[str, int]:
        """Wait until no client is left, and no more tasks than so many; returns all figures, also when some stay."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLING_SECONDS):
                while True:
                    figures = await self.figures()
                    held = [figures.get(key, 0) for key in ("connections", "channels", "streams")]
                    if not any(held) and (tasks is None or figures["tasks"] <= tasks):
                        break
                    await asyncio.sleep(0.1)
        return await self.figures()


@contextlib.asynccontextmanager
async def probed(kind: str) -> AsyncIterator[Probed]:
    """Start a process of one kind; ends it with its own signal."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                sys.executable, __file__, "--serve", kind, "--folder", folder,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=file,
            )  # fmt: skip
        try:
            if process.stdout is None or not (line := await process.stdout.readline()):
                raise RuntimeError(log.read_text())
            yield Probed(process, line.decode().strip(), log)
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def ask(server: Probed, body: bytes, *headers: str, method: str = "POST", path: str = "/graphql") -> bytes:
    """Send one request as bytes; returns the answer as bytes, empty when the server cut the connection."""
    head = [
        f"{method} {path} HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        writer.write("\r\n".join([*head, "", ""]).encode("latin-1") + body)
        return await asyncio.wait_for(reader.read(), 30)
    except ConnectionError:
        return b""
    finally:
        writer.transport.abort()


async def token_of(server: Probed, number: int) -> str:
    """Return the token of a new user."""
    query = (
        f'mutation {{ signup(input: {{email: "u{number}@example.com", password: "correct horse"}}) {{ accessToken }} }}'
    )
    answer = await ask(server, json.dumps({"query": query}).encode(), "Content-Type: application/json")
    return str(json.loads(answer.partition(b"\r\n\r\n")[2])["data"]["signup"]["accessToken"])


async def open_socket(server: Probed, token: str) -> ClientConnection:
    """Return a socket that is logged in."""
    url = server.address.replace("http", "ws", 1) + "/graphql"
    opened = await connect(url, subprotocols=[_PROTOCOL], compression=None, ping_interval=None, max_queue=1)
    await opened.send(json.dumps({"type": "connection_init", "payload": {"token": token}}))
    await opened.recv()
    return opened


def garbage(chance: random.Random) -> bytes:
    """Return bytes that are nearly something."""
    return b"".join(chance.choice(_PIECES) for _ in range(chance.randrange(1, 6)))


async def hostile_request(server: Probed, chance: random.Random, token: str) -> int:
    """Send a request that is hardly one; returns its status, 0 for none."""
    headers = [
        f"Content-Type: {chance.choice(['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'x'])}",
        f"Accept: {chance.choice(['*/*', 'application/json', *_ACCEPTS.values(), 'x;q=9', 'text/html'])}",
    ]
    if chance.random() < 0.5:
        headers.append(f"Authorization: Bearer {chance.choice([token, 'x', token[:-2]])}")
    method, path = (
        chance.choice(["POST", "GET", "PUT"]),
        chance.choice(["/graphql", "/graphql?query={", "/graphql?id=a"]),
    )
    answer = await ask(server, garbage(chance), *headers, method=method, path=path)
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


async def hostile_frames(server: Probed, chance: random.Random, token: str) -> int:
    """Send frames that are hardly messages; returns the close code."""
    opened = await open_socket(server, token)
    with contextlib.suppress(WebSocketException, TimeoutError):
        for _ in range(5):
            data = garbage(chance)
            await opened.send(data if chance.random() < 0.2 else data.decode("utf-8", "replace"))
        async with asyncio.timeout(5):
            while True:
                await opened.recv()
    opened.transport.abort()
    return opened.close_code or 1006


async def hostile_bytes(server: Probed, chance: random.Random, _: str) -> int:
    """Send pieces of a request and go."""
    _, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(
        chance.choice([b"", b"POST /graphql HTTP/1.1\r\nHost: l", b"GET / HTTP/9.9\r\n\r\n", chance.randbytes(50)])
    )
    await asyncio.sleep(0)
    writer.transport.abort()
    return 0


async def vanish_from_stream(server: Probed, token: str, accept: str) -> None:
    """Follow a subscription and vanish, before, at or after its first answer."""
    body = json.dumps({"query": _STATS})
    head = ["POST /graphql HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Accept: {accept}"]
    head += [f"Authorization: Bearer {token}", f"Content-Length: {len(body)}", "", body]
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write("\r\n".join(head).encode())
    if random.random() < 0.8:
        await reader.readuntil(b"pending")
    writer.transport.abort()


async def vanish_from_socket(server: Probed, token: str) -> None:
    """Do the same on a socket."""
    opened = await open_socket(server, token)
    await opened.send(json.dumps({"type": "subscribe", "id": "1", "payload": {"query": _STATS}}))
    if random.random() < 0.8:
        await opened.recv()
    opened.transport.abort()


async def stay(server: Probed, token: str) -> asyncio.Task[None]:
    """Open a socket and answer the server's pings, until the task is cancelled."""
    opened = await open_socket(server, token)

    async def answer() -> None:
        try:
            while True:
                await opened.recv()
                await opened.send('{"type":"pong"}')
        finally:
            opened.transport.abort()

    return asyncio.create_task(answer())


async def many(count: int, one: Callable[[int], Awaitable[Any]], at_once: int = 20) -> list[Any]:
    """Do something so often, some of it at the same time."""
    turns = asyncio.Semaphore(at_once)

    async def turn(number: int) -> Any:  # noqa: ANN401 (whatever is done)
        async with turns:
            return await one(number)

    return list(await asyncio.gather(*(turn(number) for number in range(count))))


async def hostile_suite(count: int) -> bool:
    """Send everything that is hardly anything; tells whether the server stood it."""
    async with probed("wonder") as server:
        chance, token = random.Random(7), await token_of(server, 0)
        statuses = Counter(await many(count, lambda _: hostile_request(server, chance, token)))
        codes = Counter(await many(count // 4, lambda _: hostile_frames(server, chance, token)))
        await many(count // 4, lambda _: hostile_bytes(server, chance, token))
        figures = await server.settled()
        tracebacks = server.log.read_text().count("Traceback")
    print(f"hostile requests: {dict(sorted(statuses.items()))}")
    print(f"hostile frames, by close code: {dict(sorted(codes.items()))}")
    print(f"answers of 500: {statuses[500]}, tracebacks: {tracebacks}, left: {figures}")
    return statuses[500] == tracebacks == 0


async def vanishing(count: int) -> bool:
    """Let clients vanish; tells whether nothing is left of them."""
    good = True
    async with probed("wonder") as server:
        token = await token_of(server, 0)
        ways: dict[str, Callable[[int], Awaitable[None]]] = {
            "socket": lambda _: vanish_from_socket(server, token),
            "sse": lambda _: vanish_from_stream(server, token, _ACCEPTS["sse"]),
            "multipart": lambda _: vanish_from_stream(server, token, _ACCEPTS["multipart"]),
        }
        for name, way in ways.items():
            await many(count // 2, way)  # what is made once and kept
            before = await server.settled()
            await many(count, way)
            after = await server.settled(before["tasks"])
            grown = (after["rss"] - before["rss"]) // _KIB
            left = {key: after[key] - before[key] for key in ("tasks", "generators")} | {
                key: after[key] for key in ("channels", "streams")
            }
            print(f"{count} vanished, {name}: left {left}, resident memory {grown:+} KiB")
            good &= not any(value > 0 for value in left.values()) and grown <= _MAX_GROWTH_KIB
        tracebacks = server.log.read_text().count("Traceback")
    print(f"tracebacks: {tracebacks}")
    return good and tracebacks == 0


async def idle(kind: str, count: int) -> float:
    """Open idle sockets; returns KiB of resident memory for each."""
    async with probed(kind) as server:
        users = -(-(count + _FIRST_SOCKETS) // _SOCKETS_PER_USER)
        tokens = [await token_of(server, number) for number in range(users)] if kind == "wonder" else [""] * users
        # The first ones find memory that the start left free, or make what all share.
        held = await many(_FIRST_SOCKETS, lambda number: stay(server, tokens[number % users]))
        before = await server.figures()
        held += await many(count, lambda number: stay(server, tokens[(number + _FIRST_SOCKETS) % users]))
        after = await server.figures()
        if after["connections"] != len(held):
            raise RuntimeError(f"{after['connections']} of {len(held)} sockets are open")
        for staying in held:
            staying.cancel()
    return (after["rss"] - before["rss"]) / _KIB / count


async def crowd(count: int) -> bool:
    """Compare idle sockets with those of a bare application; tells whether the difference is small."""
    bare, ours = await idle("bare", count), await idle("wonder", count)
    print(f"{count} idle sockets: {ours:.1f} KiB each, bare Starlette {bare:.1f}, difference {ours - bare:.1f}")
    return ours - bare <= _MAX_IDLE_KIB


async def main(arguments: argparse.Namespace) -> int:
    """Run everything; returns the exit code."""
    good = await hostile_suite(arguments.requests)
    good &= await vanishing(arguments.vanish)
    good &= await crowd(arguments.sockets)
    return 0 if good else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--vanish", type=int, default=1000)
    parser.add_argument("--sockets", type=int, default=2000)
    parser.add_argument("--serve", choices=SERVED, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, _FILES) if limit > 0 else _FILES, limit))
    if given.serve is not None:
        os.chdir(given.folder)
        asyncio.run({"wonder": serve_wonder, "bare": serve_bare}[given.serve](given.folder))
        sys.exit(0)
    sys.exit(asyncio.run(main(given)))
