"""GraphQL over HTTP (draft specification of the GraphQL foundation): one request, one answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from strawberry.exceptions import MissingQueryError
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from domain import db
from domain.accounts import Viewer
from domain.errors import StorageError
from domain.uploads import MAX_UPLOAD_BYTES
from resolvers.root import schema
from schema.context import Context, Services
from server.graphql.answers import (
    SUBSCRIPTION_TRANSPORTS,
    failure_response,
    refusal_response,
    refused_result,
    result_response,
)
from server.graphql.bodies import capped, read_body
from server.graphql.identity import base_url, bearer_token, client_address, viewer_of_token
from server.graphql.multipart import multipart_request
from server.graphql.negotiation import JSON, negotiate, prefers_html
from server.graphql.origins import Origins
from server.graphql.requests import GraphQLRequest, Refused, json_of, request_of, request_of_address
from server.pages import Page

_METHODS: Final = "GET, POST, HEAD"
_BY_METHOD: Final = {
    "GET": (OperationType.QUERY,),
    "HEAD": (OperationType.QUERY,),
    "POST": (OperationType.QUERY, OperationType.MUTATION),
}
_MULTIPART: Final = "multipart/form-data"
#: A header that a page cannot send to another site without asking first; any of these will do.
_PREFLIGHT_HEADERS: Final = ("graphql-require-preflight", "apollo-require-preflight", "authorization")
_CHALLENGE: Final = {"www_authenticate": "Bearer"}
#: Beside the file itself: operations, map, part headers.
_MULTIPART_OVERHEAD_BYTES: Final = 256 * 1024


class HttpEndpoint:
    """Answers requests to the API."""

    def __init__(self, services: Services, origins: Origins, ide: Page | None) -> None:
        self._services = services
        self._origins = origins
        self._ide = ide

    async def respond(self, request: Request) -> Response:
        """Return the answer; never raises for anything that a client sends."""
        media_type = JSON
        try:
            self._check_method(request)
            if self._ide is not None and request.method != "POST" and prefers_html(request.headers.get("accept")):
                return await self._ide.response(request.scope)
            media_type = _media_type(request.headers)
            self._check_origin(request)
            async with self._request(request) as asked:
                return await self._run(request, asked, media_type)
        except Refused as refused:
            return refusal_response(refused, media_type)
        except ClientDisconnect:
            return Response(status_code=400)
        except (StorageError, *db.DATABASE_ERRORS) as error:
            return failure_response(StorageError(type(error).__name__), 503, media_type)
        except Exception as error:  # noqa: BLE001 (boundary: a fault of ours is logged and masked)
            return failure_response(error, 500, media_type)

    def _check_method(self, request: Request) -> None:
        if request.method not in _BY_METHOD:
            raise Refused(405, "GraphQL takes GET and POST.", allow=_METHODS)

    def _check_origin(self, request: Request) -> None:
        if not self._origins.allows(request.headers):
            raise Refused(403, "Pages of this origin may not use the API. See WONDER_ALLOWED_ORIGINS.", "FORBIDDEN")

    @asynccontextmanager
    async def _request(self, request: Request) -> AsyncIterator[GraphQLRequest]:
        """Read what is asked for; raises `Refused`."""
        limit = self._services.settings.max_body_bytes
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
        token = bearer_token(request.headers.get("authorization"))
        return await viewer_of_token(self._services.accounts, token)

    async def _run(self, request: Request, asked: GraphQLRequest, media_type: str) -> Response:
        viewer = await self._viewer(request)
        scope = request.scope
        context = Context(self._services, viewer, base_url(self._services.settings, scope), client_address(scope))
        try:
            result = await _executed(asked, context, _BY_METHOD[request.method])
        except InvalidOperationTypeError as error:
            return refusal_response(_wrong_operation(error.operation_type), media_type)
        return result_response(result, media_type)


async def _executed(asked: GraphQLRequest, context: Context, allowed: tuple[OperationType, ...]) -> ExecutionResult:
    try:
        return await schema.execute(
            asked.query,
            variable_values=asked.variables,
            context_value=context,
            operation_name=asked.operation_name,
            operation_extensions=asked.extensions,
            allowed_operation_types=allowed,
        )
    except CannotGetOperationTypeError as error:
        return refused_result(error.as_http_error_reason(), error)
    except MissingQueryError as error:
        raise Refused(400, "The request has no `query`.") from error


def _wrong_operation(kind: OperationType) -> Refused:
    if kind is OperationType.SUBSCRIPTION:
        transports = ", ".join(SUBSCRIPTION_TRANSPORTS)
        return Refused(406, f"Subscriptions are not answered here. Open a WebSocket at this address: {transports}.")
    return Refused(405, "A mutation must be sent by POST.", allow="POST")


def _media_type(headers: Headers) -> str:
    media_type = negotiate(headers.get("accept"))
    if media_type is None:
        raise Refused(406, "Answers are application/graphql-response+json or application/json.")
    return media_type


def _content_type(headers: Headers) -> tuple[str, str]:
    """Return media type and charset of the body, in lower case; raises `Refused` for a compressed one."""
    if headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise Refused(415, "Bodies are taken uncompressed.", accept_encoding="identity")
    kind, *parameters = headers.get("content-type", "").split(";")
    named = dict(parameter.strip().lower().partition("=")[::2] for parameter in parameters)
    return kind.strip().lower(), named.get("charset", "").strip('" ')
