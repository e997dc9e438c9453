"""What was asked of providers, and what it costs."""

from datetime import datetime
from typing import Annotated

import strawberry

from resolvers.guards import viewer_of
from schema.context import Info
from schema.declare import given, resolved
from schema.types.usage import Usage

UsageFrom = Annotated[
    datetime | None,
    strawberry.argument(
        name="from", description="From this moment's day (UTC) on; unless told, from the first of the month of `to`."
    ),
]
UsageTo = Annotated[
    datetime | None,
    strawberry.argument(
        name="to", description="To this moment's day (UTC), that included; until now unless told. 366 days at most."
    ),
]


@strawberry.type
class UsageQueries:
    """Your use of providers."""

    @resolved
    async def usage(self, info: Info, start: UsageFrom = strawberry.UNSET, end: UsageTo = strawberry.UNSET) -> Usage:
        """What your tasks have asked of providers, and what it costs by the operator's prices."""
        return usage_of(info, viewer_of(info).user.id, start, end)


def usage_of(info: Info, user_id: str | None, start: datetime | None, end: datetime | None) -> Usage:
    """Return a user's use of providers, or with None everybody's; raises `InvalidInput`."""
    spending = info.context.services.spending
    return Usage.of(spending.span(user_id, given(start), given(end)), spending.currency)
