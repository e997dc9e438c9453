"""A server that tells what it holds: one line of JSON on standard output for each line on standard input."""

import asyncio
import contextlib
import gc
import json
import os
import signal
import socket
import sys
import types
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from domain.settings import Settings
from server.app import build_app
from server.connections import Gate
from server.logging import set_up_logging
from server.serving import gate_of, server_config
from server.wiring import Process

SERVED: Final = ("wonder", "bare")

Figures = Callable[[], dict[str, int]]


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 (uvicorn's own)
        """Leave the signals to `_serve`."""
        yield


async def serve_wonder(folder: Path) -> None:
    """Serve the whole application on a data folder until SIGTERM."""
    settings = Settings(data_dir=folder / "data", bcrypt_cost=4, image_processes=1, signups_per_minute=0, workers=0)
    set_up_logging(settings.model_copy(update={"log_level": "WARNING"}))
    process = Process(settings)

    def held() -> dict[str, int]:
        return {"channels": process.channels.count, "streams": process.channels.streams}

    async with process.running():
        await _serve(build_app(process), settings, held, process)


async def serve_bare(folder: Path) -> None:
    """Serve sockets that answer their first message and wait, by the same parsers, until SIGTERM."""

    async def talk(ws: WebSocket) -> None:
        await ws.accept("graphql-transport-ws")
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await ws.receive_text()
                await ws.send_text("{}")

    settings = Settings(data_dir=folder / "data")
    await _serve(Starlette(routes=[WebSocketRoute("/graphql", talk)]), settings, dict, None)


async def _serve(app: Starlette, settings: Settings, held: Figures, process: Process | None) -> None:
    gate = gate_of(settings)
    server = _Server(server_config(app, settings, gate))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, server.handle_exit, signal.SIGTERM, None)
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        answering = asyncio.create_task(_answer(gate, held))
        await server.serve(sockets=[listener])
        answering.cancel()
    if process is not None:
        await process.channels.close_all()


async def _answer(gate: Gate, held: Figures) -> None:
    async for _ in _lines():
        gc.collect()
        objects = gc.get_objects()
        figures = {
            "connections": gate.count,
            "tasks": len(asyncio.all_tasks()),
            "generators": sum(isinstance(thing, types.AsyncGeneratorType) for thing in objects),
            "rss": _resident_bytes(),
        }
        del objects
        print(json.dumps(figures | held()), flush=True)


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _lines() -> AsyncIterator[bytes]:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line
