"""What every request passes through: an id, a line in the log, safe headers, a host that is ours."""

import logging
import re
import secrets
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from domain.settings import Settings
from server.logging import request_id

_log = logging.getLogger("wonder.access")

#: Set unless the answer has its own.
SAFE_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
#: Answered under every name; what they tell is no secret.
HEALTH_PATHS: Final = frozenset({"/healthz", "/readyz"})
_FORBIDDEN_ORIGIN: Final = 4403
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


class RequestLog:
    """Gives every request an id, which its answer and its log lines bear, and writes a line when it is over."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        number = secrets.token_hex(8)
        request_id.set(number)
        started, status = time.perf_counter(), 0

        async def tagged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = number
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, tagged)
        finally:
            method = scope.get("method", "SOCKET")
            milliseconds = round((time.perf_counter() - started) * 1000, 1)
            # The path without its query: that may hold a signature or a token.
            _log.info("%s %s %s in %s ms", method, scope["path"], status or "-", milliseconds)


class TrustedHosts:
    """Answers only under names that are ours, so that a page of another name cannot reach a server on this machine."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = {host.lower() for host in settings.trusted_hosts} | {settings.host.lower()}
        if settings.public_url:
            self._hosts.add((urlsplit(settings.public_url).hostname or "").lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        # What asks whether the server is well often knows it by its address alone.
        if scope["type"] in {"http", "websocket"} and scope["path"] not in HEALTH_PATHS:
            host = _host_name(Headers(scope=scope).getlist("host"))
            if host is None or not self._hosts & {host, "*"}:
                await self._refuse(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await WebSocketClose(_FORBIDDEN_ORIGIN, "Unknown host")(scope, receive, send)
            return
        text = "This server does not answer under this name. An operator can add it to WONDER_TRUSTED_HOSTS.\n"
        await PlainTextResponse(text, status_code=400)(scope, receive, send)


def _host_name(values: Sequence[str]) -> str | None:
    """Return the name of the one Host header without its port, in lower case; brackets of an IPv6 address stay.

    None when there is none, or more than one, or it is anything but a name and a port: a part of it would otherwise
    get into the addresses that answers hold.
    """
    found = _HOST.fullmatch(values[0].lower()) if len(values) == 1 else None
    return found["name"] if found else None
