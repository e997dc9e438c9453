"""What is told live."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Final

import strawberry

from domain.errors import InvalidInput
from domain.events import TaskEvent
from domain.statistics import DEFAULT_WINDOW_SECONDS
from domain.tasks.cursor import read_cursor
from domain.tasks.feed import FeedEvent
from resolvers.estimates import follow_estimate
from resolvers.guards import user_of, viewer_of
from resolvers.loaders import new_loaders
from resolvers.statistics import Window, counted_user, figures_of
from schema.context import Info
from schema.declare import argument, given, output, subscription
from schema.node import own_id
from schema.types.estimate import TaskEstimate
from schema.types.progress import TaskProgress
from schema.types.queue import QueueStats

DEFAULT_INTERVAL_SECONDS: Final = 2.0
MIN_INTERVAL_SECONDS: Final = 0.2
MAX_INTERVAL_SECONDS: Final = 60.0


@output
class Subscription:
    """What is told live."""

    @subscription
    async def task_progress(
        self,
        info: Info,
        task_id: Annotated[strawberry.ID, argument("Which task.")],
        after: Annotated[int | None, argument("Only events with a greater sequence, from the first of them on.")] = (
            strawberry.UNSET
        ),
    ) -> AsyncGenerator[TaskProgress, None]:
        """The steps of a task: where it stands now, then each step as it happens, until it has ended.

        With `after`, every step with a greater sequence instead of where it stands now. Nothing is skipped and nothing
        comes twice, whatever happened to the connection in between.
        """
        user, tasks = user_of(info), info.context.services.tasks
        task = await tasks.get(user.id, own_id(task_id))
        return _progress(info, _steps(tasks.follow(user.id, task.id, given(after))))

    @subscription
    async def project_progress(
        self,
        info: Info,
        project_id: Annotated[strawberry.ID, argument("Which project.")],
        after: Annotated[
            str | None,
            argument("Go on after the step with this `cursor`; an empty one begins with the oldest step that is kept."),
        ] = strawberry.UNSET,
    ) -> AsyncGenerator[TaskProgress, None]:
        """The steps of all tasks of a project as they happen, new tasks included, until the project is deleted.

        With `after`, first every step that had not been told when that cursor was. Nothing is skipped and nothing comes
        twice, whatever happened to the connection or to the server in between.
        """
        user, services = user_of(info), info.context.services
        project = await services.projects.get(user.id, own_id(project_id))
        cursor = given(after)
        if cursor is not None:
            read_cursor(project.id, cursor)
        return _progress(info, _told(services.tasks.follow_project(user.id, project.id, cursor)))

    @subscription
    async def task_estimate(
        self,
        info: Info,
        task_id: Annotated[strawberry.ID, argument("Which task.")],
        interval_seconds: Annotated[float | None, argument("How often to look, 0.2 to 60.")] = (
            DEFAULT_INTERVAL_SECONDS
        ),
    ) -> AsyncGenerator[TaskEstimate, None]:
        """When a task is expected to start and end: now, then whenever that changes, until the task has ended."""
        user, tasks = user_of(info), info.context.services.tasks
        seconds = _interval(interval_seconds)
        task = await tasks.get(user.id, own_id(task_id))
        return follow_estimate(info, user.id, task.id, seconds)

    @subscription
    async def queue_stats(
        self,
        info: Info,
        interval_seconds: Annotated[float | None, argument("How often, 0.2 to 60.")] = DEFAULT_INTERVAL_SECONDS,
        window_seconds: Window = DEFAULT_WINDOW_SECONDS,
    ) -> AsyncGenerator[QueueStats, None]:
        """The figures of your own tasks, now and then; an administrator sees those of everybody's."""
        viewer = viewer_of(info)
        return _figures(info, counted_user(viewer), window_seconds, _interval(interval_seconds))


def _interval(seconds: float | None) -> float:
    """Return how long to wait between two looks; raises `InvalidInput`."""
    seconds = DEFAULT_INTERVAL_SECONDS if seconds is None else seconds
    if not MIN_INTERVAL_SECONDS <= seconds <= MAX_INTERVAL_SECONDS:
        raise InvalidInput(
            f"intervalSeconds must be {MIN_INTERVAL_SECONDS:g} to {MAX_INTERVAL_SECONDS:g}.",
            path=("intervalSeconds",),
        )
    return seconds


async def _progress(info: Info, steps: AsyncGenerator[TaskProgress, None]) -> AsyncGenerator[TaskProgress, None]:
    # Closed here and not by the garbage collector, so that the listener is gone when the subscription is.
    async with aclosing(steps):
        async for step in steps:
            info.context.loaders = new_loaders(info.context)
            yield step


async def _steps(events: AsyncGenerator[TaskEvent, None]) -> AsyncGenerator[TaskProgress, None]:
    async with aclosing(events):
        async for event in events:
            yield TaskProgress.of(event)


async def _told(events: AsyncGenerator[FeedEvent, None]) -> AsyncGenerator[TaskProgress, None]:
    async with aclosing(events):
        async for item in events:
            yield TaskProgress.of(item.event, item.cursor.encode())


async def _figures(
    info: Info, user_id: str | None, window_seconds: int | None, seconds: float
) -> AsyncGenerator[QueueStats, None]:
    while True:
        yield await figures_of(info, user_id, window_seconds)
        await asyncio.sleep(seconds)
