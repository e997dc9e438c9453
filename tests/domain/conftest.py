"""Accounts for tests."""

from collections.abc import Callable, Iterator

import pytest

from domain.accounts import Accounts
from domain.passwords import PasswordHasher
from domain.settings import Settings
from domain.tokens import TokenIssuer
from tests.conftest import MovableClock


@pytest.fixture
def hasher(settings: Settings) -> Iterator[PasswordHasher]:
    hasher = PasswordHasher(settings.bcrypt_cost)
    yield hasher
    hasher.close()


@pytest.fixture
def tokens(clock: MovableClock) -> TokenIssuer:
    return TokenIssuer(b"k" * 32, clock, access_seconds=15 * 60, refresh_seconds=30 * 86_400)


@pytest.fixture
def revoked() -> list[str]:
    """Ids of the sessions of which was told that they have ended."""
    return []


@pytest.fixture
def accounts_with(
    database: str,
    settings: Settings,
    clock: MovableClock,
    tokens: TokenIssuer,
    hasher: PasswordHasher,
    revoked: list[str],
) -> Callable[..., Accounts]:
    """Make accounts under some other settings, or with another hasher."""

    def make(hasher: PasswordHasher = hasher, **changes: object) -> Accounts:
        return Accounts(settings.model_copy(update=changes), clock, tokens, hasher, revoked.append)

    return make


@pytest.fixture
def accounts(accounts_with: Callable[..., Accounts]) -> Accounts:
    return accounts_with()
