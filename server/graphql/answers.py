"""What is sent back: results and refusals, always in GraphQL's shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLError
from starlette.responses import Response
from strawberry.types import ExecutionResult
from strawberry.types.execution import PreExecutionError

from resolvers.errors import present_error
from server.graphql.negotiation import GRAPHQL_RESPONSE, JSON
from server.graphql.requests import Refused
from server.graphql.strict_json import write_json


@dataclass(frozen=True, slots=True)
class Answer:
    """One result as transports send it."""

    #: The response, a JSON object.
    text: str
    #: Its errors.
    errors: list[dict[str, Any]]
    #: Whether nothing was run: the request was at fault, a subscription could not begin, or the server failed.
    refused: bool
    #: The HTTP status where there is one and the media type is the modern one.
    status: int


def answer_of(result: ExecutionResult) -> Answer:
    """Return a result of the schema as an answer; raises `ValueError` for what JSON cannot express."""
    errors = errors_payload(result.errors or [])
    # A subscription that could not begin is told like a document that could not be run.
    refused = isinstance(result, PreExecutionError) or _is_request_error(result)
    payload: dict[str, Any] = {"errors": errors} if errors else {}
    if not refused:
        payload["data"] = result.data
    if result.extensions:
        payload["extensions"] = result.extensions
    return Answer(write_json(payload), errors, refused, 400 if refused else 200)


def failure_answer(error: Exception, status: int) -> Answer:
    """Return the answer to a request that failed for a reason of ours: masked, with a reference to the log."""
    errors = errors_payload([present_error(GraphQLError(str(error), original_error=error))])
    return Answer(write_json({"errors": errors}), errors, refused=True, status=status)


def refusal_answer(refused: Refused) -> Answer:
    """Return the answer to a request that is not served, where there is no HTTP response for it alone."""
    errors = errors_payload([GraphQLError(refused.message, extensions={"code": refused.code})])
    return Answer(write_json({"errors": errors}), errors, refused=True, status=refused.status)


def answer_response(answer: Answer, media_type: str) -> Response:
    """Return the HTTP response of an answer.

    `application/json` means 200 whatever became of a well-formed request, as older clients expect; with the modern
    type a request that could not be executed is a 400. A failure of the server has its status with both.
    """
    legacy = answer.status == 400 and media_type != GRAPHQL_RESPONSE  # noqa: PLR2004 (bad request)
    return json_response(answer.text, 200 if legacy else answer.status, media_type)


def refusal_response(refused: Refused, media_type: str = JSON) -> Response:
    """Return the answer to a request that is not served."""
    return json_response(refusal_answer(refused).text, refused.status, media_type, refused.headers)


def json_response(text: str, status: int, media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer that is never cached: it may be about one user."""
    return Response(
        text,
        status,
        {"vary": "accept", "cache-control": "no-store", **(headers or {})},
        media_type=f"{media_type}; charset=utf-8",
    )


def errors_payload(errors: Sequence[GraphQLError]) -> list[dict[str, Any]]:
    """Return errors as a protocol's message carries them."""
    return [dict(error.formatted) for error in errors]


def _is_request_error(result: ExecutionResult) -> bool:
    """Tell whether nothing was executed: the request itself was at fault, and there is no `data` at all."""
    return result.data is None and bool(result.errors) and all(error.path is None for error in result.errors or ())
