"""What of an error reaches a client: coded, and never more than it may know."""

import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Final, ParamSpec, Protocol, TypeVar

from graphql import GraphQLError
from strawberry.exceptions import MissingQueryError
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError

from domain.db import DATABASE_ERRORS
from domain.errors import DomainError, Forbidden, NotFound, RateLimited, StorageError, Unauthenticated
from schema.errors import UserError

_log = logging.getLogger("wonder.graphql")

#: Errors shown of one response; a client that made more will meet the others next time.
MAX_ERRORS: Final = 5
#: Domain errors that keep their code in the response's own `errors`; the others there are faults of the request.
_CODED: Final = (Unauthenticated, Forbidden, RateLimited, NotFound)
#: What strawberry raises when a request does not say what is to be run.
_OF_REQUESTS: Final = (MissingQueryError, CannotGetOperationTypeError, InvalidOperationTypeError)
# Written by graphql-core, at the end of a message or before further detail on the same line.
_SUGGESTION: Final = re.compile(r"\s*Did you mean [^?]*\?")
#: How graphql-core shows an uploaded file that stands where another value belongs.
_FILE: Final = re.compile(r"<UploadFile instance>")
_MAX_MESSAGE: Final = 500

Given = ParamSpec("Given")


class Payload(Protocol):
    """What a mutation answers with."""

    errors: list[UserError]


Answer = TypeVar("Answer", bound=Payload)


def answers(
    payload: Callable[[], Answer],
) -> Callable[[Callable[Given, Awaitable[Answer]]], Callable[Given, Awaitable[Answer]]]:
    """Make a mutation answer expected failures with an empty payload and its `errors`.

    Missing rights are no answer but an error of the request.
    """

    def decorate(function: Callable[Given, Awaitable[Answer]]) -> Callable[Given, Awaitable[Answer]]:
        @wraps(function)
        async def answered(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
            try:
                return await function(*args, **kwargs)
            except (Unauthenticated, Forbidden):
                raise
            except DomainError as error:
                failed = payload()
                failed.errors.append(UserError.of(error))
                return failed

        return answered

    return decorate


def new_reference() -> str:
    """Return what ties a masked error to its log line."""
    return secrets.token_hex(6)


def present_error(error: GraphQLError, reference: Callable[[], str] = new_reference) -> GraphQLError:
    """Return the error that the client sees, with `extensions.code`; idempotent.

    A domain error shows its message. What is wrong with the request itself (syntax, names, variables) is BAD_REQUEST,
    without suggestions, which would tell the schema to those who may not read it. Anything else is INTERNAL: it is
    logged, and the client gets the reference that the log line bears.
    """
    if "code" in (error.extensions or {}):
        return error
    cause = _cause_of(error)
    if isinstance(cause, DomainError):
        code = cause.code if isinstance(cause, _CODED) else "BAD_REQUEST"
        extensions: dict[str, object] = {"code": code}
        if cause.retry_after_seconds is not None:
            extensions["retryAfterSeconds"] = cause.retry_after_seconds
        return _shown(error, cause.message, extensions)
    if _is_of_request(error, cause):
        message = _FILE.sub("a file", _SUGGESTION.sub("", error.message))
        return _shown(error, message[:_MAX_MESSAGE], {"code": "BAD_REQUEST"})
    number = reference()
    if isinstance(cause, (StorageError, *DATABASE_ERRORS)):
        what = "file storage" if isinstance(cause, StorageError) else "database"
        _log.error("The %s failed, %s, at %s", what, number, _place(error), exc_info=cause)
        message = f"The {what} cannot be used just now. Try again later. Reference: {number}."
        return _shown(error, message, {"code": "UNAVAILABLE", "reference": number})
    _log.error("GraphQL error %s at %s", number, _place(error), exc_info=cause or error)
    message = f"Something went wrong on our side. Reference: {number}."
    return _shown(error, message, {"code": "INTERNAL", "reference": number})


def present_errors(errors: list[GraphQLError], reference: Callable[[], str] = new_reference) -> list[GraphQLError]:
    """Return the errors that the client sees: the first few."""
    return [present_error(error, reference) for error in errors[:MAX_ERRORS]]


def _cause_of(error: GraphQLError) -> Exception | None:
    """Return the exception of ours behind an error; None when GraphQL itself refused the request."""
    cause = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return cause


def _is_of_request(error: GraphQLError, cause: Exception | None) -> bool:
    """Tell whether the request itself is at fault: then the error has no place in an answer, or is an argument's."""
    if cause is not None:
        return isinstance(cause, _OF_REQUESTS)
    return error.path is None or error.message.startswith("Argument '")


def _place(error: GraphQLError) -> str:
    return ".".join(str(part) for part in error.path) if error.path else "the operation"


def _shown(error: GraphQLError, message: str, extensions: dict[str, object]) -> GraphQLError:
    return GraphQLError(
        message,
        nodes=error.nodes,
        source=error.source,
        positions=error.positions,
        path=error.path,
        extensions=extensions,
    )
