"""The queue's figures, and who works for it."""

from typing import Annotated

import strawberry

from domain.accounts import Viewer
from domain.statistics import DEFAULT_WINDOW_SECONDS
from resolvers.guards import viewer_of
from schema.context import Info
from schema.declare import argument, resolved
from schema.types.queue import Provider, QueueStats

Window = Annotated[int | None, argument("Length of the window that the rates are of: 60 to 604,800, a week.")]


@strawberry.type
class StatisticsQueries:
    """How the server is doing."""

    @resolved
    async def queue_stats(self, info: Info, window_seconds: Window = DEFAULT_WINDOW_SECONDS) -> QueueStats:
        """The figures of your own tasks; an administrator sees those of everybody's."""
        return await figures_of(info, counted_user(viewer_of(info)), window_seconds)

    @resolved
    async def providers(self, info: Info) -> list[Provider]:
        """What this server can generate with, in its order of preference."""
        viewer_of(info)
        return [Provider.of(item) for item in info.context.services.catalog.describe()]


def counted_user(viewer: Viewer) -> str | None:
    """Return whose tasks count in figures for who asks; None means everybody's."""
    return None if viewer.is_admin else viewer.user.id


async def figures_of(info: Info, user_id: str | None, window_seconds: int | None) -> QueueStats:
    """Return the figures of a user's tasks, or with None of everybody's; raises `InvalidInput`."""
    seconds = DEFAULT_WINDOW_SECONDS if window_seconds is None else window_seconds
    return QueueStats.of(await info.context.services.statistics.queue_stats(user_id, seconds))
