"""GraphQL over HTTP (draft specification of the GraphQL foundation): one request, its answer or a stream of answers."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Final

from graphql import OperationType
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from domain import db
from domain.accounts import Viewer
from domain.errors import StorageError
from domain.uploads import MAX_UPLOAD_BYTES
from schema.context import Context
from server.graphql.answers import answer_response, failure_answer, refusal_response
from server.graphql.bodies import capped, read_body
from server.graphql.channels import MAX_STREAMS_PER_USER, OpenChannels
from server.graphql.execution import Executor
from server.graphql.framing import FRAMINGS, Framing
from server.graphql.identity import bearer_token
from server.graphql.multipart import multipart_request
from server.graphql.negotiation import GRAPHQL_RESPONSE, JSON, negotiate, negotiate_operation, prefers_html
from server.graphql.origins import Origins
from server.graphql.requests import GraphQLRequest, Refused, json_of, request_of, request_of_address
from server.graphql.streams import StreamedAnswer
from server.pages import Page

_METHODS: Final = "GET, POST, HEAD"
_MULTIPART: Final = "multipart/form-data"
#: A header that a page cannot send to another site without asking first; any of these will do.
_PREFLIGHT_HEADERS: Final = ("graphql-require-preflight", "apollo-require-preflight", "authorization")
_LATER: Final = {"retry_after": "5"}
_CHALLENGE: Final = {"www_authenticate": "Bearer"}
#: Beside the file itself: operations, map, part headers.
_MULTIPART_OVERHEAD_BYTES: Final = 256 * 1024
_TRANSPORTS: Final = (
    "`Accept: text/event-stream` (graphql-sse), `Accept: multipart/mixed;subscriptionSpec=1.0` (Apollo), "
    "or a WebSocket at this address with the subprotocol graphql-transport-ws"
)


class HttpEndpoint:
    """Answers requests to the API."""

    def __init__(
        self, executor: Executor, channels: OpenChannels, origins: Origins, ide: Page | None, heartbeat_seconds: float
    ) -> None:
        self._executor = executor
        self._channels = channels
        self._origins = origins
        self._ide = ide
        self._heartbeat_seconds = heartbeat_seconds

    async def respond(self, request: Request) -> ASGIApp:
        """Return what answers; never raises for anything that a client sends."""
        accept = request.headers.get("accept")
        media_type = negotiate(accept) or JSON
        try:
            self._check_method(request)
            if self._ide is not None and request.method != "POST" and prefers_html(accept):
                return await self._ide.response(request.scope)
            self._check_acceptable(request)
            self._check_origin(request)
            async with self._request(request) as asked:
                return await self._answer(request, asked)
        except Refused as refused:
            return refusal_response(refused, media_type)
        except ClientDisconnect:
            return Response(status_code=400)
        except (StorageError, *db.DATABASE_ERRORS) as error:
            return answer_response(failure_answer(StorageError(type(error).__name__), 503), media_type)
        except Exception as error:  # noqa: BLE001 (boundary: a fault of ours is logged and masked)
            return answer_response(failure_answer(error, 500), media_type)

    def _check_method(self, request: Request) -> None:
        if request.method not in _METHODS.split(", "):
            raise Refused(405, "GraphQL takes GET and POST.", allow=_METHODS)

    def _check_acceptable(self, request: Request) -> None:
        """Refuse, before anything is read, who takes no kind of answer."""
        accept = request.headers.get("accept")
        if not any(negotiate_operation(accept, subscription=subscription) for subscription in (False, True)):
            raise Refused(406, f"Answers are {GRAPHQL_RESPONSE} or {JSON}; a stream of them takes {_TRANSPORTS}.")

    def _check_origin(self, request: Request) -> None:
        if not self._origins.allows(request.headers):
            raise Refused(403, "Pages of this origin may not use the API. See WONDER_ALLOWED_ORIGINS.", "FORBIDDEN")

    @asynccontextmanager
    async def _request(self, request: Request) -> AsyncIterator[GraphQLRequest]:
        """Read what is asked for; raises `Refused`."""
        limit = self._executor.services.settings.max_body_bytes
        if request.method != "POST":
            if len(request.scope["query_string"]) > limit:  # uvicorn reads addresses of any length
                raise Refused(414, f"The address is longer than {limit} bytes. Send the request by POST.")
            yield request_of_address(request.query_params)
            return
        kind, charset = _content_type(request.headers)
        if kind == JSON and charset in {"", "utf-8", "utf8"}:
            yield request_of(json_of(await read_body(capped(request.receive, request.headers, limit))))
        elif kind == _MULTIPART:
            if not any(name in request.headers for name in _PREFLIGHT_HEADERS):
                raise Refused(403, "Files need one of these headers: GraphQL-Require-Preflight, Authorization.")
            if await self._viewer(request) is None:  # before anything of the files is read
                raise Refused(401, "Files are taken of those who are logged in.", "UNAUTHENTICATED", **_CHALLENGE)
            limit = max(limit, MAX_UPLOAD_BYTES + _MULTIPART_OVERHEAD_BYTES)
            with_limit = Request(request.scope, capped(request.receive, request.headers, limit))
            async with multipart_request(with_limit) as asked:
                yield asked
        else:
            raise Refused(415, f"The body must be {JSON} in UTF-8, or {_MULTIPART} with files.", accept_post=JSON)

    async def _viewer(self, request: Request) -> Viewer | None:
        return await self._executor.viewer(bearer_token(request.headers.get("authorization")))

    async def _answer(self, request: Request, asked: GraphQLRequest) -> ASGIApp:
        asked = self._executor.resolve(_with_cost(asked, request.headers))
        kind = self._executor.kind(asked)
        if kind is OperationType.MUTATION and request.method != "POST":
            raise Refused(405, "A mutation must be sent by POST.", allow="POST")
        media_type = _operation_media_type(request, subscription=kind is OperationType.SUBSCRIPTION)
        if media_type in FRAMINGS:
            return await self._streamed(request, asked, FRAMINGS[media_type])

        async def context() -> Context:
            return self._executor.context(await self._viewer(request), request.scope)

        async with aclosing(self._executor.run(asked, context)) as answers:
            [answer] = [answer async for answer in answers]
        return answer_response(answer, media_type)

    async def _streamed(self, request: Request, asked: GraphQLRequest, framing: Framing) -> StreamedAnswer:
        """Return the stream of an operation; raises `Refused`."""
        if self._channels.stopping:
            raise Refused(503, "The server stops. Connect again.", "UNAVAILABLE", retry_after="1")
        token = bearer_token(request.headers.get("authorization"))
        if token is None:  # pages cannot give an EventSource a header
            token = request.query_params.get("token")
        viewer = await self._executor.viewer(token)
        if token is not None and viewer is None:
            message = "The token is not valid or has expired."
            raise Refused(401, message, "UNAUTHENTICATED", **_CHALLENGE)
        context = self._executor.context(viewer, request.scope)
        release = self._claimed(context)

        async def same() -> Context:
            return context

        return StreamedAnswer(
            self._executor.run(asked, same),
            framing,
            self._channels,
            viewer=viewer,
            clock=self._executor.services.clock,
            heartbeat_seconds=self._heartbeat_seconds,
            release=release,
        )

    def _claimed(self, context: Context) -> Callable[[], None]:
        """Count one more stream of a user and an address, and return what takes it back; raises `Refused`."""
        owner, address = context.owner, context.client_address
        if not self._channels.claim_address(address):
            raise Refused(429, "There are too many sockets and streams from this address.", "RATE_LIMITED", **_LATER)
        if not self._channels.claim_stream(owner):
            self._channels.release_address(address)
            message = f"At most {MAX_STREAMS_PER_USER} operations may run at a time. End one first."
            raise Refused(429, message, "RATE_LIMITED", **_LATER)

        def release() -> None:
            self._channels.release_address(address)
            self._channels.release_stream(owner)

        return release


def _with_cost(asked: GraphQLRequest, headers: Headers) -> GraphQLRequest:
    """Return the request, with the wish to see its cost where a header says so."""
    if headers.get("graphql-cost", "") in {"", "0"}:
        return asked
    return replace(asked, extensions={**(asked.extensions or {}), "cost": True})


def _operation_media_type(request: Request, *, subscription: bool) -> str:
    """Return how the answers are to be sent; raises `Refused`."""
    accept = request.headers.get("accept")
    # Files live as long as the request is read, and HEAD has no body to stream.
    single = request.method == "HEAD" or _content_type(request.headers)[0] == _MULTIPART
    if single and not subscription:
        media_type = negotiate(accept)
    else:
        media_type = negotiate_operation(accept, subscription=subscription)
    if media_type is None or (single and subscription):
        raise Refused(
            406,
            f"A subscription takes {_TRANSPORTS}." if subscription else f"The answer is {GRAPHQL_RESPONSE} or {JSON}.",
        )
    return media_type


def _content_type(headers: Headers) -> tuple[str, str]:
    """Return media type and charset of the body, in lower case; raises `Refused` for a compressed one."""
    if headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise Refused(415, "Bodies are taken uncompressed.", accept_encoding="identity")
    kind, *parameters = headers.get("content-type", "").split(";")
    named = dict(parameter.strip().lower().partition("=")[::2] for parameter in parameters)
    return kind.strip().lower(), named.get("charset", "").strip('" ')
