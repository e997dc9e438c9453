"""Ending accounts: deleted by their owner or by an administrator, disabled and enabled again.

Whoever ends takes everything along in one transaction: sessions, API keys, and what they have. What is left to do
afterwards (rows in batches, files) is recorded in it, so that it happens whatever becomes of this process.
"""

from collections.abc import Callable, Iterable

from tortoise.expressions import Q

from domain import db
from domain.accounts import Viewer
from domain.api_keys import end_keys
from domain.audit import record_action
from domain.errors import Conflict, Forbidden, InvalidCredentials, NotFound
from domain.ids import IdPrefix, is_id
from domain.kinds import Role
from domain.models.accounts import ApiKey, Session, User
from domain.password_attempts import PasswordAttempts
from domain.passwords import PasswordHasher
from domain.sessions import end_sessions
from domain.tasks.deletion import Abandoned, abandon_all, tell_abandoned
from domain.tasks.deps import TaskDeps


class AccountControl:
    """The ends of accounts. `on_revoked` is told the id of every session and API key that ends with one."""

    def __init__(self, deps: TaskDeps, passwords: PasswordHasher, on_revoked: Callable[[str], None]) -> None:
        self._deps = deps
        self._passwords = passwords
        self._on_revoked = on_revoked
        self._attempts = PasswordAttempts(deps.clock)

    async def delete_own(self, viewer: Viewer, password: str) -> None:
        """Delete the viewer's account with all that it has.

        Raises `InvalidCredentials` when the password is wrong, `RateLimited` after too many of them, and `Conflict` for
        the only administrator of others.
        """
        attempt = await self._attempts.begin_confirmation(viewer.session_id)
        user = await User.get_or_none(id=viewer.user.id)
        if user is None or not await self._passwords.verify(password, user.password_hash):
            raise _wrong_password()
        ended: list[str] = []
        try:
            async with db.transaction():
                await db.lock_admission()
                users = await _locked(user.id)
                current = users.get(user.id)
                # The password may have been changed while it was being compared; from here on it cannot.
                if current is None or current.password_hash != user.password_hash:
                    raise _wrong_password()
                if current.role is Role.ADMIN and not _other_admins(users, user.id) and await User.all().count() > 1:
                    raise Conflict(
                        "You are the only administrator. Make another one first, with `wonder create-admin`, "
                        "or delete the other accounts."
                    )
                await self._attempts.succeed(attempt)
                ended += await _credentials(user.id)
                abandoned = await self._delete(current)
        finally:
            self._tell(ended)
        await tell_abandoned(self._deps, abandoned)

    async def delete(self, admin: User, user_id: str) -> None:
        """Delete somebody's account with all that it has.

        Raises `NotFound`, `Conflict` for the administrator's own, and `Forbidden` when they are none any more.
        """
        ended: list[str] = []
        try:
            async with db.transaction():
                await db.lock_admission()
                user = await _subject(admin, user_id, "Delete your own account with `deleteAccount`.")
                ended += await _credentials(user.id)
                abandoned = await self._delete(user)
                await record_action(admin.id, "deleteUser", self._deps.clock.now(), target=user.id)
        finally:
            self._tell(ended)
        await tell_abandoned(self._deps, abandoned)

    async def set_disabled(self, admin: User, user_id: str, *, disabled: bool) -> User:
        """Shut somebody out, and end their sessions and API keys for good, or let them in again.

        What they have stays, and what runs goes on. Raises as `delete` does.
        """
        ended: list[str] = []
        now = self._deps.clock.now()
        try:
            async with db.transaction():
                user = await _subject(admin, user_id, "You cannot disable your own account.")
                if disabled:
                    ended += await end_sessions(user.id, now) + await end_keys(user.id, now)
                if disabled != (user.disabled_at is not None):
                    user.disabled_at = now if disabled else None
                    await user.save(update_fields=["disabled_at"])
                    await record_action(admin.id, "setUserDisabled", now, target=user.id, disabled=disabled)
        finally:
            self._tell(ended)
        return user

    async def _delete(self, user: User) -> Abandoned:
        abandoned = await abandon_all(self._deps, user.id)
        for model in (Session, ApiKey):
            await model.filter(user_id=user.id).delete()
        await User.filter(id=user.id).delete()
        return abandoned

    def _tell(self, ids: Iterable[str]) -> None:
        """Pass on what ended, on every way out of the change, a cancellation during its commit included."""
        for item in ids:
            self._on_revoked(item)


async def _locked(*user_ids: str) -> dict[str, User]:
    """Hold the rows of these users and of all administrators until the transaction ends; returns them by id.

    In the order of ids, so that of two administrators who end each other one waits for the other.
    """
    found = User.filter(Q(id__in=list(user_ids)) | Q(role=Role.ADMIN)).order_by("id")
    return {user.id: user for user in await found.select_for_update()}


async def _subject(admin: User, user_id: str, refusal: str) -> User:
    """Hold the rows of both; return who is to be acted on."""
    users = await _locked(admin.id, *([user_id] if is_id(user_id, IdPrefix.USER) else []))
    actor = users.get(admin.id)
    if actor is None or actor.role is not Role.ADMIN or actor.disabled_at is not None:
        raise Forbidden
    if user_id == admin.id:
        raise Conflict(refusal, path=("userId",))
    user = users.get(user_id)
    if user is None:
        raise NotFound("There is no such user.", path=("userId",))
    return user


def _other_admins(users: dict[str, User], user_id: str) -> list[User]:
    return [
        user for user in users.values() if user.role is Role.ADMIN and user.disabled_at is None and user.id != user_id
    ]


async def _credentials(user_id: str) -> list[str]:
    """Return the ids of the sessions and API keys of a user, in whatever state."""
    ids: list[str] = []
    for model in (Session, ApiKey):
        ids += [str(item) for item in await model.filter(user_id=user_id).values_list("id", flat=True)]
    return ids


def _wrong_password() -> InvalidCredentials:
    return InvalidCredentials("The password is wrong.", path=("password",))
