"""The web application: one screen of routes and middleware."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from server.archives import archive_routes
from server.callbacks import callback_routes
from server.files import file_routes
from server.graphql.view import GraphQLApp
from server.middleware import RequestLog, TrustedHosts
from server.pages import Page, origin_of_files, page_routes
from server.wiring import Process


def build_app(process: Process) -> Starlette:
    """Return the application of a process, which is started and stopped around it."""

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(_: Request) -> Response:
        ready = await process.ready()
        return JSONResponse({"status": "ready" if ready else "not ready"}, status_code=200 if ready else 503)

    settings = process.settings

    def files() -> str:
        return origin_of_files(process.storage, settings.public_url)

    ide = Page("graphiql.html", files=files) if settings.graphiql else None
    graphql = GraphQLApp(process.services, process.channels, ide=ide, trusted=process.trusted_documents)
    return Starlette(
        routes=[
            Route("/graphql", graphql),
            WebSocketRoute("/graphql", graphql),
            Route("/healthz", healthz, methods=["GET"]),
            Route("/readyz", readyz, methods=["GET"]),
            *callback_routes(process.callbacks),
            *archive_routes(process.storage, process.signer),
            *file_routes(process.storage, process.signer),
            *page_routes(files=files),
        ],
        middleware=[
            Middleware(RequestLog),
            Middleware(TrustedHosts, settings=settings),
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.allowed_origins),
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type", "GraphQL-Require-Preflight", "GraphQL-Cost"],
                expose_headers=["X-Request-Id"],
                max_age=600,
            ),
        ],
    )
