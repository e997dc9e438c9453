"""Finding rows that contradict themselves or the storage, and setting right what can be."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from domain.figures.counters import mend_counts, wrong_counts
from domain.lifecycle import ACTIVE, TERMINAL, TaskStatus
from domain.models.projects import Project
from domain.models.tasks import Asset, Task
from domain.orphans import ROOT, batches, orphans_among, remove_orphan
from domain.ports import Storage
from domain.storage.keys import project_prefix
from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import abandoned, lost_entries, reclaim_expired, release_lost_again

_BATCH: Final = 500
_COMPLETE: Final = 100.0


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
    """Compare rows and objects, a project or a batch at a time."""
    last = ""
    while projects := await Project.filter(id__gt=last, user_id__isnull=False).order_by("id").limit(_BATCH):
        last = projects[-1].id
        for project in projects:
            async for asset_id in _without_file(storage, project):
                yield Finding("asset_without_file", asset_id, mended=False)
    async for batch in batches(storage.list(ROOT)):
        for key in await orphans_among([item.key for item in batch]):
            if not dry_run:
                await remove_orphan(key, deps.clock.now())
            yield Finding("file_without_asset", key, mended=not dry_run)


async def _without_file(storage: Storage, project: Project) -> AsyncIterator[str]:
    # First the rows, then the objects: a file is stored before its row.
    rows = Asset.filter(project_id=project.id, user_id__isnull=False).order_by("id")
    keys = {str(key): str(asset_id) for asset_id, key in await rows.values_list("id", "storage_key")}
    if keys:
        async for item in storage.list(project_prefix(str(project.user_id), project.id)):
            keys.pop(item.key, None)
        gone = sorted(keys.values())
        for start in range(0, len(gone), _BATCH):
            # Those that are there still: a task may have been cleaned up meanwhile.
            left = Asset.filter(id__in=gone[start : start + _BATCH], user_id__isnull=False)
            for asset_id in await left.order_by("id").values_list("id", flat=True):
                yield str(asset_id)
