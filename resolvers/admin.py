"""What administrators may see and do; FORBIDDEN to others."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Final

import strawberry

from domain.errors import InvalidInput
from domain.spending.money import to_micros
from resolvers.errors import answers
from resolvers.guards import admin_of
from resolvers.usage import UsageFrom, UsageTo, usage_of
from schema.context import Info
from schema.declare import argument, given, mutation, output, resolved
from schema.enums import Role
from schema.inputs.tasks import TaskFilterInput, wanted_of
from schema.node import own_id
from schema.pagination import After, Connection, First, connection_of, page_request
from schema.payloads import DeletePayload
from schema.types.operations import (
    ArchivedTask,
    AuditEntry,
    CleanupRun,
    OperationReport,
    RoleLimits,
    RoleLimitsPayload,
    Schedule,
    UserPayload,
)
from schema.types.queue import QueueStats
from schema.types.task import Task
from schema.types.usage import Usage
from schema.types.user import User

_DAYS: Final = 7
_DryRun = Annotated[bool | None, argument("Whether only to look; false unless told.")]


@output
class AdminQuery:
    """What administrators see."""

    @resolved
    async def tasks(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        filter: Annotated[TaskFilterInput | None, argument("Which ones.")] = strawberry.UNSET,
        user_id: Annotated[strawberry.ID | None, argument("Only of this user.")] = strawberry.UNSET,
    ) -> Connection[Task]:
        """Everybody's tasks, newest first."""
        owner = given(user_id)
        page, count = await info.context.services.admin.tasks(
            page_request(first, after, None, None), wanted_of(filter), None if owner is None else own_id(owner)
        )
        return connection_of(page, Task.from_row, count)

    @resolved
    async def usage(
        self,
        info: Info,
        start: UsageFrom = strawberry.UNSET,
        end: UsageTo = strawberry.UNSET,
        user_id: Annotated[strawberry.ID | None, argument("Only of this user; else everybody's.")] = strawberry.UNSET,
    ) -> Usage:
        """What was asked of providers, and what it costs by the operator's prices."""
        owner = given(user_id)
        return usage_of(info, None if owner is None else own_id(owner), start, end)

    @resolved
    async def users(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        search: Annotated[str | None, argument("Only with this in the address.")] = strawberry.UNSET,
    ) -> Connection[User]:
        """Everybody with an account, newest first."""
        page, count = await info.context.services.admin.users(page_request(first, after, None, None), given(search))
        return connection_of(page, User.from_row, count)

    @resolved
    async def archived_tasks(
        self, info: Info, first: First = strawberry.UNSET, after: After = strawberry.UNSET
    ) -> Connection[ArchivedTask]:
        """What is kept of tasks that were cleaned up, latest first."""
        page, count = await info.context.services.admin.archived_tasks(page_request(first, after, None, None))
        return connection_of(page, ArchivedTask.from_row, count)

    @resolved
    async def cleanup_runs(
        self, info: Info, first: First = strawberry.UNSET, after: After = strawberry.UNSET
    ) -> Connection[CleanupRun]:
        """What each clean-up deleted and archived, latest first."""
        page, count = await info.context.services.admin.cleanup_runs(page_request(first, after, None, None))
        return connection_of(page, CleanupRun.from_row, count)

    @resolved
    async def audit_log(
        self, info: Info, first: First = strawberry.UNSET, after: After = strawberry.UNSET
    ) -> Connection[AuditEntry]:
        """What administrators did, latest first."""
        page, count = await info.context.services.admin.audit_log(page_request(first, after, None, None))
        return connection_of(page, AuditEntry.from_row, count)

    @resolved
    async def schedules(self, info: Info) -> list[Schedule]:
        """The periodic jobs, with their last runs."""
        return [Schedule.of(item) for item in await info.context.services.admin.schedules()]

    @resolved
    async def role_limits(self, info: Info) -> list[RoleLimits]:
        """What holds for those of each role who have no limit of their own."""
        return [RoleLimits.of(item) for item in await info.context.services.admin.role_limits()]


def _no_report(operation: str) -> Callable[[], OperationReport]:
    """Return what makes the report of an operation that was refused."""
    return lambda: OperationReport(operation=operation, found=0, changed=0, dry_run=False, details=[])


