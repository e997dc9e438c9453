"""Who a request or a socket speaks for, and under which address it came."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import Scope

from domain.accounts import Accounts, Viewer
from domain.settings import Settings


def bearer_token(authorization: str | None) -> str | None:
    """Return the token of an Authorization value; the scheme may be in any case, other schemes carry none of ours."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


async def viewer_of_token(accounts: Accounts, token: str | None) -> Viewer | None:
    """Return who a token stands for; None without one, and when it is not valid."""
    return None if token is None else await accounts.authenticate(token)


def credentials_of_init(payload: Mapping[str, object]) -> str | None:
    """Return the token that a connection_init payload carries, or None when it carries no credentials.

    `Authorization`, in any case, holds what the header would; `token` the bare token. Something there that is no token
    of ours comes back as an empty string: credentials that are wrong, not credentials that are missing.
    """
    for name, value in payload.items():
        if name.lower() == "authorization" and value not in (None, ""):
            return (bearer_token(value) or "") if isinstance(value, str) else ""
    bare = payload.get("token")
    if bare in (None, ""):
        return None
    return (bearer_token(bare) or bare) if isinstance(bare, str) else ""


def base_url(settings: Settings, scope: Scope) -> str:
    """Return scheme and host for addresses in answers: the public one that was set, else as the client wrote them."""
    if settings.public_url:
        return settings.public_url
    scheme = {"ws": "http", "wss": "https"}.get(scope.get("scheme", "http"), scope.get("scheme", "http"))
    return f"{scheme}://{Headers(scope=scope).get('host', '')}"


def client_address(scope: Scope) -> str:
    """Return the address of the client, as the server or a trusted proxy tells it; empty when it is not known."""
    client = scope.get("client")
    return str(client[0]) if client else ""
