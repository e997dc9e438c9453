"""Messages of graphql-transport-ws (protocol text of the graphql-ws project), checked in shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from server.graphql.requests import GraphQLRequest, Refused, request_of
from server.graphql.strict_json import NotJson, read_json

PROTOCOL: Final = "graphql-transport-ws"


class CloseCode:
    """Close codes, and what clients make of them."""

    #: A message that is none: fatal, the client has to be mended.
    BAD_MESSAGE: Final = 4400
    #: Subscribed before connection_init was acknowledged: fatal.
    UNAUTHORIZED: Final = 4401
    #: Wrong, ended or expired credentials: clients come again, with fresh ones.
    FORBIDDEN: Final = 4403
    #: No protocol in common: fatal.
    NO_PROTOCOL: Final = 4406
    #: No connection_init in time, or no sign of life: clients come again.
    TIMEOUT: Final = 4408
    #: An id that is in use: fatal.
    DUPLICATE_ID: Final = 4409
    #: A second connection_init: fatal.
    TOO_MANY_INITS: Final = 4429
    #: The server stops: clients come again, elsewhere or later.
    RESTART: Final = 1012
    #: Overload, or a client that does not read: clients come again.
    TRY_AGAIN: Final = 1013


@dataclass(frozen=True, slots=True)
class Close:
    """The end of a socket: with which code, and why in a few words (at most 123 bytes)."""

    code: int
    reason: str


class BadMessage(Exception):
    """A message that the protocol does not know."""


@dataclass(frozen=True, slots=True)
class Init:
    """The client's first message."""

    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Run an operation."""

    id: str
    request: GraphQLRequest


@dataclass(frozen=True, slots=True)
class Complete:
    """Stop an operation."""

    id: str


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for a pong."""

    payload: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Pong:
    """Answers a ping."""


ClientMessage = Init | Subscribe | Complete | Ping | Pong


def read_message(text: str | None) -> ClientMessage:
    """Return the message that a frame is, None for a binary one; raises `BadMessage` in words for the close frame."""
    if text is None:
        raise BadMessage("The message is not text")
    try:
        message = read_json(text)
    except NotJson:
        raise BadMessage("The message is not JSON") from None
    if not isinstance(message, dict):
        raise BadMessage("The message is not an object")
    match message.get("type"):
        case "connection_init":
            return Init(_payload(message) or {})
        case "ping":
            return Ping(_payload(message))
        case "pong":
            _payload(message)
            return Pong()
        case "complete":
            return Complete(_id(message))
        case "subscribe":
            return Subscribe(_id(message), _request(message))
        case _:
            raise BadMessage("The message is of no known type")


def _payload(message: Mapping[str, Any]) -> dict[str, Any] | None:
    payload = message.get("payload")
    if payload is not None and not isinstance(payload, dict):
        raise BadMessage("The payload is not an object")
    return payload


def _id(message: Mapping[str, Any]) -> str:
    value = message.get("id")
    if not isinstance(value, str) or not value:
        raise BadMessage("The id is not a string, or empty")
    return value


def _request(message: Mapping[str, Any]) -> GraphQLRequest:
    payload = message.get("payload")
    if not isinstance(payload, dict):
        raise BadMessage("The payload is not an object")
    try:
        return request_of(payload)
    except Refused as refused:
        raise BadMessage(refused.message) from None
