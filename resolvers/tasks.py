"""Tasks."""

from typing import Annotated

import strawberry

from domain.errors import DomainError
from domain.tasks.references import Submission
from resolvers.errors import answers
from resolvers.guards import user_of, viewer_of
from schema.context import Info
from schema.declare import argument, given, mutation, resolved
from schema.enums import TaskOrder
from schema.errors import UserError
from schema.inputs.tasks import GenerateInput, TaskFilterInput, wanted_of
from schema.node import own_id
from schema.pagination import After, Before, Connection, First, Last, connection_of, page_request
from schema.payloads import BatchPayload, CancelTasksPayload, GeneratePayload, TaskPayload
from schema.types.task import Task

_Id = Annotated[strawberry.ID, argument("Which one.")]


@strawberry.type
class TaskQueries:
    """Your tasks."""

    @resolved
    async def tasks(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        filter: Annotated[TaskFilterInput | None, argument("Which ones.")] = strawberry.UNSET,
        order_by: Annotated[TaskOrder | None, argument("In which order; newest first unless told.")] = strawberry.UNSET,
    ) -> Connection[Task]:
        """Your tasks, of all projects."""
        user = user_of(info)
        page, count = await info.context.services.tasks.page(
            user.id,
            page_request(first, after, last, before),
            wanted_of(filter),
            given(order_by) or TaskOrder.CREATED_DESC,
        )
        return connection_of(page, Task.from_row, count)

    @resolved
    async def task(self, info: Info, id: _Id) -> Task | None:
        """One of your tasks; null when there is none with this id."""
        viewer_of(info)
        return await info.context.loaders.task.load(own_id(id))


@strawberry.type
class TaskMutations:
    """Asking for assets."""

    @mutation
    @answers(GeneratePayload)
    async def generate(self, info: Info, input: Annotated[GenerateInput, argument("What to make.")]) -> GeneratePayload:
        """Ask for an asset. The answer comes at once, with a task that lives on whatever happens to the server."""
        user, services = user_of(info), info.context.services
        services.rate_limits.generate(user.id)
        submission = await services.tasks.submit(user, input.request())
        return GeneratePayload(task=Task.from_row(submission.task), deduplicated=submission.deduplicated)

    @mutation
    @answers(BatchPayload)
    async def generate_batch(
        self,
        info: Info,
        inputs: Annotated[list[GenerateInput], argument("What to make, in this order; 1 to 100.")],
        all_or_nothing: Annotated[  # noqa: FBT002 (the API's default)
            bool | None, argument("Whether one refusal keeps all of them from being made; false unless told.")
        ] = False,
    ) -> BatchPayload:
        """Ask for many assets at once; `results` has one answer for each input, in the same order."""
        user, services = user_of(info), info.context.services
        services.rate_limits.generate(user.id, len(inputs))
        requests = [item.request() for item in inputs]
        answered = await services.tasks.submit_batch(user, requests, all_or_nothing=bool(all_or_nothing))
        return BatchPayload(results=[_answer(item) for item in answered])

    @mutation
    @answers(CancelTasksPayload)
    async def cancel_tasks(
        self, info: Info, filter: Annotated[TaskFilterInput | None, argument("Which ones.")] = strawberry.UNSET
    ) -> CancelTasksPayload:
        """End all of your queued and running tasks that fit the filter; without one, all of them."""
        user = user_of(info)
        return CancelTasksPayload(cancelled=await info.context.services.tasks.cancel_many(user.id, wanted_of(filter)))

    @mutation
    @answers(TaskPayload)
    async def cancel_task(self, info: Info, id: _Id) -> TaskPayload:
        """End a queued or running task as CANCELLED, for good; the provider is told, too."""
        row = await info.context.services.tasks.cancel(user_of(info).id, own_id(id))
        return TaskPayload(task=Task.from_row(row))

    @mutation
    @answers(TaskPayload)
    async def retry_task(self, info: Info, id: _Id) -> TaskPayload:
        """Begin a FAILED, CANCELLED or TIMEOUT task again, as a new attempt with the same input."""
        row = await info.context.services.tasks.retry(user_of(info), own_id(id))
        return TaskPayload(task=Task.from_row(row))

    @mutation
    @answers(TaskPayload)
    async def set_task_priority(
        self,
        info: Info,
        id: _Id,
        priority: Annotated[int, argument("0 to 9, higher first.")],
    ) -> TaskPayload:
        """Move a task up or down, while it is queued."""
        row = await info.context.services.tasks.set_priority(user_of(info).id, own_id(id), priority)
        return TaskPayload(task=Task.from_row(row))


def _answer(answer: Submission | DomainError) -> GeneratePayload:
    if isinstance(answer, DomainError):
        return GeneratePayload(errors=[UserError.of(answer)])
    return GeneratePayload(task=Task.from_row(answer.task), deduplicated=answer.deduplicated)
