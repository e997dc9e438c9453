"""Addresses of services, as they are set: checked, and spelled as every client spells them."""

from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def web_address(value: str) -> str:
    """Return an address with its host in small letters, without the port that goes without saying and the last slash.

    Clients send the host so, and what is signed for it must be the same. Raises `ValueError` with what is wrong.
    """
    try:
        parts = urlsplit(value)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise ValueError("must be an address such as https://host:port, with a port up to 65535") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError("must begin with http:// or https://")
    if not host:
        raise ValueError("must name a host")
    if "@" in parts.netloc:
        raise ValueError("must be without a user and a password")
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        place = f"{place}:{port}"
    rest = value.partition("://")[2]
    behind = rest[len(parts.netloc) :]
    return f"{parts.scheme}://{place}{behind}".rstrip("/")
