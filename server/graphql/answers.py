"""What is sent back: results and refusals, always in GraphQL's shape."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError
from starlette.responses import Response
from strawberry.types import ExecutionResult

from resolvers.errors import present_error, present_errors
from server.graphql.negotiation import GRAPHQL_RESPONSE, JSON
from server.graphql.requests import Refused
from server.graphql.strict_json import write_json

#: How subscriptions are to be sent instead.
SUBSCRIPTION_TRANSPORTS: Final = ("graphql-transport-ws",)


def is_request_error(result: ExecutionResult) -> bool:
    """Tell whether nothing was executed: the request itself was at fault, and there is no `data` at all."""
    return result.data is None and bool(result.errors) and all(error.path is None for error in result.errors or ())


def payload_of(result: ExecutionResult) -> dict[str, Any]:
    """Return a result as the response's JSON object."""
    payload: dict[str, Any] = {}
    if result.errors:
        payload["errors"] = [error.formatted for error in result.errors]
    if not is_request_error(result):
        payload["data"] = result.data
    if result.extensions:
        payload["extensions"] = result.extensions
    return payload


def result_response(result: ExecutionResult, media_type: str) -> Response:
    """Return the answer to an operation.

    `application/json` means 200 whatever became of a well-formed request, as older clients expect; with the modern
    type a request that could not be executed is a 400.
    """
    status = 400 if media_type == GRAPHQL_RESPONSE and is_request_error(result) else 200
    return json_response(payload_of(result), status, media_type)


def refusal_response(refused: Refused, media_type: str = JSON) -> Response:
    """Return the answer to a request that is not served."""
    error = GraphQLError(refused.message, extensions={"code": refused.code})
    return json_response({"errors": [error.formatted]}, refused.status, media_type, refused.headers)


def failure_response(error: Exception, status: int, media_type: str = JSON) -> Response:
    """Return the answer to a request that failed for a reason of ours: masked, with a reference to the log."""
    shown = present_error(GraphQLError(str(error), original_error=error))
    return json_response({"errors": [shown.formatted]}, status, media_type)


def refused_result(message: str, cause: Exception) -> ExecutionResult:
    """Return the result of a request that GraphQL could not start on."""
    return ExecutionResult(data=None, errors=present_errors([GraphQLError(message, original_error=cause)]))


def json_response(
    payload: Mapping[str, Any], status: int, media_type: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer that is never cached: it may be about one user."""
    return Response(
        write_json(payload),
        status,
        {"vary": "accept", "cache-control": "no-store", **(headers or {})},
        media_type=f"{media_type}; charset=utf-8",
    )


def errors_payload(errors: Sequence[GraphQLError]) -> list[dict[str, Any]]:
    """Return errors as a protocol's message carries them."""
    return [dict(error.formatted) for error in errors]
