"""Who may ask.

What an operation needs stands in one table, `resolvers.rights`, and is checked before its resolver runs.
"""

from domain.accounts import Viewer
from domain.errors import Forbidden, Unauthenticated
from domain.kinds import ApiKeyScope
from domain.models.accounts import User
from schema.context import Context, Info


def viewer_of(info: Info) -> Viewer:
    """Return who asks; raises `Unauthenticated` for a request without a valid token."""
    return authenticated(info.context)


def user_of(info: Info) -> User:
    """Return the user who asks; raises `Unauthenticated`."""
    return viewer_of(info).user


def admin_of(info: Info) -> User:
    """Return the administrator who asks; raises `Unauthenticated` or `Forbidden`."""
    viewer = viewer_of(info)
    require_scope(viewer, ApiKeyScope.ADMIN)
    if not viewer.is_admin:
        raise Forbidden
    return viewer.user


def authenticated(context: Context) -> Viewer:
    """Return who asks; raises `Unauthenticated`."""
    if context.viewer is None:
        raise Unauthenticated
    return context.viewer


def require_scope(viewer: Viewer, scope: ApiKeyScope) -> None:
    """Raise `Forbidden` unless the scope is granted."""
    if not viewer.may(scope):
        raise Forbidden(f"This API key lacks the scope {scope}. Use a key that has it, or log in.")


def require_session(viewer: Viewer) -> None:
    """Raise `Forbidden` for an API key: what it could do to the account would outlive it."""
    if viewer.scopes is not None:
        raise Forbidden("An API key cannot manage the account. Log in with the password.")
