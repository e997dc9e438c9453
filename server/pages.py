"""The pages that a browser gets: the dashboard and GraphiQL, built by `web/` into `server/static`."""

import asyncio
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC: Final = Path(__file__).parent / "static"
_MISSING: Final = """<!doctype html><meta charset="utf-8"><title>Wonder</title>
<p>The web pages have not been built. Run <code>make setup</code>, then start the server again.</p>"""
#: Built files carry a hash of their content in their names.
_FOREVER: Final = "public, max-age=31536000, immutable"


def content_security_policy(host: str) -> str:
    """Return what a page of ours may do: load its own files and talk to its own server, nothing else.

    `host` is the Host header; named for sockets because 'self' does not cover ws: in every browser.
    """
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",
            f"connect-src 'self' ws://{host} wss://{host}",
            "img-src 'self' data: blob:",
            "media-src 'self' blob:",
            "font-src 'self' data:",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


class Page:
    """One built HTML page."""

    def __init__(self, name: str, folder: Path = STATIC) -> None:
        self._path = folder / name

    def _read(self) -> str:
        try:
            return self._path.read_text("utf-8")
        except FileNotFoundError:
            return _MISSING

    async def response(self, scope: Scope) -> Response:
        """Return the page with its policy; a hint when it has not been built."""
        # Read each time: it is small, and a build may have replaced it.
        text = await asyncio.to_thread(self._read)
        headers = {
            "Content-Security-Policy": content_security_policy(Headers(scope=scope).get("host", "")),
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


def page_routes(folder: Path = STATIC) -> list[Route | Mount]:
    """Return the routes of the dashboard and of everything that was built."""
    dashboard = Page("index.html", folder)

    async def index(request: Request) -> Response:
        return await dashboard.response(request.scope)

    return [
        Route("/", index, methods=["GET"]),
        Mount("/static", _BuiltFiles(directory=folder, check_dir=False)),
    ]
