"""API keys: credentials for programs, each with scopes and an end.

A key is shown once, when it is made; its row keeps a hash. Whoever has the key acts as its user, within its scopes.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tortoise.queryset import QuerySet

from domain import db
from domain.clock import Clock
from domain.errors import Conflict, InvalidInput, NotFound, Unauthenticated
from domain.ids import IdPrefix, is_id, new_id
from domain.key_text import hash_of_key, hint_of_key, is_key_text, new_key_text
from domain.kinds import ApiKeyScope, Role
from domain.models.accounts import ApiKey, Session, User
from domain.pagination import OrderKey, Page, PageRequest, paginate
from domain.text import checked_text

#: Keys that one user may have in use; as many again that are over are kept to be looked at.
MAX_KEYS: Final = 50
MAX_NAME: Final = 100
DEFAULT_DAYS: Final = 90
MAX_DAYS: Final = 3650
#: How long a key that has expired can still be seen.
KEPT_DAYS: Final = 30
_ORDER: Final = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key at the only moment in which its text is known."""

    row: ApiKey
    text: str = field(repr=False)


class ApiKeys:
    """The rules of API keys. `on_revoked` is told the id of every key that ends before its time."""

    def __init__(self, clock: Clock, on_revoked: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_revoked = on_revoked

    async def create(
        self,
        user_id: str,
        session_id: str,
        name: str,
        scopes: Sequence[ApiKeyScope],
        *,
        expires_in_days: int | None = None,
        expires_at: datetime | None = None,
    ) -> NewApiKey:
        """Make a key for the user of a session; without an end of its own it is good for 90 days.

        Raises `InvalidInput`, `Conflict` when the user has as many as they may, and `Unauthenticated` when the session
        has ended meanwhile: whoever is being shut out leaves no key behind.
        """
        name = checked_text(name, minimum=1, maximum=MAX_NAME, path=("input", "name"))
        if not scopes:
            raise InvalidInput("A key needs at least one scope.", path=("input", "scopes"))
        end = self._end(expires_in_days, expires_at)
        text, now = new_key_text(), self._clock.now()
        async with db.transaction():
            # Holds the user's row: of several that count their keys one goes on at a time.
            user = await User.filter(id=user_id, disabled_at__isnull=True).select_for_update().first()
            if user is None or not await Session.filter(id=session_id, revoked_at__isnull=True).exists():
                raise Unauthenticated
            if ApiKeyScope.ADMIN in scopes and user.role is not Role.ADMIN:
                raise InvalidInput("Only an administrator's key can have the scope ADMIN.", path=("input", "scopes"))
            if await live_keys(user_id, now).count() >= MAX_KEYS:
                raise Conflict(f"You have {MAX_KEYS} API keys, as many as you may. Revoke one first.", path=("input",))
            await _forget_oldest(user_id, now)
            row = await ApiKey.create(
                id=new_id(IdPrefix.API_KEY),
                user_id=user_id,
                name=name,
                key_hash=hash_of_key(text),
                hint=hint_of_key(text),
                scopes=[scope.value for scope in ApiKeyScope if scope in scopes],
                created_at=now,
                expires_at=end,
            )
        return NewApiKey(row, text)

    async def revoke(self, user_id: str, key_id: str) -> ApiKey:
        """End a user's key for good; one that has been revoked stays as it is. Raises `NotFound`."""
        row = await ApiKey.filter(id=key_id, user_id=user_id).first() if is_id(key_id, IdPrefix.API_KEY) else None
        if row is None:
            raise NotFound("There is no such API key.", path=("id",))
        now = self._clock.now()
        try:
            if await ApiKey.filter(id=row.id, revoked_at__isnull=True).update(revoked_at=now):
                row.revoked_at = now
        finally:
            # On every way out: a cancellation may hide that the row was changed.
            self._on_revoked(row.id)
        return row

    async def page(self, user_id: str, request: PageRequest) -> tuple[Page[ApiKey], Callable[[], Awaitable[int]]]:
        """Return one page of a user's keys, newest first, those that are over included, and what counts them all."""
        query = ApiKey.filter(user_id=user_id)
        return await paginate(query, _ORDER, request), query.count

    async def owned(self, user_id: str, ids: Sequence[str]) -> dict[str, ApiKey]:
        """Return those of the keys that are the user's, by id."""
        return {row.id: row for row in await ApiKey.filter(user_id=user_id, id__in=list(ids))}

    async def forget_expired(self) -> int:
        """Remove the rows of keys that expired long ago; returns how many. For a periodic duty."""
        return await ApiKey.filter(expires_at__lte=self._clock.now() - timedelta(days=KEPT_DAYS)).delete()

    def _end(self, days: int | None, at: datetime | None) -> datetime:
        now = self._clock.now()
        if days is not None and at is not None:
            raise InvalidInput("Give `expiresInDays` or `expiresAt`, not both.", path=("input", "expiresAt"))
        if at is not None:
            if not now < at <= now + timedelta(days=MAX_DAYS):
                raise InvalidInput(
                    f"expiresAt must be in the future, by at most {MAX_DAYS} days.", path=("input", "expiresAt")
                )
            return at
        if days is not None and not 1 <= days <= MAX_DAYS:
            raise InvalidInput(f"expiresInDays must be 1 to {MAX_DAYS}.", path=("input", "expiresInDays"))
        return now + timedelta(days=DEFAULT_DAYS if days is None else days)


def live_keys(user_id: str, now: datetime) -> QuerySet[ApiKey]:
    """Return the keys of a user that are good now."""
    return ApiKey.filter(user_id=user_id, revoked_at__isnull=True, expires_at__gt=now)


async def find_key(text: str, now: datetime) -> tuple[ApiKey, User] | None:
    """Return the row and the user of a key that is good now, with two statements, or None whatever is wrong with it."""
    if not is_key_text(text):
        return None
    row = await ApiKey.get_or_none(key_hash=hash_of_key(text), revoked_at__isnull=True, expires_at__gt=now)
    user = None if row is None else await User.get_or_none(id=row.user_id, disabled_at__isnull=True)
    return None if row is None or user is None else (row, user)


async def end_keys(user_id: str, now: datetime) -> list[str]:
    """Inside a transaction that holds the user's row, so that none is made: revoke all keys; returns their ids."""
    ids = [str(key_id) for key_id in await live_keys(user_id, now).values_list("id", flat=True)]
    await ApiKey.filter(id__in=ids).update(revoked_at=now)
    return ids


async def _forget_oldest(user_id: str, now: datetime) -> None:
    """Keep no more of the keys that are over than can be in use, so that making and revoking piles nothing up."""
    live = live_keys(user_id, now).values_list("id", flat=True)
    over = ApiKey.filter(user_id=user_id, id__not_in=[str(key_id) for key_id in await live])
    ids = await over.order_by("-created_at", "-id").offset(MAX_KEYS).limit(MAX_KEYS).values_list("id", flat=True)
    if ids:
        await ApiKey.filter(id__in=list(ids)).delete()
