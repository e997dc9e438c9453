"""Fetching what a service made, from the address that it names: a stranger's word, of which nothing is trusted."""

import asyncio
import base64
import binascii
import logging
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

import httpx

from domain.targets import Resolve, Target, TargetRefused, allowed_addresses, parse_target
from worker.providers.http.media_type import media_type_of

_log = logging.getLogger(__name__)
#: Signed addresses are long.
_MAX_URL: Final = 8000
_REDIRECTS: Final = 3
_TRIES: Final = 3
_REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_GONE: Final = frozenset({403, 404, 410})
#: What exactly is wrong with it names the address, which is for the log and for nobody else.
_REFUSED: Final = (
    "The file's address is none that this server connects to: malformed, unknown, or in a private network."
)


class DownloadFailed(Exception):
    """The file could not be had; the message says why, for people, without the address."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        """Keep the message, and with `passing` that the same may succeed a moment later."""
        super().__init__(message)
        self.passing = passing


@dataclass(frozen=True, slots=True)
class Download:
    """A file and what it really is."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Downloader:
    """Downloads into memory: at most so many bytes, of a type told by the bytes, never from a private network.

    Connects to the addresses that it has checked and to no other, follows at most three redirects by the same rules,
    and sends no key along.
    """

    resolve: Resolve
    tls: ssl.SSLContext
    #: Whether private addresses are allowed: for servers that the operator has configured as his own.
    private: bool = False
    max_bytes: int = 64 * 1024 * 1024
    total_seconds: float = 120.0
    connect_seconds: float = 5.0

    async def fetch(self, url: str, media_types: frozenset[str]) -> Download:
        """Return the file at an address, or in a `data:` URL; raises `DownloadFailed`."""
        if url.startswith("data:"):
            return self._judged(_inline(url), media_types)
        for left in reversed(range(_TRIES)):
            try:
                async with asyncio.timeout(self.total_seconds):
                    return self._judged(await self._follow(url), media_types)
            except TargetRefused as refused:
                _log.warning("a provider's result is not fetched: %s", refused)
                raise DownloadFailed(_REFUSED) from refused
            except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
                if not left:
                    raise DownloadFailed(f"The download broke off: {type(error).__name__}.", passing=True) from None
        raise AssertionError

    def _judged(self, data: bytes, media_types: frozenset[str]) -> Download:
        media_type = media_type_of(data)
        if media_type is None or media_type not in media_types:
            raise DownloadFailed("The file is not of a type that was asked for.")
        return Download(data, media_type)

    async def _follow(self, url: str) -> bytes:
        for _ in range(_REDIRECTS + 1):
            target = parse_target(url, _MAX_URL)
            addresses = await allowed_addresses(target, self.resolve, private=self.private)
            found = await self._from_first(target, addresses)
            if isinstance(found, bytes):
                return found
            url = urljoin(url, found)
        raise DownloadFailed("The file's address leads from one to another without end.")

    async def _from_first(self, target: Target, addresses: Sequence[str]) -> bytes | str:
        """Ask the first address that takes the connection; the last one's failure is raised."""
        for address in addresses[:-1]:
            try:
                return await self._from(address, target)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._from(addresses[-1], target)

    async def _from(self, address: str, target: Target) -> bytes | str:
        """Return the body, or where a redirect leads."""
        timeout = httpx.Timeout(30.0, connect=self.connect_seconds)
        # A client for each download: connections are pooled by address, and two hosts behind one must not share one.
        async with (
            httpx.AsyncClient(verify=self.tls, trust_env=False, timeout=timeout) as client,
            client.stream(
                "GET",
                target.at(address),
                # Compressed, a small answer could unpack to a large one.
                headers={"host": target.authority, "accept-encoding": "identity", "connection": "close"},
                follow_redirects=False,
                extensions={"sni_hostname": target.host},
            ) as response,
        ):
            if response.status_code in _REDIRECT_STATUSES and (place := response.headers.get("location")):
                return str(place)
            if response.status_code in _GONE:
                raise DownloadFailed("The file is no longer there.")
            response.raise_for_status()
            return await self._body(response)

    async def _body(self, response: httpx.Response) -> bytes:
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length[:18]) > self.max_bytes:
            raise self._too_large()
        parts, size = [], 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > self.max_bytes:
                raise self._too_large()
            parts.append(part)
        return b"".join(parts)

    def _too_large(self) -> DownloadFailed:
        return DownloadFailed(f"The file has more than {self.max_bytes // 2**20} MiB.")


def _inline(url: str) -> bytes:
    head, _, text = url.partition(",")
    if not head.endswith(";base64"):
        raise DownloadFailed("The data: URL is not in base64.")
    return from_base64(text)


def from_base64(text: str) -> bytes:
    """Return the bytes of base64 text, with or without a `data:` prefix; raises `DownloadFailed`."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise DownloadFailed("The answer holds broken base64.") from None
