"""ComfyUI's socket, over which it tells how far it is with what was queued under our client id.

It only adds to what the history says: a socket that breaks, or a server that has none, costs nothing but the progress.
"""

import asyncio
import contextlib
import functools
import json
import logging
import re
import ssl
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from worker.providers.comfyui.frames import FEATURES, read_preview
from worker.providers.comfyui.progress import GraphProgress

_log = logging.getLogger(__name__)
#: Prompts that are followed at the same time; of more the oldest are forgotten.
_MAX_PROMPTS: Final = 1000
#: Pictures that are held at the same time: a server works on one prompt after the other.
_MAX_PREVIEWS: Final = 16
#: Pictures come over the same socket, of what is being made and of other things.
_MAX_MESSAGE_BYTES: Final = 32 * 1024 * 1024
#: Client ids of processes that are gone, which are listened to at the same time; and what they look like.
_MAX_OTHERS: Final = 8
_OURS: Final = re.compile(r"wonder-[0-9a-f]{32}")
_FIRST_RETRY_SECONDS: Final = 1.0
_LONGEST_RETRY_SECONDS: Final = 60.0
_SOCKET_ERRORS: Final = (WebSocketException, OSError, TimeoutError)


class _Connect(connect):
    """A connection that goes nowhere else than it was told: a key goes with it."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Take a redirect for the refusal that it is."""
        return exc


class ProgressSocket:
    """Open while there is something to follow."""

    def __init__(
        self,
        base_url: str,
        tls: ssl.SSLContext,
        headers: Mapping[str, str],
        *,
        connect_seconds: float = 5.0,
        retry_seconds: float = _FIRST_RETRY_SECONDS,
        client_id: str = "",
    ) -> None:
        """Prepare it; `headers` are those of every request to the server, a key among them."""
        #: Of this process: another one with the same id would take its messages away.
        self.client_id = client_id or f"wonder-{uuid.uuid4().hex}"
        #: For prompts that were queued under other ids, by processes before this one.
        self._others: dict[str, ProgressSocket] = {}
        self._like_this = functools.partial(
            ProgressSocket, base_url, tls, headers, connect_seconds=connect_seconds, retry_seconds=retry_seconds
        )
        parts = urlsplit(base_url)
        scheme = "wss" if parts.scheme == "https" else "ws"
        self._url = urlunsplit((scheme, parts.netloc, f"{parts.path}/ws", f"clientId={self.client_id}", ""))
        self._tls = tls if scheme == "wss" else None
        self._headers = dict(headers)
        self._connect_seconds = connect_seconds
        self._retry_seconds = retry_seconds
        self._prompts: OrderedDict[str, GraphProgress] = OrderedDict()
        #: The last picture of each prompt that has one.
        self._previews: OrderedDict[str, bytes] = OrderedDict()
        #: The prompt that the server was last heard of to work on, be it followed or not.
        self._current: str | None = None
        self._work: asyncio.Task[None] | None = None
        #: Set once the first connection is there, or has failed.
        self._tried = asyncio.Event()

    async def follow(self, prompt_id: str, graph: Mapping[str, Any]) -> None:
        """Begin to follow a prompt that is about to be queued; waits a moment for the socket, and not for long."""
        self._prompts[prompt_id] = GraphProgress(graph)
        if len(self._prompts) > _MAX_PROMPTS:
            self.forget(next(iter(self._prompts)))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._run())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._connect_seconds):
                await self._tried.wait()

    async def take_over(self, client_id: str, prompt_id: str, graph: Mapping[str, Any]) -> None:
        """Follow a prompt that another process has queued: the server tells of it under that client id only."""
        if not _OURS.fullmatch(client_id):
            return  # its ids are nobody's to guess, and go into an address
        self._others = {name: other for name, other in self._others.items() if other.follows_any}
        if client_id not in self._others and len(self._others) >= _MAX_OTHERS:
            return
        other = self._others.setdefault(client_id, self._like_this(client_id=client_id))
        await other.follow(prompt_id, graph)

    @property
    def follows_any(self) -> bool:
        """Whether there is a prompt that is followed."""
        return bool(self._prompts)

    def share(self, prompt_id: str) -> float | None:
        """Return how much of a prompt is done, 0 to just below 1; None for one that is not followed."""
        progress = self._prompts.get(prompt_id)
        shares = (other.share(prompt_id) for other in self._others.values())
        return progress.share if progress is not None else next((s for s in shares if s is not None), None)

    def preview(self, prompt_id: str) -> bytes | None:
        """Return the last picture of a prompt's work, encoded as it came; None when there is none."""
        pictures = (other.preview(prompt_id) for other in self._others.values())
        return self._previews.get(prompt_id) or next((picture for picture in pictures if picture), None)

    def forget(self, prompt_id: str) -> None:
        """Stop following a prompt; without any the socket is closed with its next message."""
        self._prompts.pop(prompt_id, None)
        self._previews.pop(prompt_id, None)
        for other in self._others.values():
            other.forget(prompt_id)

    async def aclose(self) -> None:
        """Close the socket."""
        for other in self._others.values():
            await other.aclose()
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])

    async def _run(self) -> None:
        """Listen while there is something to follow, over any number of broken connections."""
        wait = self._retry_seconds
        while self._prompts:
            try:
                await self._listen()
                wait = self._retry_seconds
            except _SOCKET_ERRORS as error:
                _log.info("no progress from ComfyUI for now: %s", type(error).__name__)
                self._tried.set()
                wait = min(2 * wait, _LONGEST_RETRY_SECONDS)
            if self._prompts:  # also after a farewell: a server may say it to everybody at once
                await asyncio.sleep(wait)

    async def _listen(self) -> None:
        async with _Connect(
            self._url,
            ssl=self._tls,
            additional_headers=self._headers,
            open_timeout=self._connect_seconds,
            max_size=_MAX_MESSAGE_BYTES,
            proxy=None,
        ) as socket:
            self._tried.set()
            self._current = None
            await socket.send(FEATURES)
            async for message in socket:
                if isinstance(message, str):
                    self._hear(message)
                else:
                    self._see(message)
                if not self._prompts:
                    return

    def _hear(self, message: str) -> None:
        try:
            content = json.loads(message)
        except (ValueError, RecursionError):
            return
        data = content.get("data") if isinstance(content, dict) else None
        if isinstance(data, dict) and isinstance(prompt_id := data.get("prompt_id"), str):
            self._current = prompt_id
            progress = self._prompts.get(prompt_id)
            if progress is not None:
                progress.hear(str(content.get("type")), data)

    def _see(self, message: bytes) -> None:
        preview = read_preview(message)
        if preview is None:
            return
        prompt_id = preview.prompt_id or self._current
        if prompt_id is not None and prompt_id in self._prompts:
            self._previews[prompt_id] = preview.data
            if len(self._previews) > _MAX_PREVIEWS:
                self._previews.popitem(last=False)
