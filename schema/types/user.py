"""People."""

import asyncio
from datetime import datetime
from decimal import Decimal

import strawberry

from domain.models import accounts
from domain.quotas import storage_limit
from domain.spending.ledger import monthly_budget
from domain.spending.money import to_amount
from schema.context import Info
from schema.declare import described, output, resolved
from schema.enums import LimitSource, Role
from schema.loaders import UserPage
from schema.node import Node
from schema.pagination import After, Before, Connection, First, Last, page_request
from schema.types.api_key import ApiKey
from schema.types.session import Session


@output
class UserLimits:
    """What applies to a user now."""

    active_tasks: int = described("How many tasks are pending or running.")
    max_active_tasks: int = described("How many may be.")
    source: LimitSource = described(
        "Where that comes from: the user's own limit comes before the role's and the server's."
    )
    max_storage_bytes: float | None = described("How many bytes the user's files may take; null for no limit.")
    monthly_budget: Decimal | None = described(
        "What the user's tasks may cost in a month (UTC), in the operator's money; null for no limit."
    )
    user_id: strawberry.Private[str]

    @resolved
    async def storage_bytes(self, info: Info) -> float:
        """How many bytes the user's files take: assets and uploaded pictures."""
        return await info.context.loaders.storage_use.load(self.user_id)

    @resolved
    async def spent_this_month(self, info: Info) -> Decimal:
        """What the user's tasks have cost this month (UTC), by the operator's prices."""
        return to_amount(await info.context.loaders.spent_this_month.load(self.user_id))


@output
class User(Node):
    """A person with an account."""

    email: str = described("The address, normalised.")
    display_name: str = described("What to call them.")
    role: Role = described("What they may do.")
    created_at: datetime = described("When the account was opened.")
    disabled_at: datetime | None = described("When an administrator shut them out; null while they are not.")
    row: strawberry.Private[accounts.User]

    @resolved
    async def limits(self, info: Info) -> UserLimits:
        """What applies to this user now."""
        loaders = info.context.loaders
        active, of_role = await asyncio.gather(loaders.active_tasks.load(self.id), loaders.role_limit.load(self.role))
        services = info.context.services
        limit = services.tasks.active_limit(self.row.max_active_tasks, of_role)
        budget = monthly_budget(self.row.monthly_budget_micros, services.settings)
        return UserLimits(
            active_tasks=active,
            max_active_tasks=limit.max_active_tasks,
            source=limit.source,
            user_id=self.id,
            max_storage_bytes=storage_limit(self.row.max_storage_bytes, services.settings),
            monthly_budget=None if budget is None else to_amount(budget),
        )

    @resolved
    async def api_keys(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
    ) -> Connection[ApiKey]:
        """Your API keys, newest first, for a while those that are over too; FORBIDDEN to others and to API keys."""
        request = page_request(first, after, last, before)
        return await info.context.loaders.api_keys_of_user.load(UserPage(self.id, request))

    @resolved
    async def sessions(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
    ) -> Connection[Session]:
        """Where you are logged in, newest first; FORBIDDEN to others and to API keys."""
        request = page_request(first, after, last, before)
        return await info.context.loaders.sessions_of_user.load(UserPage(self.id, request))

    @classmethod
    def from_row(cls, row: accounts.User) -> "User":
        """Return a user as the API shows them."""
        return cls(
            id=strawberry.ID(row.id),
            email=row.email,
            display_name=row.display_name,
            role=row.role,
            created_at=row.created_at,
            disabled_at=row.disabled_at,
            row=row,
        )
