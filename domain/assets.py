"""Finished files, as their owner lists them."""

from collections.abc import Sequence
from typing import Final

from tortoise.expressions import Subquery
from tortoise.queryset import QuerySet

from domain.kinds import AssetType
from domain.lookups import owned
from domain.models.tasks import Asset, Task
from domain.pagination import OrderKey, Page, PageRequest, count_each, paginate_each

_ORDER: Final = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))


async def pages_of_projects(
    user_id: str | None, project_ids: Sequence[str], request: PageRequest, asset_type: AssetType | None
) -> dict[str, Page[Asset]]:
    """Return the same page of the assets of each of several projects of a user, newest first."""
    return await paginate_each(_filtered(user_id, project_ids, asset_type), "project_id", project_ids, _ORDER, request)


async def counts_of_projects(
    user_id: str | None, project_ids: Sequence[str], asset_type: AssetType | None
) -> dict[str, int]:
    """Return how many assets each of several projects of a user has."""
    return await count_each(_filtered(user_id, project_ids, asset_type), "project_id", project_ids)


def _filtered(user_id: str | None, project_ids: Sequence[str], asset_type: AssetType | None) -> QuerySet[Asset]:
    query = owned(Asset, user_id)
    if asset_type is None:
        return query
    tasks = owned(Task, user_id).filter(project_id__in=list(project_ids), asset_type=asset_type).values("id")
    return query.filter(task_id__in=Subquery(tasks))
