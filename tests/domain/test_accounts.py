"""Signing up, logging in and out, refreshing, changing passwords."""

from collections.abc import Iterator

import pytest

from domain.accounts import Accounts, SignedIn, Viewer
from domain.passwords import PasswordHasher
from domain.settings import Settings
from domain.tokens import TokenIssuer
from tests.conftest import MovableClock
from tests.helpers.sql import recorded_sql

MINUTE, DAY = 60, 86_400


@pytest.fixture
def hasher(settings: Settings) -> Iterator[PasswordHasher]:
    hasher = PasswordHasher(settings.bcrypt_cost)
    yield hasher
    hasher.close()


@pytest.fixture
def revoked() -> list[str]:
    return []


@pytest.fixture
def accounts(
    database: str, settings: Settings, clock: MovableClock, hasher: PasswordHasher, revoked: list[str]
) -> Accounts:
    tokens = TokenIssuer(b"k" * 32, clock, access_seconds=15 * MINUTE, refresh_seconds=30 * DAY)
    return Accounts(settings, clock, tokens, hasher, revoked.append)


async def viewer_of(accounts: Accounts, signed_in: SignedIn) -> Viewer:
    viewer = await accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    return viewer


async def test_signing_up_opens_a_session(accounts: Accounts) -> None:
    signed_in = await accounts.signup(" Ann@Example.COM", "correct horse", "Ann 🎮")
    with recorded_sql() as statements:
        viewer = await viewer_of(accounts, signed_in)
    assert len(statements) == 2
    assert (viewer.user.email, viewer.user.display_name) == ("ann@example.com", "Ann 🎮")
    again = await accounts.refresh(signed_in.refresh_token)
    assert (await viewer_of(accounts, again)).session_id == viewer.session_id
    changed = await accounts.change_password(viewer, "correct horse", "battery staple")
    assert await accounts.authenticate(again.access_token) is None
    await accounts.logout(await viewer_of(accounts, changed))
    await accounts.login("ann@example.com", "battery staple")
