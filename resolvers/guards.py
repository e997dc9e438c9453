"""Who may ask."""

from domain.accounts import Viewer
from domain.errors import Forbidden, Unauthenticated
from domain.kinds import Role
from domain.models.accounts import User
from schema.context import Info


def viewer_of(info: Info) -> Viewer:
    """Return who asks; raises `Unauthenticated` for a request without a valid token."""
    viewer = info.context.viewer
    if viewer is None:
        raise Unauthenticated
    return viewer


def user_of(info: Info) -> User:
    """Return the user who asks; raises `Unauthenticated`."""
    return viewer_of(info).user


def admin_of(info: Info) -> User:
    """Return the administrator who asks; raises `Unauthenticated` or `Forbidden`."""
    user = user_of(info)
    if user.role is not Role.ADMIN:
        raise Forbidden
    return user
