"""What a client asks for, checked in shape before GraphQL sees it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from server.graphql.strict_json import NotJson, read_json

#: Where clients put the id of a trusted document, Apollo's aside.
_DOCUMENT_IDS: Final = ("documentId", "doc_id", "id")


class Refused(Exception):
    """The request cannot be served; says why, with an HTTP status and headers."""

    def __init__(self, status: int, message: str, code: str = "BAD_REQUEST", **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True, slots=True)
class GraphQLRequest:
    """One operation to run."""

    #: Empty when only an id was sent.
    query: str
    operation_name: str | None = None
    variables: dict[str, Any] | None = None
    extensions: dict[str, Any] | None = None
    #: Which trusted document is meant.
    document_id: str | None = None


def request_of(body: object) -> GraphQLRequest:
    """Return the request that a JSON value is; raises `Refused`."""
    if isinstance(body, list):
        raise Refused(400, "Batches are not served: send one operation at a time.")
    if not isinstance(body, dict):
        raise Refused(400, "The request must be a JSON object with a `query`.")
    extensions = _object(body, "extensions")
    query = body.get("query")
    document_id = _hash(extensions or {})
    if query is None:
        document_id = document_id or _document_id(body)
        query = None if document_id is None else ""
    if query is None:
        raise Refused(400, "The request has no `query`.")
    if not isinstance(query, str):
        raise Refused(400, "`query` must be a string.")
    operation_name = body.get("operationName")
    if not isinstance(operation_name, str | None):
        raise Refused(400, "`operationName` must be a string or null.")
    return GraphQLRequest(query, operation_name or None, _object(body, "variables"), extensions, document_id)


def request_of_address(parameters: Mapping[str, str]) -> GraphQLRequest:
    """Return the request that the query string of a GET is; raises `Refused`."""
    texts = ("query", "operationName", *_DOCUMENT_IDS)
    body: dict[str, object] = {name: parameters[name] for name in texts if name in parameters}
    for name in ("variables", "extensions"):
        if parameters.get(name):
            body[name] = json_of(parameters[name], f"`{name}`")
    return request_of(body)


def json_of(data: bytes | str, what: str = "The body") -> object:
    """Return the JSON value of a text; raises `Refused`."""
    try:
        return read_json(data)
    except NotJson as error:
        raise Refused(400, f"{what} is not JSON: {error}.") from None


def _hash(extensions: Mapping[str, object]) -> str | None:
    """Return which trusted document is meant, where Apollo's clients put it."""
    persisted = extensions.get("persistedQuery")
    if not isinstance(persisted, dict) or persisted.get("sha256Hash") is None:
        return None
    return _id(persisted["sha256Hash"])


def _document_id(body: Mapping[str, object]) -> str | None:
    """Return which trusted document is meant, where other clients put it."""
    for name in _DOCUMENT_IDS:
        if body.get(name) is not None:
            return _id(body[name])
    return None


def _id(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise Refused(400, "The id of a document must be a string.")
    return value


def _object(body: Mapping[str, object], name: str) -> dict[str, Any] | None:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise Refused(400, f"`{name}` must be an object or null.")
    return value
