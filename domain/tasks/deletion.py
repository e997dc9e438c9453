"""Deleting a project, or all of a user: at once for its owner, then row by row and file by file until all is gone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tortoise.functions import Count

from domain import db
from domain.errors import NotFound
from domain.events import TaskEvent
from domain.figures.journal import take_back_counts
from domain.ids import IdPrefix, is_id
from domain.lifecycle import ACTIVE, TERMINAL, TaskStatus
from domain.models.operations import ArchivedTask
from domain.models.projects import Project, UploadedImage
from domain.models.tasks import Asset, IdempotencyKey, QualityCheckRow, Task, TaskDependency, TaskEventRow
from domain.models.webhooks import Webhook
from domain.outbox import record_deletion
from domain.quotas import forget, give_back_project, hold
from domain.spending.ledger import forget_spending
from domain.storage.keys import tasks_prefix, user_prefix
from domain.stored_uploads import forget_stored, let_go_of_project
from domain.tasks.abandonment import delete_jobs
from domain.tasks.control import cancel_row
from domain.tasks.deps import TaskDeps
from domain.tasks.leftovers import final_after_seconds
from domain.tasks.transition import locked
from domain.tasks.turns import forget_turns

_BATCH = 200
_REST = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class Abandoned:
    """What was made nobody's: the events of it, and which projects."""

    events: list[TaskEvent | None]
    project_ids: list[str]


async def delete_project(deps: TaskDeps, user_id: str, project_id: str) -> None:
    """Make the project and all that is in it nobody's and cancel its active tasks, in one transaction.

    From then on no query finds it. `purge_rows` and the outbox remove rows and files; both go on after a crash.
    Raises `NotFound`.
    """
    now = deps.clock.now()
    async with db.transaction():
        await db.lock_admission()  # no task becomes active again behind us
        # Takes the row before any task: `submit` holds it while it adds one, so none slips in behind.
        if not is_id(project_id, IdPrefix.PROJECT) or not await Project.filter(id=project_id, user_id=user_id).update(
            user_id=None, updated_at=now
        ):
            raise NotFound("There is no such project.", path=("id",))
        events = await _abandon(deps, "cancelled: its project was deleted", project_id=project_id)
        await hold(user_id)
        await give_back_project(user_id, project_id, await let_go_of_project(user_id, project_id, now))
        await _disown(project_id=project_id)
        await take_back_counts(user_id, await _ended_counts([project_id]))
        await record_deletion(tasks_prefix(user_id, project_id), now, final_after_seconds(deps.settings))
    await tell_abandoned(deps, Abandoned(events, [project_id]))


async def abandon_all(deps: TaskDeps, user_id: str) -> Abandoned:
    """Inside a transaction that holds the user's row: do the same with all projects of a user.

    Returns what `tell_abandoned` is to be given after the commit. The transaction must have begun with
    `db.lock_admission`.
    """
    now = deps.clock.now()
    project_ids = [str(key) for key in await Project.filter(user_id=user_id).values_list("id", flat=True)]
    await Project.filter(user_id=user_id).update(user_id=None, updated_at=now)
    events = await _abandon(deps, "cancelled: its owner's account was deleted", user_id=user_id)
    await _disown(user_id=user_id)
    await forget([user_id, *project_ids])
    await forget_stored(user_id)
    await forget_turns(user_id)
    await forget_spending(user_id)
    await take_back_counts(user_id, await _ended_counts(project_ids))
    await record_deletion(user_prefix(user_id), now, final_after_seconds(deps.settings))
    return Abandoned(events, project_ids)


async def tell_abandoned(deps: TaskDeps, abandoned: Abandoned) -> None:
    """Tell those who follow, and have the workers look, once it is committed."""
    await deps.tell(abandoned.events)
    for project_id in abandoned.project_ids:
        await deps.broadcaster.recheck(project_id)
    deps.wake()


async def _abandon(deps: TaskDeps, message: str, **where: str) -> list[TaskEvent | None]:
    """Cancel what fits and is active; returns the events."""
    events = []
    # Before the tasks are cancelled: nobody is to be told of that any more.
    await Webhook.filter(**where).update(user_id=None)
    for task_id in await Task.filter(**where, status__in=list(ACTIVE)).order_by("id").values_list("id", flat=True):
        task = await locked(str(task_id))
        if task is not None and task.status in ACTIVE:
            events.append(await cancel_row(deps, task, message))
    return events


async def _disown(**where: str) -> None:
    for model in (Task, Asset, UploadedImage):
        await model.filter(**where).update(user_id=None)


async def _ended_counts(project_ids: Sequence[str]) -> Counter[TaskStatus]:
    """Return how many tasks of the projects, whose rows this transaction has changed and so holds, ended how."""
    counts: Counter[TaskStatus] = Counter()
    for start in range(0, len(project_ids), _BATCH):
        some = list(project_ids[start : start + _BATCH])
        for model in (Task, ArchivedTask):
            query = model.filter(project_id__in=some, status__in=list(TERMINAL))
            for status, number in (
                await query.annotate(number=Count("id")).group_by("status").values_list("status", "number")
            ):
                counts[TaskStatus(status)] += int(number)
    return counts


async def purge_rows(now: datetime, limit: int = 50) -> int:
    """Remove rows of deleted projects, in at most `limit` small transactions; returns how many tasks went.

    A project rests for a moment first, so that those who follow one of its tasks can still be told how it ended.
    """
    gone = 0
    for _ in range(limit):
        project = await Project.filter(user_id__isnull=True, updated_at__lt=now - _REST).first()
        if project is None:
            break
        gone += await _purge_batch(project.id)
    return gone


async def _purge_batch(project_id: str) -> int:
    async with db.transaction():
        ids = [str(i) for i in await Task.filter(project_id=project_id).limit(_BATCH).values_list("id", flat=True)]
        if ids:
            for model in (TaskEventRow, QualityCheckRow, Asset, TaskDependency, IdempotencyKey):
                await model.filter(task_id__in=ids).delete()
            await delete_jobs(ids)
            completed = Task.filter(id__in=ids, status=TaskStatus.COMPLETED)
            await _settle_dependencies([str(i) for i in await completed.values_list("id", flat=True)])
            await Task.filter(id__in=ids).delete()
        elif archived := await ArchivedTask.filter(project_id=project_id).limit(_BATCH):
            await _settle_dependencies([row.id for row in archived if row.status is TaskStatus.COMPLETED])
            await ArchivedTask.filter(id__in=[row.id for row in archived]).delete()
        else:
            await UploadedImage.filter(project_id=project_id).delete()
            await Project.filter(id=project_id, user_id__isnull=True).delete()
        return len(ids)


async def _settle_dependencies(completed_ids: list[str]) -> None:
    """Let tasks of other projects no longer wait for tasks that completed, since nobody can tell so once these go."""
    await TaskDependency.filter(depends_on_id__in=completed_ids).delete()
