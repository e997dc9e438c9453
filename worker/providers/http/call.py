"""One request to a service, in its own words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

#: A file of a form: field, file name, bytes, media type.
FormFile = tuple[str, str, bytes, str]


@dataclass(frozen=True, slots=True)
class Call:
    """A request as `HttpClient.send` takes it. Exactly one of `json` and `form` is the body, or none."""

    method: str
    #: Appended to the provider's base URL; a whole URL of the service's own counts as it is.
    path: str
    json: object | None = None
    #: Fields of a multipart form.
    form: Mapping[str, str] | None = None
    files: Sequence[FormFile] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    #: True when the request makes something that is charged for: then it is never sent again unless it is certain that
    #: the service has not taken it.
    paid: bool = False
    #: Beside the limits of the key: asking for progress, telling of a cancellation.
    aside: bool = False
    #: Longest wait for a place among the key's requests, and for a service that asks to wait; None: as long as needed.
    patience_seconds: float | None = None
    #: Longest wait for the whole answer; None: the client's own.
    total_seconds: float | None = None
