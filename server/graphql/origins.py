"""Pages of which origins may use the API."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers

from domain.settings import Settings


class Origins:
    """Knows our own origin and those that an operator allowed."""

    def __init__(self, settings: Settings) -> None:
        self._allowed = {origin.lower().rstrip("/") for origin in settings.allowed_origins}
        if settings.public_url:
            self._allowed.add(_origin_of(settings.public_url))

    def allows(self, headers: Headers) -> bool:
        """Tell whether a request comes from no page at all, from our own, or from an allowed one.

        What a page cannot leave out is trusted: `Origin`, and `Sec-Fetch-Site` where a page sends none (an image or a
        script of another site).
        """
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site") != "cross-site"
        if "*" in self._allowed or origin.lower() in self._allowed:
            return True
        return _host_of(origin) == headers.get("host", "").lower() != ""


def _host_of(origin: str) -> str:
    """Return host and port in lower case; empty for what is no origin, such as `null`."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()
