"""What the API may do with tasks, in one place."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence

from domain.errors import DomainError
from domain.events import TaskEvent
from domain.models.accounts import User
from domain.models.tasks import Task
from domain.pagination import Page, PageRequest
from domain.tasks import admission, control, deletion, follow, forecast, positions, queries, submission
from domain.tasks.admission import ActiveLimit
from domain.tasks.deps import TaskDeps
from domain.tasks.feed import FeedEvent
from domain.tasks.forecast import Estimate, Subject
from domain.tasks.queries import TaskFilter, TaskOrder
from domain.tasks.references import Submission
from domain.tasks.requests import GenerateRequest


class Tasks:
    """The functions of this package, bound to one process's engines; each says there what it raises."""

    def __init__(self, deps: TaskDeps) -> None:
        self._deps = deps

    async def submit(self, user: User, request: GenerateRequest) -> Submission:
        """See `domain.tasks.submission.submit`."""
        return await submission.submit(self._deps, user, request)

    async def submit_batch(
        self, user: User, requests: Sequence[GenerateRequest], *, all_or_nothing: bool
    ) -> list[Submission | DomainError]:
        """See `domain.tasks.submission.submit_batch`."""
        return await submission.submit_batch(self._deps, user, requests, all_or_nothing=all_or_nothing)

    async def cancel_many(self, user_id: str, wanted: TaskFilter) -> int:
        """See `domain.tasks.control.cancel_many`."""
        return await control.cancel_many(self._deps, user_id, wanted)

    async def cancel(self, user_id: str, task_id: str) -> Task:
        """See `domain.tasks.control.cancel`."""
        return await control.cancel(self._deps, user_id, task_id)

    async def retry(self, user: User, task_id: str) -> Task:
        """See `domain.tasks.control.retry`."""
        return await control.retry(self._deps, user, task_id)

    async def set_priority(self, user_id: str, task_id: str, priority: int) -> Task:
        """See `domain.tasks.control.set_priority`."""
        return await control.set_priority(self._deps, user_id, task_id, priority)

    async def delete_project(self, user_id: str, project_id: str) -> None:
        """See `domain.tasks.deletion.delete_project`."""
        await deletion.delete_project(self._deps, user_id, project_id)

    async def get(self, user_id: str, task_id: str) -> Task:
        """See `domain.tasks.control.owned`."""
        return await control.owned(user_id, task_id)

    async def page(
        self, user_id: str, request: PageRequest, wanted: TaskFilter, order: TaskOrder
    ) -> tuple[Page[Task], Callable[[], Awaitable[int]]]:
        """See `domain.tasks.queries.page`."""
        return await queries.page(user_id, request, wanted, order)

    async def queue_positions(self, task_ids: Sequence[str]) -> dict[str, int]:
        """See `domain.tasks.positions`."""
        return await positions.queue_positions(task_ids, self._deps.clock.now())

    async def estimates(self, subjects: Sequence[Subject], positions: Mapping[str, int | None]) -> dict[str, Estimate]:
        """See `domain.tasks.forecast.estimates`."""
        return await forecast.estimates(self._deps, subjects, positions)

    def active_limit(self, own: int | None, of_role: int | None) -> ActiveLimit:
        """See `domain.tasks.admission.active_limit`."""
        return admission.active_limit(own, of_role, self._deps.settings)

    def follow(self, user_id: str, task_id: str, after: int | None) -> AsyncGenerator[TaskEvent, None]:
        """See `domain.tasks.follow.follow_task`."""
        return follow.follow_task(self._deps, user_id, task_id, after)

    def follow_project(self, user_id: str, project_id: str, after: str | None) -> AsyncGenerator[FeedEvent, None]:
        """See `domain.tasks.follow.follow_project`."""
        return follow.follow_project(self._deps, user_id, project_id, after)
