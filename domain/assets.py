"""Finished files, as their owner lists them."""

from collections.abc import Sequence
from typing import Final

from domain.kinds import AssetType
from domain.lookups import owned_list
from domain.merging import Part
from domain.models.tasks import Asset
from domain.pagination import WHOLE, OrderKey, Page, PageRequest, count_each, paginate_each

_ORDER: Final = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))


async def pages_of_projects(
    user_id: str | None, project_ids: Sequence[str], request: PageRequest, asset_type: AssetType | None
) -> dict[str, Page[Asset]]:
    """Return the same page of the assets of each of several projects of a user, newest first."""
    query, parts = owned_list(Asset, user_id, _of_type(asset_type))
    return await paginate_each(query, "project_id", project_ids, _ORDER, request, parts)


async def counts_of_projects(
    user_id: str | None, project_ids: Sequence[str], asset_type: AssetType | None
) -> dict[str, int]:
    """Return how many assets each of several projects of a user has, counted no further than `MAX_COUNT`."""
    query, parts = owned_list(Asset, user_id, _of_type(asset_type))
    return await count_each(query, "project_id", project_ids, parts)


def _of_type(asset_type: AssetType | None) -> Sequence[Part]:
    return WHOLE if asset_type is None else [{"asset_type": asset_type}]