@output
class AdminMutation:
    """What administrators do; each is kept in the audit log."""

    @mutation
    async def process_pending(self, info: Info) -> OperationReport:
        """Hand over every ready pending task now; `details` says so when the queue is paused."""
        return OperationReport.of(await info.context.services.admin.process_pending(admin_of(info)))

    @mutation
    async def check_statuses(self, info: Info) -> OperationReport:
        """Ask providers about every external job now."""
        return OperationReport.of(await info.context.services.admin.check_statuses(admin_of(info)))

    @mutation
    @answers(_no_report("runSchedule"))
    async def run_schedule(
        self, info: Info, name: Annotated[str, argument("Which one, as `schedules` names it.")]
    ) -> OperationReport:
        """Run a periodic job now, beside its schedule; CONFLICT when it is running already."""
        return OperationReport.of(await info.context.services.admin.run_schedule(admin_of(info), name))

    @mutation
    async def repair_tasks(self, info: Info, dry_run: _DryRun = False) -> OperationReport:  # noqa: FBT002 (the API's default)
        """Find stuck or contradictory rows, rows without files and files without rows, and set them right."""
        report = await info.context.services.admin.repair_tasks(admin_of(info), dry_run=bool(dry_run))
        return OperationReport.of(report)

    @mutation
    @answers(_no_report("cleanupTasks"))
    async def cleanup_tasks(
        self,
        info: Info,
        older_than_days: Annotated[int | None, argument("Age since their end from which tasks go.")] = _DAYS,
        dry_run: _DryRun = False,  # noqa: FBT002 (the API's default)
    ) -> OperationReport:
        """Archive tasks that ended long ago, and delete their files."""
        days = _DAYS if older_than_days is None else older_than_days
        report = await info.context.services.admin.cleanup_tasks(admin_of(info), days, dry_run=bool(dry_run))
        return OperationReport.of(report)

    @mutation
    async def pause_queue(self, info: Info) -> QueueStats:
        """Start no further task until the queue is resumed; running ones go on."""
        return await _switch(info, paused=True)

    @mutation
    async def resume_queue(self, info: Info) -> QueueStats:
        """Go on starting tasks."""
        return await _switch(info, paused=False)

    @mutation
    @answers(UserPayload)
    async def set_user_disabled(
        self,
        info: Info,
        user_id: Annotated[strawberry.ID, argument("Who.")],
        disabled: Annotated[bool, argument("Whether to shut them out, or to let them in again.")],
    ) -> UserPayload:
        """Shut a user out: sessions, API keys and sockets end at once, for good. What they have stays."""
        control = info.context.services.account_control
        return UserPayload(
            user=User.from_row(await control.set_disabled(admin_of(info), own_id(user_id), disabled=disabled))
        )

    @mutation
    @answers(DeletePayload)
    async def delete_user(self, info: Info, user_id: Annotated[strawberry.ID, argument("Who.")]) -> DeletePayload:
        """Delete a user's account at once and for good, as `deleteAccount` does for its owner."""
        await info.context.services.account_control.delete(admin_of(info), own_id(user_id))
        return DeletePayload(deleted_id=user_id)

    @mutation
    @answers(UserPayload)
    async def set_user_limits(
        self,
        info: Info,
        user_id: Annotated[strawberry.ID, argument("Whose limits.")],
        max_active_tasks: Annotated[
            int | None, argument("Active tasks that the user may have; null: as many as their role.")
        ] = strawberry.UNSET,
        max_storage_bytes: Annotated[
            float | None, argument("Bytes that the user's files may take; null: as many as the server says.")
        ] = strawberry.UNSET,
        monthly_budget: Annotated[
            Decimal | None,
            argument("What the user's tasks may cost in a month; null: as much as the server says, 0: nothing."),
        ] = strawberry.UNSET,
    ) -> UserPayload:
        """Give a user limits of their own. What is left out stays as it is."""
        services = info.context.services
        limits: dict[str, int | None] = {}
        if max_active_tasks is not strawberry.UNSET:
            limits["max_active_tasks"] = max_active_tasks
        if max_storage_bytes is not strawberry.UNSET:
            limits["max_storage_bytes"] = _whole(max_storage_bytes)
        if monthly_budget is not strawberry.UNSET:
            limits["monthly_budget_micros"] = None if monthly_budget is None else _micros(monthly_budget)
        row = await services.admin.set_user_limits(admin_of(info), own_id(user_id), limits)
        return UserPayload(user=User.from_row(row))

    @mutation
    @answers(RoleLimitsPayload)
    async def set_role_limits(
        self,
        info: Info,
        role: Annotated[Role, argument("Which role.")],
        max_active_tasks: Annotated[
            int | None, argument("Active tasks that each user of the role may have; null: as many as the server says.")
        ] = strawberry.UNSET,
    ) -> RoleLimitsPayload:
        """Give everybody of a role limits, except those who have limits of their own."""
        admin = info.context.services.admin
        return RoleLimitsPayload(
            limits=RoleLimits.of(await admin.set_role_limits(admin_of(info), role, given(max_active_tasks)))
        )


def _whole(size_bytes: float | None) -> int | None:
    """Read a number of bytes, for which GraphQL's own Int is too small."""
    if size_bytes is not None and not size_bytes.is_integer():
        raise InvalidInput("maxStorageBytes must be a whole number.", path=("maxStorageBytes",))
    return None if size_bytes is None else int(size_bytes)


def _micros(amount: Decimal) -> int:
    try:
        return to_micros(amount)
    except ValueError as error:
        raise InvalidInput(f"monthlyBudget {error}.", path=("monthlyBudget",)) from None


async def _switch(info: Info, *, paused: bool) -> QueueStats:
    services = info.context.services
    await services.admin.pause(admin_of(info), paused=paused)
    return QueueStats.of(await services.statistics.queue_stats(None))


@strawberry.type
class AdminQueries:
    """The administrators' part."""

    @resolved
    async def admin(self, info: Info) -> AdminQuery:
        """What administrators see; FORBIDDEN to others."""
        admin_of(info)
        return AdminQuery()


@strawberry.type
class AdminMutations:
    """The administrators' part."""

    @mutation
    async def admin(self, info: Info) -> AdminMutation:
        """What administrators do; FORBIDDEN to others."""
        admin_of(info)
        return AdminMutation()
