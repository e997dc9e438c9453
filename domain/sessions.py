"""The sessions of a user, all at once."""

from datetime import datetime

from domain.models.accounts import Session


async def end_sessions(user_id: str, now: datetime) -> list[str]:
    """Inside a transaction that holds the user's row, so that none is opened: end all sessions; returns their ids.

    Those whose time is over are ended too: a refresh that began before its end may be about to prolong one.
    """
    ids = [session.id for session in await Session.filter(user_id=user_id, revoked_at__isnull=True).only("id")]
    await Session.filter(id__in=ids).update(revoked_at=now)
    return ids
