"""The pages that a browser gets: the dashboard and GraphiQL, built by `web/` into `server/static`."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from domain.errors import StorageError
from domain.ports import Storage

STATIC: Final = Path(__file__).parent / "static"
_MISSING: Final = """<!doctype html><meta charset="utf-8"><title>Wonder</title>
<p>The web pages have not been built. Run <code>make setup</code>, then start the server again.</p>"""
#: Built files carry a hash of their content in their names.
_FOREVER: Final = "public, max-age=31536000, immutable"


def origin_of_files(storage: Storage, public_url: str) -> str:
    """Return scheme and host from which clients fetch files, a bucket's or a CDN's; empty for the page's own."""
    try:
        address = storage.url("users/x", media_type="image/png", download_name="x", base_url=public_url)
    except StorageError:  # not in use yet: there is no file either
        return ""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def content_security_policy(host: str, files: str = "") -> str:
    """Return what a page of ours may do: load its own files and talk to its own server, nothing else.

    `host` is the Host header; named for sockets because 'self' does not cover ws: in every browser. `files` is the
    origin that pictures and clips come from, when it is another one.
    """
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",
            f"connect-src 'self' ws://{host} wss://{host}",
            f"img-src 'self' data: blob: {files}".rstrip(),
            f"media-src 'self' blob: {files}".rstrip(),
            "font-src 'self' data:",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


class Page:
    """One built HTML page; `files` tells where pictures come from, each time anew."""

    def __init__(self, name: str, folder: Path = STATIC, files: Callable[[], str] = str) -> None:
        self._path = folder / name
        self._files = files

    def _read(self) -> str:
        try:
            return self._path.read_text("utf-8")
        except FileNotFoundError:
            return _MISSING

    async def response(self, scope: Scope) -> Response:
        """Return the page with its policy; a hint when it has not been built."""
        # Read each time: it is small, and a build may have replaced it.
        text = await asyncio.to_thread(self._read)
        host = Headers(scope=scope).get("host", "")
        headers = {
            "Content-Security-Policy": content_security_policy(host, self._files()),
            "Cache-Control": "no-cache",
        }
        return HTMLResponse(text, status_code=200 if text is not _MISSING else 503, headers=headers)


class _BuiltFiles(StaticFiles):
    """Files whose names change with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if response.status_code == 200 and path.startswith("assets/"):  # noqa: PLR2004 (OK)
            response.headers["Cache-Control"] = _FOREVER
        return response


def page_routes(folder: Path = STATIC, files: Callable[[], str] = str) -> list[Route | Mount]:
    """Return the routes of the dashboard and of everything that was built; `files` as for a page."""
    dashboard = Page("index.html", folder, files)

    async def index(request: Request) -> Response:
        return await dashboard.response(request.scope)

    return [
        Route("/", index, methods=["GET"]),
        Mount("/static", _BuiltFiles(directory=folder, check_dir=False)),
    ]
