"""`generate`: from a request to a durable PENDING task, or to the one that is there already."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.errors import Conflict, DomainError, InvalidInput, NotFound
from domain.events import TaskEvent
from domain.ids import IdPrefix, is_id, new_id
from domain.lifecycle import ACTIVE, TaskStatus
from domain.models.accounts import User
from domain.models.projects import Project
from domain.models.tasks import IdempotencyKey, Task, TaskDependency
from domain.params import MAX_SEED, params_to_json
from domain.settings import Settings
from domain.spending.ledger import check_budget
from domain.styles import style_from_json
from domain.tasks.admission import admit
from domain.tasks.deps import TaskDeps
from domain.tasks.gates import shut_gate
from domain.tasks.references import Submission, check_references, resolve_indexes
from domain.tasks.requests import CheckedRequest, GenerateRequest, check_request
from domain.tasks.transition import write_event

#: Requests of one batch, at most.
MAX_BATCH: Final = 100


async def submit(deps: TaskDeps, user: User, request: GenerateRequest) -> Submission:
    """Accept a request: a new PENDING task, or the active one of an identical request, or the one of the same key.

    Raises `InvalidInput`, `NotFound`, `Conflict`, `TaskLimitReached`, `QueueFull`, `ProviderUnavailable`; then nothing
    is left behind.
    """
    checked = _checked(deps, request)
    async with db.transaction():
        await db.lock_admission()
        submission, event = await _accept(deps, user, checked)
    await _announce(deps, [event])
    return submission


async def submit_batch(
    deps: TaskDeps, user: User, requests: Sequence[GenerateRequest], *, all_or_nothing: bool
) -> list[Submission | DomainError]:
    """Accept many requests, in order; returns for each its task, or why there is none.

    A request may name an earlier one by its place. One that names a refused one is refused with `Conflict`.
    With `all_or_nothing` one refusal undoes all: the refused ones say why, the others `Conflict`. Raises `InvalidInput`
    for an empty batch or one of more than MAX_BATCH.
    """
    if not 1 <= len(requests) <= MAX_BATCH:
        raise InvalidInput(f"A batch holds 1 to {MAX_BATCH} requests.", path=("inputs",))
    answers: list[Submission | DomainError] = []
    events: list[TaskEvent | None] = []
    try:
        async with db.transaction():
            await db.lock_admission()
            for request in requests:
                try:
                    checked = _checked(deps, resolve_indexes(request, answers))
                    in_batch = sum(event is not None for event in events) if all_or_nothing else 0
                    submission, event = await _accept(deps, user, checked, in_batch=in_batch)
                except DomainError as error:
                    answers.append(error)
                else:
                    answers.append(submission)
                    events.append(event)
            if all_or_nothing and any(isinstance(answer, DomainError) for answer in answers):
                raise _Undone  # noqa: TRY301 (leaving the transaction so is what undoes it)
    except _Undone:
        undone = Conflict("Not accepted, because another request of the batch was refused.")
        return [answer if isinstance(answer, DomainError) else undone for answer in answers]
    await _announce(deps, events)
    return answers


class _Undone(Exception):
    """A batch that is to leave nothing behind."""


def _checked(deps: TaskDeps, request: GenerateRequest) -> CheckedRequest:
    checked = check_request(request)
    deps.catalog.choose(checked.kind, checked.asset_type, checked.provider)
    return checked


async def _accept(
    deps: TaskDeps, user: User, checked: CheckedRequest, *, in_batch: int = 0
) -> tuple[Submission, TaskEvent | None]:
    """Inside a transaction that holds the admission lock; raises before it has written anything."""
    now = deps.clock.now()
    project = await _project(user.id, checked.project_id)
    task = await _by_key(user.id, checked, now, deps.settings) or await _by_fingerprint(user.id, checked, project)
    event, known = None, task is not None
    if task is None:
        await admit(user, deps.settings, in_batch=in_batch)
        await _check_budget(deps, user.id, checked)
        await check_references(user.id, checked)
        task = await _insert(user.id, checked, project, now)
        event = await write_event(task, "queued", now)
    if checked.idempotency_key is not None:
        await _remember_key(user.id, checked, task.id, now)
    return Submission(task, deduplicated=known), event


async def _check_budget(deps: TaskDeps, user_id: str, checked: CheckedRequest) -> None:
    """Refuse what would not fit into the budget now; whether it still does is decided before each call."""
    provider = deps.catalog.choose(checked.kind, checked.asset_type, checked.provider)
    cost = deps.catalog.price_micros(provider) * checked.params.count
    await check_budget(user_id, cost, deps.clock.now(), deps.settings)


async def _announce(deps: TaskDeps, events: Sequence[TaskEvent | None]) -> None:
    if any(events):
        await deps.tell(events)
        deps.wake()


async def _project(user_id: str, project_id: str) -> Project:
    """Read the project and keep it from being deleted until the task is in."""
    query = Project.filter(id=project_id, user_id=user_id)
    project = None
    if is_id(project_id, IdPrefix.PROJECT):
        project = await (query.select_for_update() if db.is_postgres() else query).first()
    if project is None:
        raise NotFound("There is no such project.", path=("input", "projectId"))
    return project


async def _by_key(user_id: str, checked: CheckedRequest, now: datetime, settings: Settings) -> Task | None:
    if checked.idempotency_key is None:
        return None
    row = await IdempotencyKey.filter(user_id=user_id, key=checked.idempotency_key).first()
    if row is None or row.created_at <= now - timedelta(hours=settings.idempotency_hours):
        return None
    task = await Task.filter(id=row.task_id, user_id=user_id).first()
    if task is None:  # it went with its project
        return None
    if row.request_hash != checked.body_hash():
        raise Conflict(
            "This idempotency key was used for another request. Use a new key for a new request.",
            path=("input", "idempotencyKey"),
        )
    return task


async def _by_fingerprint(user_id: str, checked: CheckedRequest, project: Project) -> Task | None:
    fingerprint = checked.fingerprint(style_from_json(project.style))
    # By status and not by `active_fingerprint`, which a retried task beside a twin does not have.
    # Put in order here, where they are few: for the order SQLite would go through all the tasks of the user.
    active = await Task.filter(user_id=user_id, status__in=list(ACTIVE), fingerprint=fingerprint)
    return min(active, key=lambda task: (task.created_at, task.id), default=None)


async def _insert(user_id: str, checked: CheckedRequest, project: Project, now: datetime) -> Task:
    seed = secrets.randbelow(MAX_SEED + 1) if checked.params.seed is None else checked.params.seed
    fingerprint = checked.fingerprint(style_from_json(project.style))
    task = await Task.create(
        id=new_id(IdPrefix.TASK),
        user_id=user_id,
        project_id=project.id,
        kind=checked.kind,
        asset_type=checked.asset_type,
        prompt=checked.prompt,
        params=params_to_json(replace(checked.params, seed=seed)),
        style=project.style,
        source_image_id=checked.source_image_id,
        source_task_id=checked.source_task_id,
        provider=checked.provider,
        requested_provider=checked.provider,
        status=TaskStatus.PENDING,
        priority=checked.priority,
        sequence=1,
        fingerprint=fingerprint,
        active_fingerprint=fingerprint,
        ready_at=now,
        created_at=now,
    )
    if checked.depends_on:
        await _depend(task, checked.depends_on)
    return task


async def _depend(task: Task, depends_on: Sequence[str]) -> None:
    await TaskDependency.bulk_create(TaskDependency(task_id=task.id, depends_on_id=other) for other in depends_on)
    task.gate = await shut_gate(task.id)
    await Task.filter(id=task.id).update(gate=task.gate)


async def _remember_key(user_id: str, checked: CheckedRequest, task_id: str, now: datetime) -> None:
    """Bind the key to the task; an outlived binding is replaced, a good one keeps its age."""
    row = await IdempotencyKey.filter(user_id=user_id, key=checked.idempotency_key).first()
    if row is not None and row.task_id == task_id:
        return
    if row is not None:
        await row.delete()
    await IdempotencyKey.create(
        user_id=user_id,
        key=checked.idempotency_key,
        request_hash=checked.body_hash(),
        task_id=task_id,
        created_at=now,
    )
