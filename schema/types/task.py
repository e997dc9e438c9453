"""Tasks."""

from base64 import b64encode
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import strawberry

from domain.lifecycle import TaskStatus as Status
from domain.models import tasks
from domain.tasks.forecast import Subject
from domain.tasks.queries import MAX_EVENTS
from schema.context import Info
from schema.declare import argument, described, given, output, resolved
from schema.enums import AssetType, TaskKind, TaskStage, TaskStatus
from schema.loaders import EventSpan, existing
from schema.node import Node
from schema.types.project import Project
from schema.types.task_parts import QualityCheck, TaskError, TaskParams

if TYPE_CHECKING:
    from schema.types.asset import Asset
    from schema.types.progress import TaskProgress

_DEFAULT_EVENTS = 100
_PREVIEW_MEDIA_TYPE = "image/webp"


@output
class Task(Node):
    """One request for an asset, and what became of it."""

    kind: TaskKind = described("What goes in and what comes out.")
    asset_type: AssetType = described("What was asked for.")
    prompt: str = described("The user's words.")
    status: TaskStatus = described("Where it stands.")
    stage: TaskStage | None = described("What is being done; null before the first stage.")
    progress: float = described("0 to 100; never falls within one attempt.")
    priority: int = described("0 to 9, higher first.")
    attempt: int = described("1, and one more each time the whole task was begun again.")
    quality_retries: int = described("How often this attempt was tried again because a quality check failed: 0 to 3.")
    degraded: bool = described("True: delivered although the quality check never passed.")
    provider: str | None = described("Who is asked for the picture, or made it; null until that is decided.")
    external_id: str | None = described("The provider's own job id, for asynchronous providers.")
    check_count: int = described("How often the provider was asked about its present job.")
    max_checks: int | None = described("How often it may be asked; null where no job of a provider was waited for.")
    last_check_at: datetime | None = described("When the provider was asked last.")
    next_check_at: datetime | None = described(
        "When it is asked again: the task waits for it then and holds no worker; null otherwise."
    )
    error: TaskError | None = described("Why it ended without a result.")
    created_at: datetime = described("When it was asked for.")
    started_at: datetime | None = described("When work on it began.")
    attempt_started_at: datetime | None = described(
        "When work on this attempt began; null while it waits. What lies between attempts was waiting."
    )
    finished_at: datetime | None = described("When it ended.")
    project_id: strawberry.Private[str]
    source_task_id: strawberry.Private[str | None]
    raw_params: strawberry.Private[dict[str, Any]]
    #: Of the last event when the row was read.
    last_sequence: strawberry.Private[int]

    @resolved
    async def project(self, info: Info) -> Project:
        """The project it belongs to."""
        return existing(await info.context.loaders.project.load(self.project_id))

    @resolved
    def params(self) -> TaskParams:
        """How it is made: as resolved, with defaults filled in and the seed fixed."""
        return TaskParams.from_json(self.raw_params)

    @resolved
    async def queue_position(self, info: Info) -> int | None:
        """Its place in the queue: 1 is next; null unless it is PENDING and ready."""
        if self.status is not Status.PENDING:
            return None
        return await info.context.loaders.queue_position.load(self.id)

    @resolved
    async def estimated_start_at(self, info: Info) -> datetime | None:
        """When it is expected to start, or, while it runs, when this attempt started.

        Estimated when it is read, from how long such tasks took lately. Null when the queue is paused, when nothing is
        known, while it waits for other tasks or for its retry, and once it has ended.
        """
        return (await info.context.loaders.estimate.load(self._subject())).start_at

    @resolved
    async def estimated_finish_at(self, info: Info) -> datetime | None:
        """When it is expected to end; from its own start when it runs, so that waiting never counts as work.

        Null where `estimatedStartAt` is, and when it has already taken longer than such tasks take.
        """
        return (await info.context.loaders.estimate.load(self._subject())).finish_at

    def _subject(self) -> Subject:
        return Subject(self.id, self.status, self.kind, self.asset_type, self.provider, self.attempt_started_at)

    @resolved
    async def preview(self, info: Info) -> str | None:
        """A picture of what there is so far, as a `data:` address of some kilobytes: at most 256 pixels a side.

        Null unless a provider is at work on it that shows its work; ComfyUI does. Each event of progress may bring a
        new one. It is gone when the provider is done.
        """
        if self.status is not Status.RUNNING or self.external_id is None:
            return None
        data = await info.context.loaders.preview.load(self.id)
        return None if data is None else f"data:{_PREVIEW_MEDIA_TYPE};base64,{b64encode(data).decode()}"

    @resolved
    async def depends_on(self, info: Info) -> list[Annotated["Task", strawberry.lazy("schema.types.task")]]:
        """The tasks that must complete before it starts."""
        return await info.context.loaders.dependencies_of_task.load(self.id)

    @resolved
    async def source_task(self, info: Info) -> Annotated["Task", strawberry.lazy("schema.types.task")] | None:
        """The task whose main picture it starts from; null when there is none, or it is no longer there."""
        return None if self.source_task_id is None else await info.context.loaders.task.load(self.source_task_id)

    @resolved
    async def quality_checks(self, info: Info) -> list[QualityCheck]:
        """Every round's verdicts, oldest first: why it was tried again, or delivered degraded."""
        return await info.context.loaders.checks_of_task.load(self.id)

    @resolved
    async def assets(self, info: Info) -> list[Annotated["Asset", strawberry.lazy("schema.types.asset")]]:
        """The finished files, the main one first."""
        return await info.context.loaders.assets_of_task.load(self.id)

    @resolved
    async def events(
        self,
        info: Info,
        after: Annotated[int | None, argument("Only events with a greater sequence.")] = strawberry.UNSET,
        first: Annotated[int | None, argument("How many: at most 500; 100 unless told.")] = strawberry.UNSET,
    ) -> list[Annotated["TaskProgress", strawberry.lazy("schema.types.progress")]]:
        """What happened, oldest first."""
        wanted = given(first)
        count = _DEFAULT_EVENTS if wanted is None else min(max(wanted, 0), MAX_EVENTS)
        found = await info.context.loaders.events_of_task.load(EventSpan(self.id, max(given(after) or 0, 0), count))
        # Read after the row: what has happened since then would contradict the status and progress of this answer.
        return [event for event in found if event.sequence <= self.last_sequence]

    @classmethod
    def from_row(cls, row: tasks.Task) -> "Task":
        """Return a task as the API shows it."""
        return cls(
            id=strawberry.ID(row.id),
            kind=row.kind,
            asset_type=row.asset_type,
            prompt=row.prompt,
            status=row.status,
            stage=row.stage,
            progress=row.progress,
            priority=row.priority,
            attempt=row.attempt,
            quality_retries=row.quality_retries,
            degraded=row.degraded,
            provider=row.provider,
            external_id=row.external_id,
            check_count=row.check_count,
            max_checks=row.max_checks,
            last_check_at=row.last_check_at,
            next_check_at=row.next_check_at,
            error=TaskError.from_row(row),
            created_at=row.created_at,
            started_at=row.started_at,
            attempt_started_at=row.attempt_started_at,
            finished_at=row.finished_at,
            project_id=row.project_id,
            source_task_id=row.source_task_id,
            raw_params=row.params,
            last_sequence=row.sequence,
        )
