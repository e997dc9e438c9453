"""The outbox of deletions: what must leave the storage is a row, written with the change that made it nobody's.

A row is carried out as soon as it is due, and once more after `final_at`, when nobody can still be writing there; only
then does it go. Failures back off. Everything is safe to repeat: a process that dies in the middle leaves a row that
falls due again, and two processes that meet the same target remove it twice, which is no harm.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.clock import Clock
from domain.errors import StorageError
from domain.models.storage import StorageDeletion
from domain.ports import Storage
from domain.storage.keys import check_key, check_prefix

#: How long others leave a row alone that a process has begun to carry out.
CLAIM_SECONDS: Final = 300
#: Rows that a sweep takes.
SWEPT_AT_ONCE: Final = 1000
_MAX_SWEEPS: Final = 20
_PREFIXES_AT_ONCE: Final = 4
_FIRST_BACKOFF_SECONDS: Final = 5
_MAX_BACKOFF_SECONDS: Final = 3600
_MAX_DOUBLINGS: Final = 10
_MAX_ERROR_CHARACTERS: Final = 300
#: Addresses may be presigned or hold a password.
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)


async def record_deletion(target: str, now: datetime, final_after_seconds: float) -> None:
    """Inside the caller's transaction: have a key, or a prefix that ends in `/`, removed.

    For `final_after_seconds` from now somebody may still be writing there; what appears until then goes as well.
    Raises `ValueError` for what is neither key nor prefix.
    """
    (check_prefix if target.endswith("/") else check_key)(target)
    final_at = now + timedelta(seconds=final_after_seconds)
    await StorageDeletion.create(target=target, created_at=now, next_try_at=now, final_at=final_at)


@dataclass(frozen=True, slots=True)
class Reservation:
    """A key about to be written that no row names yet: a deletion in the future, unless it is called off."""

    row_id: int
    due_at: datetime

    @classmethod
    async def make(cls, key: str, now: datetime, seconds: float) -> "Reservation":
        """Before the object is written: have it removed after `seconds`, should the writer never get any further."""
        due_at = now + timedelta(seconds=seconds)
        row = await StorageDeletion.create(target=check_key(key), created_at=now, next_try_at=due_at, final_at=due_at)
        return cls(row.id, due_at)

    async def keep(self) -> None:
        """Inside the transaction that writes the row naming the key: call the deletion off.

        Raises `StorageError` when it has begun already, so that no row ever names an object that is gone.
        """
        if not await StorageDeletion.filter(id=self.row_id, next_try_at=self.due_at).delete():
            raise StorageError("Storing the file took too long.")

    async def drop(self, now: datetime) -> None:
        """Have the object removed now: nothing will name it."""
        await StorageDeletion.filter(id=self.row_id, next_try_at=self.due_at).update(next_try_at=now, final_at=now)


class Outbox:
    """Carries out what was recorded."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    async def sweep_all(self) -> int:
        """Carry out what is due, a sweep after the other, as long as each finds its fill; returns as `sweep` does."""
        total = 0
        for _ in range(_MAX_SWEEPS):
            done = await self.sweep()
            total += done
            if done < SWEPT_AT_ONCE:
                break
        return total

    async def sweep(self, limit: int = SWEPT_AT_ONCE) -> int:
        """Carry out at most `limit` rows that are due, longest due first; returns how many targets are clean now.

        Keys go together, as many as a storage takes at once; prefixes a few at a time.
        """
        begun = self._clock.now()
        rows = await self._claim(begun, limit)
        keys = [row for row in rows if not row.target.endswith("/")]
        prefixes = [row for row in rows if row.target.endswith("/")]
        free = asyncio.Semaphore(_PREFIXES_AT_ONCE)

        async def remove_below(row: StorageDeletion) -> int:
            async with free:
                return await self._carry_out(row, begun)

        async with asyncio.TaskGroup() as group:
            jobs = [group.create_task(remove_below(row)) for row in prefixes]
            jobs.append(group.create_task(self._remove_keys(keys, begun)))
        return sum(job.result() for job in jobs)

    async def _claim(self, begun: datetime, limit: int) -> list[StorageDeletion]:
        """Move rows out of what is due, which is the claim: of several processes one moves each."""
        due = await StorageDeletion.filter(next_try_at__lte=begun).order_by("next_try_at", "id").limit(limit)
        if not due:
            return []
        claimed_until = begun + timedelta(seconds=CLAIM_SECONDS)
        claimed = []
        async with db.transaction():
            for row in due:
                if await StorageDeletion.filter(id=row.id, next_try_at=row.next_try_at).update(
                    next_try_at=claimed_until
                ):
                    row.next_try_at = claimed_until
                    claimed.append(row)
        return claimed

    async def _remove_keys(self, rows: Sequence[StorageDeletion], begun: datetime) -> int:
        """Remove keys together; when that fails, one by one, so that one that will not go holds up no other."""
        if not rows:
            return 0
        if len(rows) > 1:
            try:
                await self._storage.delete([row.target for row in rows])
            except StorageError:
                return sum([await self._carry_out(row, begun) for row in rows])
            return await self._done(rows, begun)
        return await self._carry_out(rows[0], begun)

    async def _carry_out(self, row: StorageDeletion, begun: datetime) -> int:
        try:
            if row.target.endswith("/"):
                await self._storage.delete_prefix(row.target)
            else:
                await self._storage.delete([row.target])
        except StorageError as error:
            retry_at = self._clock.now() + timedelta(seconds=_backoff_seconds(row.tries))
            changes = {"tries": row.tries + 1, "last_error": _described(error), "next_try_at": retry_at}
            await StorageDeletion.filter(id=row.id, next_try_at=row.next_try_at).update(**changes)
            return 0
        return await self._done([row], begun)

    async def _done(self, rows: Sequence[StorageDeletion], begun: datetime) -> int:
        """Let go of the rows whose end had come when this began; the others are carried out once more at theirs."""
        async with db.transaction():
            for row in rows:
                claimed = StorageDeletion.filter(id=row.id, next_try_at=row.next_try_at)
                if begun >= row.final_at:
                    await claimed.delete()
                else:
                    await claimed.update(tries=0, last_error=None, next_try_at=row.final_at)
        return len(rows)


def _backoff_seconds(tries: int) -> float:
    return min(_FIRST_BACKOFF_SECONDS * 2.0 ** min(tries, _MAX_DOUBLINGS), _MAX_BACKOFF_SECONDS)


def _described(error: StorageError) -> str:
    return _ADDRESS.sub("(address)", f"{type(error).__name__}: {error}")[:_MAX_ERROR_CHARACTERS]
