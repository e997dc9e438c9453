"""When API keys were last used."""

import asyncio
import contextlib
from collections.abc import Callable

import pytest

from domain.accounts import Accounts
from domain.api_keys import ApiKeys, NewApiKey
from domain.key_usage import KeyUsage
from domain.models.accounts import ApiKey
from tests.conftest import MovableClock
from tests.helpers.keys import make_key
from tests.helpers.sql import recorded_sql


@pytest.fixture
def usage(clock: MovableClock) -> KeyUsage:
    return KeyUsage(clock)


@pytest.fixture
def accounts(accounts_with: Callable[..., Accounts], usage: KeyUsage) -> Accounts:
    accounts = accounts_with()
    accounts._on_key_used = usage.note
    return accounts


@pytest.fixture
async def key(accounts: Accounts, clock: MovableClock) -> NewApiKey:
    signed_in = await accounts.signup("ann@example.com", "correct horse", None)
    viewer = await accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    return await make_key(ApiKeys(clock, lambda _id: None), viewer)


async def last_use(key: NewApiKey) -> object:
    return (await ApiKey.get(id=key.row.id)).last_used_at


async def test_a_use_is_written_beside_the_request_to_the_minute(
    accounts: Accounts, usage: KeyUsage, key: NewApiKey, clock: MovableClock
) -> None:
    used_at = clock.instant
    with recorded_sql() as statements:
        await accounts.authenticate(key.text)
    assert len(statements) == 2  # the key and its user are read
    await usage.write()
    assert await last_use(key) == used_at
    clock.advance(59)
    await accounts.authenticate(key.text)
    with recorded_sql() as statements:
        await usage.write()
    assert (statements, await last_use(key)) == ([], used_at)
    clock.advance(1)
    await accounts.authenticate(key.text)
    await usage.write()
    assert await last_use(key) == clock.instant


async def test_a_use_that_another_process_has_written_is_not_written_again(
    usage: KeyUsage, key: NewApiKey, clock: MovableClock
) -> None:
    usage.note(key.row.id)
    newer = clock.instant.replace(minute=30)
    await ApiKey.filter(id=key.row.id).update(last_used_at=newer)
    await usage.write()
    assert await last_use(key) == newer


async def test_wrong_and_ended_keys_are_not_used(
    accounts: Accounts, usage: KeyUsage, key: NewApiKey, clock: MovableClock
) -> None:
    await ApiKey.all().update(revoked_at=clock.instant)
    await accounts.authenticate(key.text)
    await usage.write()
    assert await last_use(key) is None


async def test_the_writer_goes_on_after_a_failure(
    usage: KeyUsage, key: NewApiKey, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = asyncio.Event()

    async def fails(self: KeyUsage) -> None:
        self._noted.clear()
        failed.set()
        raise OSError("no database")

    task = asyncio.create_task(usage.run())
    try:
        with monkeypatch.context() as broken:
            broken.setattr(KeyUsage, "write", fails)
            usage.note(key.row.id)
            await failed.wait()
        usage.note(key.row.id)
        async with asyncio.timeout(10):
            while await last_use(key) is None:
                await asyncio.sleep(0.01)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
