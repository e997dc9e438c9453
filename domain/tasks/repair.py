"""Finding rows that contradict themselves or the storage, and setting right what can be."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain import db
from domain.figures.counters import mend_counts, wrong_counts
from domain.missing_files import assets_without_file, images_without_file
from domain.orphans import ROOT, batches, orphans_among, remove_orphan
from domain.ports import Storage
from domain.quotas import mend_counters, wrong_counters
from domain.statements import fetch
from domain.tasks.deps import TaskDeps
from domain.tasks.invariants import RULES, VALUES, Rule
from domain.tasks.recovery import abandoned, lost_entries, reclaim_expired, release_lost_again

_BATCH: Final = 500
_NAMED: Final = re.compile(r"\{(\w+)\}")
_BROKEN: Final = f"SELECT id FROM {{table}} WHERE {{broken}} ORDER BY id LIMIT {_BATCH}"  # noqa: S608 (no values)
_STILL_BROKEN: Final = "SELECT id FROM {table} WHERE id = ? AND ({broken})"
_HELD: Final = "SELECT id FROM {table} WHERE id = ? FOR UPDATE"
_CHANGED: Final = "UPDATE {table} SET {change} WHERE id = ?"
_GONE: Final = "DELETE FROM {table} WHERE id = ?"
_GAPS: Final = f"""
SELECT task_id FROM task_event GROUP BY task_id HAVING COUNT(*) <> MAX(sequence) ORDER BY task_id LIMIT {_BATCH}
"""  # noqa: S608 (a number)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    kind: str
    #: The id of the row, or the key of the object, that is meant.
    subject: str
    mended: bool


async def repair(deps: TaskDeps, storage: Storage, *, dry_run: bool) -> list[Finding]:
    """Find, and unless it is a dry run mend, what contradicts itself.

    - Whatever breaks a rule of `domain.tasks.invariants`, at most so many rows of each as one run takes.
    - `missing_event`: a gap in the numbers of a task's events; reported only, nothing can bring the event back.
    - `running_without_worker`: RUNNING with a lease that ran out, or in nobody's hands: PENDING again, or parked.
    - `released_without_entry`: released, but unknown to the queue: waits as a row again.
    - `wrong_count`: a counter of the queue's figures that is not what the rows say: set.
    - `wrong_storage_use`: a counter of stored bytes that is not what the rows say: counted anew.
    - `asset_without_file`, `image_without_file`: reported only; nothing can bring the file back.
    - `file_without_asset`: not named by a row, and no active task's: recorded for removal.
    """
    findings = [finding for rule in RULES for finding in await _held_to(rule, deps.clock.now(), dry_run=dry_run)]
    findings += [Finding("missing_event", str(row["task_id"]), mended=False) for row in await fetch(_GAPS, [])]
    findings += await _stuck(deps, dry_run=dry_run)
    findings += await _counts(dry_run=dry_run)
    findings += [
        Finding("wrong_storage_use", owner_id, mended=not dry_run)
        for owner_id in await (wrong_counters() if dry_run else mend_counters())
    ]
    findings += [finding async for finding in _files(deps, storage, dry_run=dry_run)]
    if findings and not dry_run:
        deps.wake()
        deps.wake_checker()
        deps.wake_sender()
    return findings


async def _held_to(rule: Rule, now: datetime, *, dry_run: bool) -> list[Finding]:
    found, values = _with_values(_BROKEN.format(table=rule.table, broken=rule.broken), now)
    ids = [row["id"] for row in await fetch(found, values)]
    if dry_run:
        return [Finding(rule.kind, str(row_id), mended=False) for row_id in ids]
    # Whoever has moved on since was no longer found broken when its row was held.
    return [Finding(rule.kind, str(row_id), mended=True) for row_id in ids if await _mend(rule, row_id, now)]


async def _mend(rule: Rule, row_id: str | int, now: datetime) -> bool:
    """Set a row right if it is still broken."""
    async with db.transaction():
        if db.is_postgres():
            # Held first: a statement that had to wait for a row would compare its new state with other rows' old one.
            await fetch(_HELD.format(table=rule.table), [row_id])
        still, values = _with_values(_STILL_BROKEN.format(table=rule.table, broken=rule.broken), now)
        if not await fetch(still, [row_id, *values]):
            return False
        change = _GONE if rule.change is None else _CHANGED
        text, values = _with_values(change.format(table=rule.table, change=rule.change), now)
        await fetch(text, [*values, row_id])
        if rule.also is not None:
            await fetch(rule.also, [row_id])
        return True


def _with_values(text: str, now: datetime) -> tuple[str, list[object]]:
    """Return a statement with question marks in place of the values that it names, and these in their order."""
    names = _NAMED.findall(text)
    return _NAMED.sub("?", text), [now + VALUES[name] for name in names]


async def _stuck(deps: TaskDeps, *, dry_run: bool) -> list[Finding]:
    mended = not dry_run
    expired = await abandoned(deps.clock.now()).limit(_BATCH).values_list("id", flat=True)
    missing = await lost_entries(deps)
    if not dry_run:
        await reclaim_expired(deps)
        await release_lost_again(deps)
    return [
        *(Finding("running_without_worker", str(task_id), mended) for task_id in expired),
        *(Finding("released_without_entry", task_id, mended) for task_id in missing),
    ]


async def _counts(*, dry_run: bool) -> list[Finding]:
    wrong = await (wrong_counts() if dry_run else mend_counts())
    return [
        Finding("wrong_count", f"{one.status} of {one.user_id or 'everybody'}", mended=not dry_run) for one in wrong
    ]


async def _files(deps: TaskDeps, storage: Storage, *, dry_run: bool) -> AsyncIterator[Finding]:
    """Compare rows and objects, a project, a user or a batch at a time."""
    async for asset_id in assets_without_file(storage):
        yield Finding("asset_without_file", asset_id, mended=False)
    async for image_id in images_without_file(storage):
        yield Finding("image_without_file", image_id, mended=False)
    async for batch in batches(storage.list(ROOT)):
        for key in await orphans_among([item.key for item in batch]):
            if not dry_run:
                await remove_orphan(key, deps.clock.now())
            yield Finding("file_without_asset", key, mended=not dry_run)
