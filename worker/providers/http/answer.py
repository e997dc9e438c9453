"""A service's answer, read whole."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from worker.providers.errors import checked_request_id

#: Names that services give to the header with their own id of a request.
_REQUEST_ID_HEADERS: Final = ("x-request-id", "x-fal-request-id", "request-id", "x-client-request-id")
_SUCCESS: Final = range(200, 300)


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (names in lower case) and body of an answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """Tell whether the status is one of success; the body may still say otherwise."""
        return self.status in _SUCCESS

    @property
    def request_id(self) -> str | None:
        """The service's own id of the request, when a header has it."""
        for name in _REQUEST_ID_HEADERS:
            if found := checked_request_id(self.headers.get(name)):
                return found
        return None

    def json(self) -> object:
        """Return the body as JSON data; raises `ValueError` for anything else."""
        try:
            data: object = json.loads(self.body)
        except RecursionError:
            raise ValueError("The JSON is nested too deeply.") from None
        return data

    def json_object(self) -> dict[str, object]:
        """Return the body as a JSON object, empty when it is none."""
        try:
            data = self.json()
        except ValueError:
            return {}
        return data if isinstance(data, dict) else {}

    def text(self) -> str:
        """Return the beginning of the body as text, whatever it is."""
        return self.body[:2000].decode("utf-8", "replace")
