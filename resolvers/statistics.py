"""The queue's figures, and who works for it."""

import strawberry

from domain.accounts import Viewer
from resolvers.guards import viewer_of
from schema.context import Info
from schema.declare import resolved
from schema.types.queue import Provider, QueueStats


@strawberry.type
class StatisticsQueries:
    """How the server is doing."""

    @resolved
    async def queue_stats(self, info: Info) -> QueueStats:
        """The figures of your own tasks; an administrator sees those of everybody's."""
        figures = await info.context.services.statistics.queue_stats(counted_user(viewer_of(info)))
        return QueueStats.of(figures)

    @resolved
    async def providers(self, info: Info) -> list[Provider]:
        """What this server can generate with, in its order of preference."""
        viewer_of(info)
        return [Provider.of(item) for item in info.context.services.catalog.describe()]


def counted_user(viewer: Viewer) -> str | None:
    """Return whose tasks count in figures for who asks; None means everybody's."""
    return None if viewer.is_admin else viewer.user.id
