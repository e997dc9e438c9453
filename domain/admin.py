"""What administrators may do: see everybody's tasks, run duties by hand, pause the queue, set limits."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tortoise.queryset import QuerySet

from domain import db
from domain.audit import record_action
from domain.errors import Conflict, InvalidInput, NotFound
from domain.ids import IdPrefix, is_id
from domain.kinds import Role
from domain.merging import M
from domain.models.accounts import User
from domain.models.operations import ArchivedTask, AuditEntry, CleanupRun, ScheduleRow
from domain.models.tasks import Task
from domain.pagination import OrderKey, Page, PageRequest, count_up, paginate
from domain.ports import Storage
from domain.queue_state import is_paused, set_paused
from domain.schedules import DutyInfo, run_duty, schedule_rows
from domain.tasks.admission import ActiveLimit, active_limit, role_limits, set_role_limit
from domain.tasks.cleanup import clean_up
from domain.tasks.deps import TaskDeps
from domain.tasks.parking import CheckReport
from domain.tasks.queries import TaskFilter, page_of_everybody
from domain.tasks.release import fail_dependants, release, withhold
from domain.tasks.repair import repair
from domain.text import checked_text

MAX_DETAILS: Final = 100
MAX_LIMIT: Final = 100_000
#: The largest whole number that every client can hold.
MAX_STORAGE_BYTES: Final = 2**53
#: What limits are called in the audit log, as in the API.
_IN_LOG: Final = {
    "max_active_tasks": "maxActiveTasks",
    "max_storage_bytes": "maxStorageBytes",
    "monthly_budget_micros": "monthlyBudgetMicros",
}
MAX_DAYS: Final = 3650
_PAUSED: Final = "The queue is paused: nothing is handed out until resumeQueue."
Count = Callable[[], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Report:
    """What an operation found and did."""

    operation: str
    found: int
    changed: int
    dry_run: bool = False
    #: One line each, at most MAX_DETAILS.
    details: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A duty and its last run, None before the first."""

    name: str
    description: str
    last: ScheduleRow | None
    running: bool


@dataclass(frozen=True, slots=True)
class RoleLimits:
    """What holds for those of a role who have no limit of their own."""

    role: Role
    limit: ActiveLimit


