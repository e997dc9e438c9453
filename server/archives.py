"""All files of a project as one ZIP, made while it is sent: no temporary copy, and no more than a piece in memory."""

import io
import zipfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from domain.errors import ObjectMissing
from domain.models.tasks import Asset
from domain.ports import Storage
from domain.project_files import files_of_project, living_project
from domain.storage.disposition import content_disposition
from domain.storage.signing import ARCHIVES, PATH, UrlSigner

_MODE: Final = 0o644 << 16
_UNIX: Final = 3
_HEADERS: Final = {
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "referrer-policy": "no-referrer",
}


def archive_routes(storage: Storage, signer: UrlSigner) -> list[Route]:
    """Return the route of archives under signed addresses; what is wrong with one is answered by the same plain 404."""

    async def serve(request: Request) -> Response:
        project_id = request.path_params["project_id"]
        grant = signer.verify(f"{ARCHIVES}{project_id}", request.query_params)
        if grant is None or await living_project(project_id) is None:
            return PlainTextResponse("Not Found", 404)
        headers = {**_HEADERS, "content-disposition": content_disposition(grant.media_type, grant.download_name)}
        if request.method == "HEAD":
            answer = Response(headers=headers, media_type=grant.media_type)
            del answer.headers["content-length"]  # nobody knows it before the archive is made
            return answer
        return _ArchiveAnswer(_archive(storage, project_id), grant.media_type, headers)

    return [Route(f"{PATH}{ARCHIVES}{{project_id}}", serve, methods=["GET"], name="archive")]


class _ArchiveAnswer(StreamingResponse):
    """Sends an archive at the client's pace, and lets go of what is being read whatever happens."""

    def __init__(self, pieces: AsyncGenerator[bytes, None], media_type: str, headers: Mapping[str, str]) -> None:
        super().__init__(pieces, headers=headers, media_type=media_type)
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Else it would go on when the garbage collector comes by, with the file or connection open until then.
        async with aclosing(self._pieces):
            await super().__call__(scope, receive, send)


class _Outlet(io.RawIOBase):
    """Where an archive is written to: it cannot go back, and holds what has not been sent yet."""

    def __init__(self) -> None:
        self._held = bytearray()

    def writable(self) -> bool:
        """Tell that it can be written."""
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]  # bytes are all that comes
        """Take some bytes."""
        self._held += data
        return len(data)

    def drain(self) -> bytes:
        """Return what has come since the last time."""
        drained = bytes(self._held)
        self._held.clear()
        return drained


async def _archive(storage: Storage, project_id: str) -> AsyncGenerator[bytes, None]:
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        async with aclosing(files_of_project(project_id)) as files:
            async for path, asset in files:
                # Closed before the archive is, which would not end with a file half written.
                async with aclosing(_entry(archive, outlet, storage, path, asset)) as pieces:
                    async for piece in pieces:
                        yield piece
    yield outlet.drain()


async def _entry(
    archive: zipfile.ZipFile, outlet: _Outlet, storage: Storage, path: str, asset: Asset
) -> AsyncGenerator[bytes, None]:
    """Add a file; one that was deleted meanwhile is left out."""
    info = zipfile.ZipInfo(path, asset.created_at.timetuple()[:6])
    info.create_system, info.external_attr = _UNIX, _MODE
    async with aclosing(storage.read(asset.storage_key)) as pieces:
        try:
            first = await anext(pieces, b"")
        except ObjectMissing:
            return
        with archive.open(info, "w", force_zip64=True) as entry:
            entry.write(first)
            yield outlet.drain()
            async for piece in pieces:
                entry.write(piece)
                yield outlet.drain()
