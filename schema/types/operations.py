"""What administrators see."""

from datetime import datetime

import strawberry

from domain import admin
from domain.models import operations
from schema.declare import described, output
from schema.enums import AssetType, LimitSource, Role, TaskKind, TaskStatus
from schema.errors import UserError
from schema.node import Node
from schema.scalars import JSON
from schema.types.user import User


@output
class OperationReport:
    """What an operation found and did."""

    operation: str = described("Its name.")
    found: int = described("How many things needed doing.")
    changed: int = described("How many were done; 0 of a dry run.")
    dry_run: bool = described("Whether it only looked.")
    details: list[str] = described("One line for each thing found, at most 100.")
    errors: list[UserError] = strawberry.field(description="Empty on success.", default_factory=list)

    @classmethod
    def of(cls, report: admin.Report) -> "OperationReport":
        """Return a report as the API shows it."""
        return cls(
            operation=report.operation,
            found=report.found,
            changed=report.changed,
            dry_run=report.dry_run,
            details=report.details,
        )


@output
class Schedule:
    """A periodic job."""

    name: str = described("Its name.")
    description: str = described("What it does.")
    last_started_at: datetime | None = described("When it ran last; null before the first time.")
    last_finished_at: datetime | None = described("When that run ended; null while it runs, or when its process died.")
    next_run_at: datetime | None = described(
        "When it runs next by the clock; null only until the server has planned its first run."
    )
    done: int | None = described("How much the last run found to do; null while it runs or when it failed.")
    error: str | None = described("What went wrong in the last run.")
    running: bool = described("Whether it runs now, in whichever process.")

    @classmethod
    def of(cls, schedule: admin.Schedule) -> "Schedule":
        """Return a duty as the API shows it."""
        last = schedule.last
        return cls(
            name=schedule.name,
            description=schedule.description,
            last_started_at=last.started_at if last else None,
            last_finished_at=last.finished_at if last else None,
            next_run_at=last.next_at if last else None,
            done=last.done if last else None,
            error=last.error if last else None,
            running=schedule.running,
        )


@output
class ArchivedTask:
    """What is kept of a task that was cleaned up."""

    task_id: strawberry.ID = described("The id that the task had.")
    user_id: strawberry.ID = described("Whose it was.")
    project_id: strawberry.ID = described("In which project.")
    kind: TaskKind = described("What went in and came out.")
    asset_type: AssetType = described("What was asked for.")
    prompt: str = described("The words.")
    status: TaskStatus = described("How it ended.")
    attempt: int = described("How often its work had begun.")
    degraded: bool = described("Whether it was delivered although the quality check never passed.")
    provider: str | None = described("Who did the work.")
    error_code: str | None = described("Why it failed.")
    assets: int = described("How many files it had.")
    size_bytes: float = described("How many bytes these were.")
    created_at: datetime = described("When it was asked for.")
    started_at: datetime | None = described("When work began.")
    finished_at: datetime = described("When it ended.")
    archived_at: datetime = described("When it was cleaned up.")

    @classmethod
    def from_row(cls, row: operations.ArchivedTask) -> "ArchivedTask":
        """Return a row of the archive as the API shows it."""
        return cls(
            task_id=strawberry.ID(row.id),
            user_id=strawberry.ID(row.user_id),
            project_id=strawberry.ID(row.project_id),
            kind=row.kind,
            asset_type=row.asset_type,
            prompt=row.prompt,
            status=row.status,
            attempt=row.attempt,
            degraded=row.degraded,
            provider=row.provider,
            error_code=row.error_code,
            assets=row.assets,
            size_bytes=row.size_bytes,
            created_at=row.created_at,
            started_at=row.started_at,
            finished_at=row.finished_at,
            archived_at=row.archived_at,
        )


@output
class CleanupRun(Node):
    """One clean-up. The audit log names it by its id."""

    started_at: datetime = described("When it began.")
    finished_at: datetime | None = described("When it ended; null while it runs, or when its process died.")
    duration_seconds: float | None = described("How long it took.")
    older_than_days: int = described("From which age on tasks went.")
    dry_run: bool = described("Whether it only counted.")
    scheduled: bool = described("Whether it ran by its schedule, not by hand.")
    tasks: int = described("How many tasks it archived, or would have.")
    assets: int = described("How many files it deleted, or would have.")
    size_bytes: float = described("How many bytes these were.")
    error: str | None = described("What went wrong.")

    @classmethod
    def from_row(cls, row: operations.CleanupRun) -> "CleanupRun":
        """Return a run as the API shows it."""
        seconds = (row.finished_at - row.started_at).total_seconds() if row.finished_at else None
        return cls(
            id=strawberry.ID(row.id),
            started_at=row.started_at,
            finished_at=row.finished_at,
            duration_seconds=seconds,
            older_than_days=row.older_than_days,
            dry_run=row.dry_run,
            scheduled=row.user_id is None,
            tasks=row.tasks,
            assets=row.assets,
            size_bytes=row.size_bytes,
            error=row.error,
        )


@output
class AuditEntry:
    """One thing that an administrator did."""

    user_id: strawberry.ID = described("Which administrator.")
    action: str = described("What was done: the name of the operation.")
    target: str | None = described("On what, such as a user's id.")
    details: JSON = described("With which arguments and results.")
    at: datetime = described("When.")

    @classmethod
    def from_row(cls, row: operations.AuditEntry) -> "AuditEntry":
        """Return an entry as the API shows it."""
        return cls(
            user_id=strawberry.ID(row.user_id),
            action=row.action,
            target=row.target,
            details=JSON(row.details),
            at=row.at,
        )


@output
class UserPayload:
    """A user as they are now."""

    user: User | None = described("The user.", default=None)
    errors: list[UserError] = strawberry.field(description="Empty on success.", default_factory=list)


@output
class RoleLimits:
    """What holds for those of a role who have no limit of their own."""

    role: Role = described("Which role.")
    max_active_tasks: int = described("How many tasks of one user may be pending or running.")
    source: LimitSource = described("ROLE when it was set for the role, else SERVER.")

    @classmethod
    def of(cls, limits: admin.RoleLimits) -> "RoleLimits":
        """Return a role's limits as the API shows them."""
        return cls(role=limits.role, max_active_tasks=limits.limit.max_active_tasks, source=limits.limit.source)


@output
class RoleLimitsPayload:
    """The limits of a role as they are now."""

    limits: RoleLimits | None = described("The limits.", default=None)
    errors: list[UserError] = strawberry.field(description="Empty on success.", default_factory=list)
