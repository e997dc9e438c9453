"""The GraphQL endpoint over a room of tasks."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.account_control import AccountControl
from domain.api_keys import ApiKeys
from domain.passwords import PasswordHasher
from domain.sessions import Sessions
from domain.settings import Settings
from domain.tokens import TokenIssuer
from domain.uploads import InspectedImage
from schema.context import Services
from server.graphql.channels import OpenChannels
from tests.helpers.api import KEY, make_api
from tests.helpers.endpoint import Endpoint, FragileAccounts, serving
from tests.helpers.room import Room
from worker.imaging.inspect import inspect_image

#: Whole seconds, since a token's life is: long enough for a test, short enough to wait for its end.
ACCESS_SECONDS = 900


@pytest.fixture
def database_url(sqlite_template: bytes, tmp_path: Path) -> str:
    """One database is enough here: the transports know nothing of it."""
    path = tmp_path / "wonder.db"
    path.write_bytes(sqlite_template)
    return f"sqlite://{path}"


@pytest.fixture
def hasher(settings: Settings) -> Iterator[PasswordHasher]:
    hasher = PasswordHasher(settings.bcrypt_cost)
    yield hasher
    hasher.close()


async def _inspect(data: bytes) -> InspectedImage:
    return inspect_image(data)


@pytest.fixture
def channels() -> OpenChannels:
    return OpenChannels()


@pytest.fixture
def services(room: Room, hasher: PasswordHasher, channels: OpenChannels, tmp_path: Path) -> Services:
    services = make_api(room, hasher, _inspect, tmp_path / "files").services
    tokens = TokenIssuer(KEY, services.clock, access_seconds=ACCESS_SECONDS, refresh_seconds=86_400)
    return replace(
        services,
        account_control=AccountControl(room.deps, hasher, channels.close_session),
        sessions=Sessions(services.clock, channels.close_session),
        api_keys=ApiKeys(services.clock, channels.close_session),
        accounts=FragileAccounts(services.settings, services.clock, tokens, hasher, on_revoked=channels.close_session),
    )


@pytest.fixture
def accounts(services: Services) -> FragileAccounts:
    assert isinstance(services.accounts, FragileAccounts)
    return services.accounts


@pytest.fixture
async def endpoint(room: Room, services: Services, channels: OpenChannels) -> AsyncIterator[Endpoint]:
    async with serving(room, services, channels) as served:
        yield served
