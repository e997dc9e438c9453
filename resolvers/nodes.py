"""Objects by their global id."""

import asyncio
from typing import Annotated, Any

import strawberry
from strawberry.dataloader import DataLoader

from domain.errors import InvalidInput
from domain.ids import IdPrefix, prefix_of
from domain.pagination import MAX_PAGE
from resolvers.guards import user_of
from schema.context import Info
from schema.declare import argument, resolved
from schema.node import Node
from schema.types.user import User


@strawberry.type
class NodeQueries:
    """Objects by their global id."""

    @resolved
    async def node(self, info: Info, id: Annotated[strawberry.ID, argument("Of any type.")]) -> Node | None:
        """The object with this id; null when there is none, or it is somebody else's."""
        return await _find(info, id)

    @resolved
    async def nodes(
        self, info: Info, ids: Annotated[list[strawberry.ID], argument("Of any types; at most 100.")]
    ) -> list[Node | None]:
        """The objects with these ids, in this order; null for each that there is not."""
        if len(ids) > MAX_PAGE:
            raise InvalidInput(f"At most {MAX_PAGE} ids can be asked for at once.", path=("ids",))
        return await asyncio.gather(*(_find(info, item) for item in ids))


async def _find(info: Info, node_id: str) -> Node | None:
    user, loaders = user_of(info), info.context.loaders
    prefix = prefix_of(node_id)
    if prefix is IdPrefix.USER:
        return User.from_row(user) if node_id == user.id else None
    by_prefix: dict[IdPrefix, DataLoader[str, Any]] = {
        IdPrefix.PROJECT: loaders.project,
        IdPrefix.TASK: loaders.task,
        IdPrefix.ASSET: loaders.asset,
        IdPrefix.IMAGE: loaders.image,
        IdPrefix.WEBHOOK: loaders.webhook,
        IdPrefix.DELIVERY: loaders.delivery,
        IdPrefix.API_KEY: loaders.api_key,
        IdPrefix.SESSION: loaders.session,
        IdPrefix.CLEANUP_RUN: loaders.cleanup_run,
    }
    if prefix is None or prefix not in by_prefix:
        return None
    found: Node | None = await by_prefix[prefix].load(node_id)
    return found
