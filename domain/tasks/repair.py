"""Finding rows that contradict themselves or the storage, and setting right what can be."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from domain import db
from domain.figures.counters import mend_counts, wrong_counts
from domain.lifecycle import ACTIVE, TERMINAL, TaskStatus
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, Task
from domain.outbox import record_deletion
from domain.ports import Storage
from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import abandoned, lost_entries, reclaim_expired, release_lost_again

_BATCH: Final = 500
_COMPLETE: Final = 100.0
_TASK_PART: Final = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    kind: str
    #: The id of the row, or the key of the object, that is meant.
    subject: str
    mended: bool


async def repair(deps: TaskDeps, storage: Storage, *, dry_run: bool) -> list[Finding]:
    """Find, and unless it is a dry run mend, what contradicts itself.

    - `running_without_worker`: RUNNING with a lease that ran out, or in nobody's hands: PENDING again, or parked.
    - `released_without_entry`: released, but unknown to the queue: waits as a row again.
    - `wrong_progress`: COMPLETED below 100 percent: set.
    - `wrong_finish`: active with a time of finishing, or ended without one: set.
    - `wrong_count`: a counter of the queue's figures that is not what the rows say: set.
    - `asset_without_file`: reported only; nothing can bring the file back.
    - `file_without_asset`: not named by a row, and no active task's: recorded for removal.
    """
    findings = await _stuck(deps, dry_run=dry_run)
    findings += await _contradictions(deps, dry_run=dry_run)
    findings += await _counts(dry_run=dry_run)
    findings += [finding async for finding in _files(deps, storage, dry_run=dry_run)]
    if findings and not dry_run:
        deps.wake()
    return findings


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


async def _contradictions(deps: TaskDeps, *, dry_run: bool) -> list[Finding]:
    found = []
    now, ended = deps.clock.now(), list(TERMINAL)
    for kind, query, change in (
        (
            "wrong_progress",
            Task.filter(status=TaskStatus.COMPLETED, progress__lt=_COMPLETE),
            {"progress": _COMPLETE},
        ),
        ("wrong_finish", Task.filter(status__in=list(ACTIVE), finished_at__isnull=False), {"finished_at": None}),
        ("wrong_finish", Task.filter(status__in=ended, finished_at__isnull=True), {"finished_at": now}),
        (
            "wrong_claim",
            Task.filter(status__in=ended, active_fingerprint__isnull=False),
            {"active_fingerprint": None},
        ),
    ):
        ids = [str(task_id) for task_id in await query.limit(_BATCH).values_list("id", flat=True)]
        if ids and not dry_run:
            # The condition again: a task may have moved on since it was found.
            await query.filter(id__in=ids).update(**change)
        found += [Finding(kind, task_id, not dry_run) for task_id in ids]
    return found


async def _counts(*, dry_run: bool) -> list[Finding]:
    wrong = await (wrong_counts() if dry_run else mend_counts())
    return [
        Finding("wrong_count", f"{one.status} of {one.user_id or 'everybody'}", mended=not dry_run) for one in wrong
    ]


async def _files(deps: TaskDeps, storage: Storage, *, dry_run: bool) -> AsyncIterator[Finding]:
    """Compare rows and objects; objects are gone through in batches, rows by key."""
    keys = [stored.key async for stored in storage.list("users/")]
    present = set(keys)
    last = ""
    while assets := await Asset.filter(id__gt=last, user_id__isnull=False).order_by("id").limit(_BATCH):
        last = assets[-1].id
        for asset in assets:
            if asset.storage_key not in present:
                yield Finding("asset_without_file", asset.id, mended=False)
    removals = [str(target) for target in await StorageDeletion.all().values_list("target", flat=True)]
    outputs = [key for key in keys if "/output/" in key and not any(key.startswith(target) for target in removals)]
    for start in range(0, len(outputs), _BATCH):
        async for finding in _unnamed(deps, outputs[start : start + _BATCH], dry_run=dry_run):
            yield finding


async def _unnamed(deps: TaskDeps, keys: list[str], *, dry_run: bool) -> AsyncIterator[Finding]:
    owners = {key: key.split("/")[_TASK_PART] for key in keys}
    # First who is at work, then who is named: a task that completes in between is named by then.
    at_work = await Task.filter(id__in=list(set(owners.values())), status__in=list(ACTIVE)).only("id", "status")
    busy = {task.id for task in at_work}
    named = {asset.storage_key for asset in await Asset.filter(storage_key__in=keys).only("id", "storage_key")}
    strays = [key for key in keys if key not in named]
    for key in strays:
        if owners[key] in busy:
            continue
        if not dry_run:
            async with db.transaction():
                await record_deletion(key, deps.clock.now(), 0)
        yield Finding("file_without_asset", key, mended=not dry_run)