class Admin:
    """The administrators' functions, bound to one process's engines. Callers have checked the role."""

    def __init__(
        self,
        deps: TaskDeps,
        storage: Storage,
        duties: Sequence[DutyInfo],
        check_all: Callable[[], Awaitable[CheckReport]],
    ) -> None:
        self._deps = deps
        self._storage = storage
        self._duties = duties
        self._check_all = check_all

    async def process_pending(self, admin: User) -> Report:
        """Hand over every ready waiting task that the queue has room for; a queue that is paused takes none."""
        changed = await fail_dependants(self._deps) + await release(self._deps)
        paused = await is_paused()
        await self._record(admin, "processPending", changed=changed, paused=paused)
        return Report("processPending", changed, changed, details=[_PAUSED] if paused else [])

    async def check_statuses(self, admin: User) -> Report:
        """Ask the providers about every job that a task is parked for, due or not."""
        report = await self._check_all()
        await self._record(admin, "checkStatuses", asked=report.asked, changed=report.moved)
        return Report("checkStatuses", report.asked, report.moved)

    async def repair_tasks(self, admin: User, *, dry_run: bool) -> Report:
        """Find and mend what contradicts itself; see `domain.tasks.repair`."""
        findings = await repair(self._deps, self._storage, dry_run=dry_run)
        changed = sum(finding.mended for finding in findings)
        await self._record(admin, "repairTasks", dryRun=dry_run, found=len(findings), changed=changed)
        details = [f"{finding.kind}: {finding.subject}" for finding in findings[:MAX_DETAILS]]
        return Report("repairTasks", len(findings), changed, dry_run, details)

    async def cleanup_tasks(self, admin: User, older_than_days: int, *, dry_run: bool) -> Report:
        """Archive old tasks now; raises `InvalidInput`."""
        if not 0 <= older_than_days <= MAX_DAYS:
            raise InvalidInput(f"olderThanDays must be 0 to {MAX_DAYS}.", path=("olderThanDays",))
        run = await clean_up(self._deps, older_than_days, dry_run=dry_run, user_id=admin.id)
        await self._record(
            admin, "cleanupTasks", target=run.id, olderThanDays=older_than_days, dryRun=dry_run, tasks=run.tasks
        )
        details = [f"{run.tasks} tasks, {run.assets} files, {run.size_bytes} bytes"]
        return Report("cleanupTasks", run.tasks, 0 if dry_run else run.tasks, dry_run, details)

    async def run_schedule(self, admin: User, name: str) -> Report:
        """Run a periodic duty now, beside its schedule.

        Raises `NotFound`, `Conflict` when it runs already, and what the duty raises.
        """
        duty = next((duty for duty in self._duties if duty.name == name), None)
        if duty is None:
            raise NotFound("There is no such schedule.", path=("name",))
        try:
            outcome = await run_duty(duty, self._deps.clock)
        except asyncio.CancelledError:
            await self._record(admin, "runSchedule", target=name, error="Interrupted")
            raise
        if outcome is None:
            raise Conflict("This schedule is running just now. Try again when it has ended.", path=("name",))
        failure = outcome.failure
        error = None if failure is None else type(failure).__name__
        await self._record(admin, "runSchedule", target=name, done=outcome.done, error=error)
        if failure is not None:
            raise failure
        return Report("runSchedule", outcome.done or 0, outcome.done or 0, details=[duty.description])

    async def pause(self, admin: User, *, paused: bool) -> None:
        """Stop handing out waiting tasks, or go on; what runs goes on in any case."""
        async with db.transaction():
            await set_paused(self._now(), paused=paused)
            if paused:
                await withhold()
            await self._record(admin, "pauseQueue" if paused else "resumeQueue")
        self._deps.wake()

    async def set_role_limits(self, admin: User, role: Role, max_active_tasks: int | None) -> RoleLimits:
        """Give everybody of a role a limit, or with None the server's again; raises `InvalidInput`."""
        _check_limit(max_active_tasks)
        async with db.transaction():
            await set_role_limit(role, max_active_tasks)
            await self._record(admin, "setRoleLimits", target=role, maxActiveTasks=max_active_tasks)
        return RoleLimits(role, active_limit(None, max_active_tasks, self._deps.settings))

    async def role_limits(self) -> list[RoleLimits]:
        """Return what holds for those of each role who have no limit of their own."""
        present = await role_limits()
        return [RoleLimits(role, active_limit(None, present.get(role), self._deps.settings)) for role in Role]

    async def set_user_limits(self, admin: User, user_id: str, limits: Mapping[str, int | None]) -> User:
        """Give a user limits of their own, or with None those of their role or the server.

        `limits` holds the fields of `User` to change. Raises `InvalidInput`, `NotFound`.
        """
        _check_limit(limits.get("max_active_tasks"))
        _check_storage(limits.get("max_storage_bytes"))
        async with db.transaction():
            user = await User.filter(id=user_id).first() if is_id(user_id, IdPrefix.USER) else None
            if user is None:
                raise NotFound("There is no such user.", path=("userId",))
            if limits:
                await User.filter(id=user.id).update(**limits)
            user.update_from_dict(dict(limits))
            await self._record(
                admin, "setUserLimits", target=user.id, **{_IN_LOG[name]: value for name, value in limits.items()}
            )
        return user

    async def users(self, request: PageRequest, search: str | None) -> tuple[Page[User], Count]:
        """Return a page of users, newest first, whose address or name holds the text."""
        query = User.all()
        if search:
            text = checked_text(search, maximum=200, path=("search",))
            query = User.filter(email__icontains=text)
        return await paginate(query, _newest("created_at"), request), _counted(query)

    async def tasks(self, request: PageRequest, wanted: TaskFilter, user_id: str | None) -> tuple[Page[Task], Count]:
        """Return a page of everybody's tasks, newest first."""
        return await page_of_everybody(user_id, request, wanted)

    async def archived_tasks(self, request: PageRequest) -> tuple[Page[ArchivedTask], Count]:
        """Return a page of the archive, latest first."""
        return await paginate(ArchivedTask.all(), _newest("archived_at"), request), _counted(ArchivedTask.all())

    async def cleanup_runs(self, request: PageRequest) -> tuple[Page[CleanupRun], Count]:
        """Return a page of clean-ups, latest first."""
        return await paginate(CleanupRun.all(), _newest("started_at"), request), _counted(CleanupRun.all())

    async def cleanup_runs_by_id(self, ids: Collection[str]) -> dict[str, CleanupRun]:
        """Return those of the clean-ups that there are."""
        return {run.id: run for run in await CleanupRun.filter(id__in=list(ids))}

    async def audit_log(self, request: PageRequest) -> tuple[Page[AuditEntry], Count]:
        """Return a page of what administrators did, latest first."""
        return await paginate(AuditEntry.all(), _newest("at"), request), _counted(AuditEntry.all())

    async def schedules(self) -> list[Schedule]:
        """Return every duty with its last run."""
        rows, now = await schedule_rows(), self._now()
        return [_schedule(duty, rows.get(duty.name), now) for duty in self._duties]

    def _now(self) -> datetime:
        return self._deps.clock.now()

    async def _record(self, admin: User, action: str, *, target: str | None = None, **details: object) -> None:
        await record_action(admin.id, action, self._now(), target=target, **details)


def _check_limit(max_active_tasks: int | None) -> None:
    if max_active_tasks is not None and not 0 <= max_active_tasks <= MAX_LIMIT:
        raise InvalidInput(f"maxActiveTasks must be 0 to {MAX_LIMIT}.", path=("maxActiveTasks",))


def _check_storage(max_storage_bytes: int | None) -> None:
    if max_storage_bytes is not None and not 0 <= max_storage_bytes <= MAX_STORAGE_BYTES:
        raise InvalidInput(f"maxStorageBytes must be 0 to {MAX_STORAGE_BYTES}.", path=("maxStorageBytes",))


def _schedule(duty: DutyInfo, row: ScheduleRow | None, now: datetime) -> Schedule:
    running = row is not None and row.lease_until is not None and row.lease_until >= now
    return Schedule(duty.name, duty.description, row, running)


def _counted(query: QuerySet[M]) -> Count:
    async def count() -> int:
        return await count_up(query)

    return count


def _newest(name: str) -> tuple[OrderKey, OrderKey]:
    return OrderKey(name, descending=True), OrderKey("id", descending=True)
