"""Running the server: listen, say so, and end well."""

import asyncio
import contextlib
import logging
import resource
import signal
import socket
import sys
from collections.abc import Iterator, Sequence

import uvicorn
from starlette.types import ASGIApp

from domain.errors import SettingsError
from domain.settings import Settings
from server.addresses import AddressCount
from server.app import build_app
from server.connections import (
    ConnectionTimes,
    Gate,
    WatchedH11,
    WatchedHttpTools,
    WatchedWebSocket,
    watched,
)
from server.wiring import Process
from worker.providers.registry import AnyProvider

_log = logging.getLogger("wonder.server")

#: Connections get this long to finish their answers at a stop; the tasks' own grace period comes after it.
_CONNECTION_GRACE_SECONDS = 3
_MAX_SOCKET_MESSAGE_BYTES = 65_536
_SOCKET_PING_SECONDS = 40
_BACKLOG = 2048
_FILES = 65_536
#: Between requests of one connection.
_KEEP_ALIVE_SECONDS = 15
#: What was sent and is not acknowledged by then went to a client that is gone.
_UNACKNOWLEDGED_SECONDS = 30
#: Of the grace, before uploads and answers that nobody takes are cut, so that they end as any lost connection does.
_UNFINISHED_SECONDS = 1.5


class _Server(uvicorn.Server):
    """A server that prints its address when it is ready, and that ends with exit code 0 when it is told to stop."""

    def __init__(self, config: uvicorn.Config, process: Process, gate: Gate, address: str) -> None:
        super().__init__(config)
        self._process = process
        self._gate = gate
        self._address = address

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the process, serve until a signal, stop the process; raises what keeps it from starting.

        Signals are caught all the while, so that a second one does not cut the stop short.
        """
        with self._signals_caught():
            async with self._process.running():
                await super().serve(sockets)
        _log.info("stopped")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen; then the one line that tells where."""
        await super().startup(sockets=sockets)
        if self.started:
            _log.info("serving at %s", self._address)
            print(self._address, flush=True)  # noqa: T201 (the command's answer)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse what is new, end the open sockets so that their clients come back elsewhere, then the rest."""
        _log.info("stopping")
        self._process.draining = True
        await self._process.channels.close_all()
        asyncio.get_running_loop().call_later(_UNFINISHED_SECONDS, self._gate.cut_unfinished)
        await super().shutdown(sockets=sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing where uvicorn would catch signals and, at the end, raise them again."""
        yield

    @contextlib.contextmanager
    def _signals_caught(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)


def serve(settings: Settings, further_providers: Sequence[AnyProvider] = ()) -> int:
    """Serve until a signal; returns the exit code: 0 after a clean stop.

    `further_providers` come after the configured ones. Raises what keeps the process from starting, `SettingsError`
    first of all.
    """
    process = Process(settings, further_providers)
    listener = _listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    gate = gate_of(settings)
    config = server_config(build_app(process), settings, gate)
    server = _Server(config, process, gate, f"http://{host}:{port}")
    _raise_file_limit()
    with listener:
        uvicorn_run(server, listener)
    return 0


def gate_of(settings: Settings, times: ConnectionTimes | None = None) -> Gate:
    """Return the limits of connections."""
    addresses = AddressCount(settings.max_connections_per_address, settings.trusted_proxies)
    return Gate(addresses, times or ConnectionTimes())


def server_config(app: ASGIApp, settings: Settings, gate: Gate, *, h11: bool = False) -> uvicorn.Config:
    """Return how uvicorn serves an application of ours: without its own log lines, lifespan, headers and pings.

    `h11` takes the slower of its two parsers, written in Python.
    """
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        http=watched(WatchedH11 if h11 else WatchedHttpTools, gate),
        ws=watched(WatchedWebSocket, gate),
        ws_max_size=_MAX_SOCKET_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        # Behind our own, which close with a code after which clients come back.
        ws_ping_interval=_SOCKET_PING_SECONDS,
        ws_ping_timeout=_SOCKET_PING_SECONDS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_CONNECTION_GRACE_SECONDS,
        # X-Forwarded-For and X-Forwarded-Proto are believed of these only.
        forwarded_allow_ips=list(settings.trusted_proxies),
    )


def uvicorn_run(server: uvicorn.Server, listener: socket.socket) -> None:
    """Run a server on a loop of its own, on uvloop where there is one."""
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(server.serve(sockets=[listener]))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "linux":  # what is accepted inherits it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED_SECONDS * 1000)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = error.strerror or "it cannot be used"
        raise SettingsError(f"Cannot listen on {host}:{port}: {reason}. Choose another --port, or 0.") from None
    listener.listen(_BACKLOG)
    listener.setblocking(False)  # noqa: FBT003 (the standard library's signature)
    return listener


def _raise_file_limit() -> None:
    """Allow as many open files, and so connections, as the system allows; the default of many is 1024."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
