"""How answers are written into a response that goes on: as server-sent events, or as parts."""

from dataclasses import dataclass
from typing import Final, Protocol

from server.graphql.answers import Answer
from server.graphql.negotiation import EVENT_STREAM, MULTIPART, SUBSCRIPTION_SPEC
from server.graphql.strict_json import write_json

_BOUNDARY: Final = "graphql"


class Framing(Protocol):
    """One way to write them; all texts end so that the client can read what came at once."""

    @property
    def content_type(self) -> str:
        """The media type of the response."""
        ...

    @property
    def opening(self) -> str:
        """What comes first, so that headers and something of the body pass every proxy at once."""
        ...

    @property
    def heartbeat(self) -> str:
        """What says that the line is alive."""
        ...

    def answer(self, answer: Answer, number: int) -> str:
        """Return one answer; `number` counts them from 1."""
        ...

    def fault(self, message: str, code: str) -> str:
        """Return why the server ends the stream before its time."""
        ...

    @property
    def complete(self) -> str:
        """What comes last when there is nothing more to tell."""
        ...

    @property
    def cut(self) -> str:
        """What comes last when the server ends the stream before its time."""
        ...


@dataclass(frozen=True, slots=True)
class EventStream:
    """Server-sent events (WHATWG HTML, section 9.2) in the distinct connections mode of the graphql-sse protocol.

    Lines end in LF alone, since urql's reader knows no other. What the server ends early has no `complete`: clients
    then connect again.
    """

    content_type: str = f"{EVENT_STREAM}; charset=utf-8"
    opening: str = ":\n\n"
    heartbeat: str = ":\n\n"
    # With a data line, though it is empty: browsers drop events without one.
    complete: str = "event: complete\ndata:\n\n"
    cut: str = ""

    def answer(self, answer: Answer, number: int) -> str:
        """Return a `next` event; its id is the number."""
        return f"id: {number}\nevent: next\ndata: {answer.text}\n\n"

    def fault(self, message: str, code: str) -> str:
        """Return a `next` event with nothing but the error."""
        return f"event: next\ndata: {write_json({'errors': [_error(message, code)]})}\n\n"


@dataclass(frozen=True, slots=True)
class MultipartMixed:
    """Parts of multipart/mixed (RFC 2046) in Apollo's protocol for subscriptions over HTTP, version 1.0.

    Every part is followed by its delimiter, so that the client can read it without waiting for the next one.
    """

    content_type: str = f'{MULTIPART};boundary="{_BOUNDARY}";subscriptionSpec={SUBSCRIPTION_SPEC}'
    opening: str = f"\r\n--{_BOUNDARY}"
    complete: str = "--\r\n"
    cut: str = "--\r\n"

    @property
    def heartbeat(self) -> str:
        """An empty object."""
        return _part("{}")

    def answer(self, answer: Answer, number: int) -> str:  # noqa: ARG002 (parts have no ids)
        """Return a part with the answer as `payload`."""
        return _part(f'{{"payload":{answer.text}}}')

    def fault(self, message: str, code: str) -> str:
        """Return a part without payload, whose errors are the transport's."""
        return _part(write_json({"payload": None, "errors": [_error(message, code)]}))


FRAMINGS: Final[dict[str, Framing]] = {EVENT_STREAM: EventStream(), MULTIPART: MultipartMixed()}


def _part(text: str) -> str:
    return f"\r\ncontent-type: application/json\r\n\r\n{text}\r\n--{_BOUNDARY}"


def _error(message: str, code: str) -> dict[str, object]:
    return {"message": message, "extensions": {"code": code}}
