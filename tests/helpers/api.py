"""The API as a client meets it, without a transport: the schema, the real domain, real rows and files."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from strawberry.types import ExecutionResult

from domain.account_control import AccountControl
from domain.accounts import Accounts, Viewer
from domain.admin import Admin
from domain.api_keys import ApiKeys
from domain.ids import IdPrefix, new_id
from domain.models.accounts import User
from domain.passwords import PasswordHasher
from domain.projects import Projects
from domain.rate_limits import RateLimits
from domain.sessions import Sessions
from domain.spending.reports import Spending
from domain.statistics import Statistics
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks.parking import CheckReport
from domain.tokens import TokenIssuer
from domain.uploads import Inspect, Uploads
from domain.webhooks.service import Webhooks
from resolvers.root import schema
from schema.context import Context, Services
from tests.helpers.room import Room
from worker.scheduler import Duty, every

KEY = b"k" * 32


@dataclass
class Api:
    """One process's API."""

    room: Room
    services: Services

    def context(self, user: User | None, viewer: Viewer | None = None) -> Context:
        if viewer is None and user is not None:
            later = self.room.deps.clock.now() + timedelta(minutes=15)
            viewer = Viewer(user, new_id(IdPrefix.SESSION), later)
        return Context(services=self.services, viewer=viewer, base_url="https://wonder.test")

    async def execute(self, document: str, context: Context, **variables: Any) -> ExecutionResult:
        return await schema.execute(document, variable_values=variables, context_value=context)

    async def ask(self, document: str, user: User | None = None, **variables: Any) -> Any:
        """Return the data of an operation that must not fail, asked by the room's user unless told."""
        result = await self.execute(document, self.context(user or self.room.user), **variables)
        assert result.errors is None, result.errors
        return result.data

    async def refused(self, document: str, user: User | None = None, **variables: Any) -> tuple[str, str]:
        """Return code and message of the only error of an operation."""
        result = await self.execute(document, self.context(user), **variables)
        assert result.errors is not None
        [error] = result.errors
        assert error.extensions is not None
        return str(error.extensions["code"]), error.message

    async def follow(
        self, document: str, user: User | None = None, context: Context | None = None, **variables: Any
    ) -> AsyncGenerator[Any, None]:
        """Return the results of a subscription."""
        context = context or self.context(user or self.room.user)
        return await schema.subscribe(document, variable_values=variables, context_value=context)


async def _nothing() -> int:
    return 0


async def no_checks() -> CheckReport:
    return CheckReport(0, 0)


def make_api(room: Room, hasher: PasswordHasher, inspect: Inspect, folder: Path) -> Api:
    settings, clock = room.deps.settings, room.deps.clock
    signer = UrlSigner(KEY, clock, 3600)
    storage = LocalStorage(folder, signer)
    tokens = TokenIssuer(KEY, clock, access_seconds=900, refresh_seconds=86_400)
    services = Services(
        settings=settings,
        clock=clock,
        accounts=Accounts(settings, clock, tokens, hasher),
        account_control=AccountControl(room.deps, hasher, lambda _id: None),
        sessions=Sessions(clock, lambda _id: None),
        api_keys=ApiKeys(clock, lambda _id: None),
        projects=Projects(clock),
        tasks=room.tasks,
        uploads=Uploads(storage, clock, inspect, room.deps.settings),
        webhooks=Webhooks(settings, clock, room.resolve, room.deps.wake_sender),
        statistics=Statistics(settings, clock),
        spending=Spending(settings, clock),
        storage=storage,
        signer=signer,
        catalog=room.deps.catalog,
        admin=Admin(room.deps, storage, [Duty("release", "Hands ready tasks over.", every(30), _nothing)], no_checks),
        rate_limits=RateLimits(settings, clock),
    )
    return Api(room, services)
