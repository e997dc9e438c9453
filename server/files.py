"""Downloads of stored files under signed addresses, when the storage is a local folder.

Starlette's own `FileResponse` is not used: it opens the file after it has promised a length, answers HEAD with ranges,
refuses a request when one of several ranges is out of reach, and knows no conditional requests.
"""

import errno
import os
import secrets
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import BinaryIO, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from domain.errors import ObjectMissing, StorageError
from domain.ports import Storage
from domain.storage.disposition import content_disposition
from domain.storage.local import LocalStorage
from domain.storage.signing import PATH, FileGrant, UrlSigner
from server.preconditions import Outcome, Validators, evaluate, range_applies
from server.ranges import RangeNotSatisfiable, Span, parse_ranges

_CHUNK_BYTES: Final = 256 * 1024
#: Whatever a file holds, a browser neither guesses another type nor runs or loads anything from it.
_SAFE_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
}


def file_routes(storage: Storage, signer: UrlSigner) -> list[Route]:
    """Return the route of GET and HEAD on signed addresses; none for a storage whose addresses lead elsewhere.

    Whatever is wrong with an address (not signed, changed, expired, no such object) the answer is the same plain 404.
    """
    if not isinstance(storage, LocalStorage):
        return []

    async def serve(request: Request) -> Response:
        grant = signer.verify(request.path_params["key"], request.query_params)
        if grant is None:
            return PlainTextResponse("Not Found", 404)
        try:
            file = await to_thread.run_sync(storage.open_object, grant.key)
        except ObjectMissing:
            return PlainTextResponse("Not Found", 404)
        except StorageError:
            return PlainTextResponse("Service Unavailable", 503)
        return _FileAnswer(file, *_plan(request, grant, os.fstat(file.fileno())))

    return [Route(f"{PATH}{{key:path}}", serve, methods=["GET"], name="file")]


#: What a body consists of, in order: bytes as they are, and spans of the file.
_Parts = Sequence[bytes | Span]


def _plan(request: Request, grant: FileGrant, status: os.stat_result) -> tuple[int, Mapping[str, str], _Parts]:
    """Return status code, headers and body of the answer to a request for this state of the file."""
    size = status.st_size
    validators = Validators(f'"{status.st_ino:x}-{status.st_mtime_ns:x}-{size:x}"', int(status.st_mtime))
    common = {
        **_SAFE_HEADERS,
        "accept-ranges": "bytes",
        "cache-control": f"private, max-age={grant.seconds_left}",
        "etag": validators.etag,
        "last-modified": validators.last_modified,
    }
    outcome = evaluate(request.headers, validators)
    if outcome is Outcome.NOT_MODIFIED:
        return 304, common, ()
    if outcome is Outcome.FAILED:
        return 412, {**common, "content-length": "0"}, ()
    whole = {
        **common,
        "content-type": grant.media_type,
        "content-disposition": content_disposition(grant.media_type, grant.download_name),
    }
    try:
        spans = _asked_for(request, validators, size)
    except RangeNotSatisfiable:
        return 416, {**common, "content-range": f"bytes */{size}", "content-length": "0"}, ()
    if not spans:
        parts: _Parts = () if request.method == "HEAD" else (Span(0, size),)
        return 200, {**whole, "content-length": str(size)}, parts
    if len(spans) == 1:
        headers = {"content-range": _content_range(spans[0], size), "content-length": str(_length(spans))}
        return 206, {**whole, **headers}, spans
    boundary = secrets.token_hex(16)
    parts = _multipart(spans, boundary, grant.media_type, size)
    headers = {"content-type": f"multipart/byteranges; boundary={boundary}", "content-length": str(_length(parts))}
    return 206, {**whole, **headers}, parts


def _asked_for(request: Request, validators: Validators, size: int) -> tuple[Span, ...]:
    """Return the ranges that count; ranges are for GET only."""
    header = request.headers.get("range")
    if header is None or request.method != "GET" or not range_applies(request.headers, validators, time.time()):
        return ()
    return parse_ranges(header, size)


def _multipart(spans: Sequence[Span], boundary: str, media_type: str, size: int) -> _Parts:
    parts: list[bytes | Span] = []
    for span in spans:
        head = f"--{boundary}\r\nContent-Type: {media_type}\r\nContent-Range: {_content_range(span, size)}\r\n\r\n"
        parts += [head.encode("latin-1"), span, b"\r\n"]
    return [*parts, f"--{boundary}--\r\n".encode()]


def _content_range(span: Span, size: int) -> str:
    return f"bytes {span.start}-{span.end - 1}/{size}"


def _length(parts: _Parts) -> int:
    return sum(len(part) if isinstance(part, bytes) else part.end - part.start for part in parts)


class _FileAnswer(StreamingResponse):
    """Sends parts of an open file chunk by chunk, at the client's pace, and closes it whatever happens."""

    def __init__(self, file: BinaryIO, status_code: int, headers: Mapping[str, str], parts: _Parts) -> None:
        super().__init__(_chunks(file, parts), status_code, headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


async def _chunks(file: BinaryIO, parts: _Parts) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, bytes):
            yield part
            continue
        position = part.start
        while position < part.end:
            wanted = min(_CHUNK_BYTES, part.end - position)
            chunk = await to_thread.run_sync(os.pread, file.fileno(), wanted, position)
            if not chunk:
                # Cutting the connection is the only way left to tell the client.
                raise OSError(errno.EIO, "a stored file became shorter while it was sent")
            position += len(chunk)
            yield chunk
