"""Objects in the storage that no row names: what a fault, or a database that was put back to an earlier day, left.

Only what belongs to users of this database is ever removed. What belongs to others may be another installation's, whose
bucket or folder this one was given by mistake, and is told of instead.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.lifecycle import ACTIVE
from domain.models.accounts import User
from domain.models.projects import StoredUpload, UploadedImage
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, Task
from domain.outbox import record_deletion
from domain.ports import Storage, StoredObject

_log = logging.getLogger(__name__)
ROOT: Final = "users/"
#: Objects that are compared with rows at once.
BATCH: Final = 200
#: Objects that one sweep looks at; the next one goes on behind the last of them.
SWEPT_AT_ONCE: Final = 100_000
#: Of `users/{userId}/uploads/{name}`, and of what was uploaded when each project had objects of its own.
_UPLOAD_PARTS: Final = 4
_OLD_UPLOAD_PARTS: Final = 6
_TASK_PART: Final = 5


@dataclass(frozen=True, slots=True)
class Sweep:
    """What one sweep found, and where the next one goes on; an empty `after` is the beginning."""

    found: int
    after: str


async def sweep_orphans(
    storage: Storage, now: datetime, grace: timedelta, after: str, limit: int = SWEPT_AT_ONCE
) -> Sweep:
    """Have orphans removed that are older than the grace period, among the next objects behind `after`.

    They are recorded for removal batch by batch: nothing holds more than a batch in memory. How old an object is goes
    by the clock that has dated it, so that a server whose own clock is wrong removes nothing young. Raises
    `StorageError`.
    """
    seen, found, foreign = 0, 0, 0
    batch: list[StoredObject] = []
    old_before = now + await storage.clock_ahead() - grace
    async for batch in batches(storage.list(ROOT, after)):
        old = [item.key for item in batch if item.modified_at < old_before]
        strangers = await _unknown_users(old)
        foreign += sum(_user(key) in strangers for key in old)
        for key in await orphans_among(old):
            await remove_orphan(key, now)
            found += 1
        seen += len(batch)
        if seen >= limit:
            break
    if foreign:
        _log.warning(
            "%d files belong to users that this database does not know, and are left alone: is this the storage of "
            "another installation, or the database of an earlier day?",
            foreign,
        )
    return Sweep(found, batch[-1].key if seen >= limit else "")


async def batches(objects: AsyncIterator[StoredObject]) -> AsyncIterator[list[StoredObject]]:
    """Yield the objects BATCH at a time."""
    batch: list[StoredObject] = []
    async for item in objects:
        batch.append(item)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


async def orphans_among(keys: Sequence[str]) -> list[str]:
    """Return those of at most BATCH keys that nothing names, nobody is writing, and that are not to be removed already.

    Only keys of the kinds that the server itself writes, below users that this database knows; what else lies in the
    storage is not ours to judge.
    """
    strangers = await _unknown_users(keys)
    owners = {key: _owner(key) for key in keys if _is_ours(key) and _user(key) not in strangers}
    tasks = {owner for owner in owners.values() if owner is not None}
    # First who is at work, then what is named: a task that completes in between has named its files by then.
    busy = await _ids(Task.filter(id__in=list(tasks), status__in=list(ACTIVE)).values_list("id", flat=True))
    recorded = await _recorded(list(owners))
    candidates = [key for key, owner in owners.items() if owner not in busy and key not in recorded]
    named: set[str] = set()
    for model in (Asset, StoredUpload, UploadedImage):
        named |= await _ids(model.filter(storage_key__in=candidates).values_list("storage_key", flat=True))
    return [key for key in candidates if key not in named]


async def remove_orphan(key: str, now: datetime) -> None:
    """Record an orphan for removal."""
    async with db.transaction():
        await record_deletion(key, now, 0)


def _is_ours(key: str) -> bool:
    parts = key.split("/")
    if parts[0] != "users" or len(parts) < _UPLOAD_PARTS:
        return False
    if len(parts) == _UPLOAD_PARTS:
        return parts[2] == "uploads"
    if parts[2] != "projects" or len(parts) < _OLD_UPLOAD_PARTS:
        return False
    if len(parts) == _OLD_UPLOAD_PARTS:
        return parts[4] == "uploads"
    return parts[4] == "tasks" and parts[6] in {"output", "work"}


def _user(key: str) -> str:
    """Return the user below whom a key is."""
    return key.split("/")[1] if "/" in key else ""


async def _unknown_users(keys: Sequence[str]) -> set[str]:
    """Return those of the keys' users that are not in this database."""
    users = {_user(key) for key in keys if _is_ours(key)}
    return users - await _ids(User.filter(id__in=list(users)).values_list("id", flat=True)) if users else set()


def _owner(key: str) -> str | None:
    """Return the task whose file it is; None for an upload."""
    parts = key.split("/")
    return parts[_TASK_PART] if len(parts) > _OLD_UPLOAD_PARTS else None


async def _recorded(keys: Sequence[str]) -> set[str]:
    """Return those that are recorded for removal, by themselves or with what they are in."""
    targets = {key: _targets(key) for key in keys}
    wanted = list({target for of_key in targets.values() for target in of_key})
    rows = await _ids(StorageDeletion.filter(target__in=wanted).values_list("target", flat=True)) if wanted else set()
    return {key for key, of_key in targets.items() if not rows.isdisjoint(of_key)}


def _targets(key: str) -> list[str]:
    parts = key.split("/")
    return [key, *("/".join(parts[:count]) + "/" for count in range(2, len(parts)))]


async def _ids(query: Awaitable[Iterable[object]]) -> set[str]:
    return {str(value) for value in await query}
