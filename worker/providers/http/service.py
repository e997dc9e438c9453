"""A service as the HTTP client knows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from worker.providers.errors import without_secrets
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal

#: Of an answer, unless a service is told otherwise: several pictures as base64.
MAX_BYTES: Final = 96 * 1024 * 1024


class AnswerReader(Protocol):
    """Reads an answer in a service's own way."""

    def __call__(self, answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
        """Return why this is not what was asked for, None when it is."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """Limits of one request, in seconds."""

    connect: float = 5.0
    #: Between two bytes that come.
    read: float = 300.0
    #: From the first byte sent to the last one received.
    total: float = 300.0


@dataclass(frozen=True, slots=True)
class Service:
    """Where a provider's requests go, and what goes with each of them."""

    #: The provider's name, for messages.
    name: str
    #: Without a slash at its end.
    base_url: str
    judge: AnswerReader
    #: Sent with every request, the key among them.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Returns further headers of each request: for keys that are signed anew from time to time.
    sign: Callable[[], Mapping[str, str]] | None = None
    #: What must appear in no message and no log line.
    secrets: tuple[str, ...] = ()
    #: A server of the operator's own: nothing is paid there, and it may stand in a private network.
    local: bool = False
    times: Times = field(default_factory=Times)
    #: Further tries of a request that may be sent again.
    retries: int = 2
    max_answer_bytes: int = MAX_BYTES

    def holds_secret(self, text: str) -> bool:
        """Tell whether a key of this service stands in a text."""
        return self.without_secrets(text) != text

    def without_secrets(self, text: str) -> str:
        """Return a text in which no key of this service stands."""
        return without_secrets(text, self.secrets)
