"""Clean-up: tasks that ended long ago move to the archive; their files and rows go, in small batches."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tortoise.functions import Count, Sum

from domain import db
from domain.ids import IdPrefix, new_id
from domain.lifecycle import ACTIVE, TERMINAL, TaskStatus
from domain.models.operations import ArchivedTask, CleanupRun
from domain.models.tasks import Asset, IdempotencyKey, QualityCheckRow, Task, TaskDependency, TaskEventRow
from domain.outbox import record_deletion
from domain.quotas import give_back
from domain.settings import Settings
from domain.storage.keys import task_prefix
from domain.tasks.abandonment import delete_jobs
from domain.tasks.deps import TaskDeps
from domain.tasks.leftovers import final_after_seconds

_BATCH: Final = 100
#: Bound of one run; what is left comes with the next.
_MAX_BATCHES: Final = 1000


@dataclass(slots=True)
class _Totals:
    """What a run has found so far."""

    tasks: int = 0
    assets: int = 0
    size_bytes: int = 0


async def clean_up(
    deps: TaskDeps, older_than_days: int, *, dry_run: bool = False, user_id: str | None = None
) -> CleanupRun:
    """Archive what ended more than so many days ago; returns the run's row, which the API shows.

    Each batch is a transaction of its own, so that the table is never locked for long and a process that dies leaves
    whole tasks. A dry run counts the same tasks and changes nothing. Tasks that others wait for stay until those ended.
    """
    now = deps.clock.now()
    run = await CleanupRun.create(
        id=new_id(IdPrefix.CLEANUP_RUN),
        started_at=now,
        older_than_days=older_than_days,
        dry_run=dry_run,
        user_id=user_id,
    )
    before = now - timedelta(days=older_than_days)
    try:
        totals = await _go_through(deps, before, dry_run=dry_run)
    except db.DATABASE_ERRORS as error:
        await CleanupRun.filter(id=run.id).update(finished_at=deps.clock.now(), error=type(error).__name__)
        raise
    run.tasks, run.assets, run.size_bytes = totals.tasks, totals.assets, totals.size_bytes
    run.finished_at = deps.clock.now()
    await run.save()
    return run


async def _go_through(deps: TaskDeps, before: datetime, *, dry_run: bool) -> _Totals:
    totals, last = _Totals(), ""
    for _ in range(_MAX_BATCHES):
        async with db.transaction():
            found = await _due(before, last, deps.settings)
            if not found:
                break
            last = found[-1].id
            tasks = await _not_needed(found)
            sizes = await _sizes([task.id for task in tasks])
            if not dry_run:
                await _archive(deps, tasks, sizes)
        _add(totals, tasks, sizes)
    return totals


async def _due(before: datetime, after_id: str, settings: Settings) -> list[Task]:
    """Return the next tasks that are old enough, by id; with kept assets only those that made none."""
    statuses = TERMINAL - ({TaskStatus.COMPLETED} if settings.cleanup_keeps_assets else set())
    query = Task.filter(
        status__in=list(statuses), finished_at__lt=before, user_id__isnull=False, id__gt=after_id
    ).order_by("id")
    return await (query.select_for_update(skip_locked=True) if db.is_postgres() else query).limit(_BATCH)


async def _not_needed(tasks: list[Task]) -> list[Task]:
    """Return those of the tasks for which no active one waits, and from whose files none works."""
    ids = [task.id for task in tasks]
    waiting = await TaskDependency.filter(depends_on_id__in=ids).values_list("task_id", "depends_on_id")
    active = set(
        await Task.filter(id__in=[one for one, _ in waiting], status__not_in=list(TERMINAL)).values_list(
            "id", flat=True
        )
    )
    needed = {other for one, other in waiting if one in active} | await _sources_of_active(ids)
    return [task for task in tasks if task.id not in needed]


async def _sources_of_active(task_ids: list[str]) -> set[str]:
    """Return those of the tasks of which a file is the source of an active one."""
    owners = dict(await Asset.filter(task_id__in=task_ids).values_list("id", "task_id"))
    if not owners:
        return set()
    active = Task.filter(status__in=list(ACTIVE), source_image_id__isnull=False)
    sources = await active.filter(source_image_id__in=list(owners)).values_list("source_image_id", flat=True)
    return {str(owners[source]) for source in sources}


async def _sizes(task_ids: list[str]) -> dict[str, tuple[int, int]]:
    """Return how many files each task has, and their bytes."""
    rows = (
        await Asset.filter(task_id__in=task_ids)
        .group_by("task_id")
        .annotate(files=Count("id"), size=Sum("size_bytes"))
        .values("task_id", "files", "size")
    )
    return {row["task_id"]: (row["files"], int(row["size"] or 0)) for row in rows}


def _add(totals: _Totals, tasks: list[Task], sizes: dict[str, tuple[int, int]]) -> None:
    totals.tasks += len(tasks)
    totals.assets += sum(files for files, _ in sizes.values())
    totals.size_bytes += sum(size for _, size in sizes.values())


async def _archive(deps: TaskDeps, tasks: list[Task], sizes: dict[str, tuple[int, int]]) -> None:
    now, ids = deps.clock.now(), [task.id for task in tasks]
    await ArchivedTask.bulk_create(_summary(task, *sizes.get(task.id, (0, 0)), now) for task in tasks)
    for task in tasks:
        if task.id in sizes:
            prefix = task_prefix(str(task.user_id), task.project_id, task.id)
            await record_deletion(prefix, now, final_after_seconds(deps.settings))
    await _give_back(tasks, sizes)
    for model in (TaskEventRow, QualityCheckRow, Asset, TaskDependency, IdempotencyKey):
        await model.filter(task_id__in=ids).delete()
    await delete_jobs(ids)
    await Task.filter(id__in=ids).delete()


async def _give_back(tasks: list[Task], sizes: dict[str, tuple[int, int]]) -> None:
    freed: dict[str, Counter[str]] = {}
    for task in tasks:
        freed.setdefault(str(task.user_id), Counter())[task.project_id] += sizes.get(task.id, (0, 0))[1]
    for user_id in sorted(freed):
        await give_back(user_id, freed[user_id])


def _summary(task: Task, files: int, size_bytes: int, now: datetime) -> ArchivedTask:
    return ArchivedTask(
        id=task.id,
        user_id=task.user_id,
        project_id=task.project_id,
        kind=task.kind,
        asset_type=task.asset_type,
        prompt=task.prompt,
        status=task.status,
        attempt=task.attempt,
        degraded=task.degraded,
        provider=task.provider,
        error_code=task.error_code,
        assets=files,
        size_bytes=size_bytes,
        created_at=task.created_at,
        started_at=task.started_at,
        finished_at=task.finished_at,
        archived_at=now,
    )
