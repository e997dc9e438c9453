"""The sessions of a user: seeing them, and ending one or all."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Final

from tortoise.queryset import QuerySet

from domain import db
from domain.api_keys import end_keys
from domain.clock import Clock
from domain.errors import NotFound
from domain.ids import IdPrefix, is_id
from domain.models.accounts import ApiKey, Session, User
from domain.pagination import OrderKey, Page, PageRequest, paginate

_MAX_AGENT: Final = 200
#: Sessions that one user may have; another log-in ends the oldest.
MAX_SESSIONS: Final = 200
_ORDER: Final = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))


class Sessions:
    """What a user may do with their sessions. `on_revoked` is told the id of everything that ends."""

    def __init__(self, clock: Clock, on_revoked: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_revoked = on_revoked

    async def page(self, user_id: str, request: PageRequest) -> tuple[Page[Session], Callable[[], Awaitable[int]]]:
        """Return one page of a user's sessions that are good now, newest first, and what counts them all."""
        query = self._live(user_id)
        return await paginate(query, _ORDER, request), query.count

    async def owned(self, user_id: str, ids: Sequence[str]) -> dict[str, Session]:
        """Return those of the sessions that are the user's and good now, by id."""
        return {row.id: row for row in await self._live(user_id).filter(id__in=list(ids))}

    async def revoke(self, user_id: str, session_id: str) -> None:
        """End a session; raises `NotFound` for one that is not the user's, or has ended."""
        row = await self._live(user_id).filter(id=session_id).first() if is_id(session_id, IdPrefix.SESSION) else None
        if row is None:
            raise NotFound("There is no such session.", path=("id",))
        try:
            await Session.filter(id=row.id, revoked_at__isnull=True).update(revoked_at=self._clock.now())
        finally:
            # On every way out: a cancellation may hide that the row was changed.
            self._on_revoked(row.id)

    async def end_all(self, user_id: str, *, api_keys: bool) -> None:
        """End all sessions of a user, and with `api_keys` those as well."""
        ended: list[str] = []
        now = self._clock.now()
        try:
            async with db.transaction():
                # Holds the user's row: whoever logs in or makes a key meanwhile does it before or after.
                await User.filter(id=user_id).select_for_update().first()
                ended += await end_sessions(user_id, now)
                if api_keys:
                    ended += await end_keys(user_id, now)
        finally:
            for item in ended:
                self._on_revoked(item)

    def _live(self, user_id: str) -> QuerySet[Session]:
        return Session.filter(user_id=user_id, revoked_at__isnull=True, expires_at__gt=self._clock.now())


async def end_sessions(user_id: str, now: datetime) -> list[str]:
    """Inside a transaction that holds the user's row, so that none is opened: end all sessions; returns their ids.

    Those whose time is over are ended too: a refresh that began before its end may be about to prolong one.
    """
    ids = [session.id for session in await Session.filter(user_id=user_id, revoked_at__isnull=True).only("id")]
    await Session.filter(id__in=ids).update(revoked_at=now)
    return ids


async def end_surplus_sessions(user_id: str, now: datetime) -> list[str]:
    """Inside a transaction that holds the user's row: end the oldest sessions, so that one more may be opened.

    Returns their ids. Programs that log in again and again, where they should refresh, grow no list without end.
    """
    live = Session.filter(user_id=user_id, revoked_at__isnull=True, expires_at__gt=now)
    surplus = live.order_by("-created_at", "-id").offset(MAX_SESSIONS - 1).limit(MAX_SESSIONS)
    ids = [str(found) for found in await surplus.values_list("id", flat=True)]
    await Session.filter(id__in=ids).update(revoked_at=now)
    return ids


async def ended_among(ids: Collection[str], now: datetime) -> set[str]:
    """Return those ids of sessions and API keys that are good no longer, whoever ended them and wherever."""
    wanted = {"id__in": list(ids), "revoked_at__isnull": True, "expires_at__gt": now}
    good = await Session.filter(**wanted).values_list("id", flat=True)
    keys = await ApiKey.filter(**wanted).values_list("id", flat=True)
    return set(ids) - {str(found) for found in [*good, *keys]}


def shown_agent(value: str) -> str | None:
    """Return what a client calls itself as it is kept: printable characters, not too many; None for nothing."""
    return "".join(character for character in value if character.isprintable())[:_MAX_AGENT].strip() or None
