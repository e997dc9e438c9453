"""Connecting, migrating and transactions on both databases."""

import asyncio
from datetime import UTC, datetime

import pytest

from domain import db
from domain.models.accounts import User

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def _user(number: int) -> User:
    return User(
        id=f"usr_{number}", email=f"{number}@example.com", display_name="日本語 🎮", password_hash="x", created_at=NOW
    )


async def test_a_fresh_database_misses_no_migration(database: str) -> None:
    assert await db.pending_migrations() == 0
    assert await db.migrate() == []
    await db.ping()
    assert db.is_postgres() == database.startswith("postgres")


async def test_rows_come_back_as_they_went_in(database: str) -> None:
    await _user(1).save(force_create=True)
    stored = await User.get(id="usr_1")
    assert (stored.display_name, stored.created_at) == ("日本語 🎮", NOW)


async def test_a_failed_transaction_leaves_nothing(database: str) -> None:
    with pytest.raises(ZeroDivisionError):
        async with db.transaction():
            await _user(1).save(force_create=True)
            raise ZeroDivisionError
    assert await User.all().count() == 0


async def test_transactions_that_are_cancelled_as_they_begin_keep_no_connection(database: str) -> None:
    async def work() -> None:
        async with db.transaction():
            await asyncio.Event().wait()

    for turns in range(60):  # as many as would take every connection of the pool several times
        task = asyncio.create_task(work())
        for _ in range(turns % 12):
            await asyncio.sleep(0)
        await asyncio.sleep(0.0001 * turns)
        task.cancel()
        await asyncio.wait([task])
    async with asyncio.timeout(5):
        for _ in range(20):
            async with db.transaction():
                await db.ping()
        await db.close()  # which waits for whoever has a connection
    await db.connect(database)


async def test_cancelled_transactions_leave_neither_rows_nor_locks(database: str) -> None:
    """Wherever the cancellation hits, the next transaction works and sees all of one or nothing."""

    async def work(number: int) -> None:
        async with db.transaction():
            await _user(2 * number).save(force_create=True)
            await _user(2 * number + 1).save(force_create=True)

    for number in range(60):
        task = asyncio.create_task(work(number))
        for _ in range(number % 20):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    async with asyncio.timeout(10):
        await work(1000)
        ids = {user.id for user in await User.all()}
    assert "usr_2000" in ids
    assert all((f"usr_{2 * n}" in ids) == (f"usr_{2 * n + 1}" in ids) for n in range(60))


async def test_admissions_go_one_by_one(database: str) -> None:
    """Counting and then inserting is exact when every transaction takes the admission lock first."""

    async def admit(number: int) -> bool:
        async with db.transaction():
            await db.lock_admission()
            if await User.all().count() >= 5:
                return False
            await _user(number).save(force_create=True)
            return True

    results = await asyncio.gather(*(admit(number) for number in range(20)))
    assert (sum(results), await User.all().count()) == (5, 5)
