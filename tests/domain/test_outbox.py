"""What was recorded leaves the storage, whatever fails or dies on the way."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from domain import db
from domain.errors import StorageError
from domain.models.storage import StorageDeletion
from domain.outbox import CLAIM_SECONDS, Outbox, Reservation, record_deletion
from domain.ports import StoredObject
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from tests.conftest import MovableClock

PREFIX = "users/u/projects/p/"
FINAL = 120.0


class UnreliableStorage(LocalStorage):
    """A storage that fails, or dies, as often as it is told to."""

    failures: int = 0
    message = "The endpoint https://key:secret@s3.example/bucket?X-Amz-Signature=secret answered 503."
    deaths: int = 0
    calls: int = 0

    async def delete_prefix(self, prefix: str) -> int:
        self.calls += 1
        if self.deaths:
            self.deaths -= 1
            raise asyncio.CancelledError
        if self.failures:
            self.failures -= 1
            raise StorageError(self.message)
        await asyncio.sleep(0)
        return await super().delete_prefix(prefix)


@pytest.fixture
async def storage(tmp_path: Path, clock: MovableClock) -> UnreliableStorage:
    storage = UnreliableStorage(tmp_path / "files", UrlSigner(b"k" * 32, clock, 60))
    await storage.check()
    return storage


@pytest.fixture
async def outbox(database: str, storage: UnreliableStorage, clock: MovableClock) -> AsyncIterator[Outbox]:
    await storage.put(f"{PREFIX}a", b"x", "image/png")
    await storage.put(f"{PREFIX}b/c", b"x", "image/png")
    await storage.put("users/u/projects/p2/kept", b"x", "image/png")
    yield Outbox(storage, clock)
    assert await storage.get("users/u/projects/p2/kept") == b"x"


async def _stored(storage: LocalStorage) -> Sequence[StoredObject]:
    return [item async for item in storage.list(PREFIX)]


async def test_what_is_recorded_goes_at_once_and_its_row_after_the_last_writer(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    await record_deletion(PREFIX, clock.now(), FINAL)
    assert await outbox.sweep() == 1
    assert await _stored(storage) == []
    await storage.put(f"{PREFIX}late", b"written by a worker that did not know yet", "image/png")
    assert await outbox.sweep() == 0
    clock.advance(FINAL - 1)
    assert await outbox.sweep() == 0
    clock.advance(1)
    assert await outbox.sweep() == 1
    assert await _stored(storage) == []
    assert await StorageDeletion.all().count() == 0
    assert storage.calls == 2


async def test_a_key_goes_alone(outbox: Outbox, storage: UnreliableStorage, clock: MovableClock) -> None:
    await record_deletion(f"{PREFIX}a", clock.now(), 0)
    await record_deletion(f"{PREFIX}not-there", clock.now(), 0)
    assert await outbox.sweep() == 2
    assert [item.key for item in await _stored(storage)] == [f"{PREFIX}b/c"]
    assert await StorageDeletion.all().count() == 0


async def test_a_record_shares_the_fate_of_its_transaction(outbox: Outbox, clock: MovableClock) -> None:
    with pytest.raises(ZeroDivisionError):
        async with db.transaction():
            await record_deletion(PREFIX, clock.now(), FINAL)
            raise ZeroDivisionError
    assert await StorageDeletion.all().count() == 0
    async with db.transaction():
        await record_deletion(PREFIX, clock.now(), FINAL)
    assert await StorageDeletion.all().count() == 1


@pytest.mark.parametrize("target", ["", "/", "../", "a//", "/a/", "a/../"])
async def test_what_would_remove_more_is_not_recorded(database: str, clock: MovableClock, target: str) -> None:
    with pytest.raises(ValueError, match="key"):
        await record_deletion(target, clock.now(), FINAL)


async def test_failures_wait_longer_and_longer_and_are_told_without_secrets(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    await record_deletion(PREFIX, clock.now(), FINAL)
    storage.failures = 20
    waits = []
    for number in range(1, 14):
        assert await outbox.sweep() == 0
        row = await StorageDeletion.get()
        waits.append((row.next_try_at - clock.now()).total_seconds())
        assert row.tries == number
        assert row.last_error == "StorageError: The endpoint (address) answered 503."
        clock.instant = row.next_try_at - timedelta(seconds=1)
        assert await outbox.sweep() == 0
        clock.instant = row.next_try_at
    assert waits == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600]
    storage.failures = 0
    # Long after `final_at`, the first sweep that succeeds is the last one.
    assert await outbox.sweep() == 1
    assert await _stored(storage) == []
    assert await StorageDeletion.all().count() == 0


async def test_one_failure_holds_up_no_other_target(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    await record_deletion("users/v/projects/q/", clock.now(), 0)
    await record_deletion(PREFIX, clock.now(), 0)
    storage.failures = 1
    assert await outbox.sweep() == 1
    assert await _stored(storage) == []
    assert [row.target for row in await StorageDeletion.all()] == ["users/v/projects/q/"]


class PickyStorage(UnreliableStorage):
    """A storage with one key that will not go; it remembers what each request was for."""

    requests: Sequence[Sequence[str]] = ()

    async def delete(self, keys: Sequence[str]) -> None:
        self.requests = [*self.requests, keys]
        if "users/stuck" in keys:
            raise StorageError("Cannot remove 1 of 3 objects.")
        await super().delete(keys)


async def test_keys_go_together(database: str, storage: UnreliableStorage, clock: MovableClock) -> None:
    picky = PickyStorage(storage._root, UrlSigner(b"k" * 32, clock, 60))
    for number in range(30):
        await record_deletion(f"users/{number}", clock.now(), 0)
    assert await Outbox(picky, clock).sweep() == 30
    assert [len(keys) for keys in picky.requests] == [30]
    assert await StorageDeletion.all().count() == 0


async def test_a_key_that_will_not_go_holds_up_no_other(
    database: str, storage: UnreliableStorage, clock: MovableClock
) -> None:
    picky = PickyStorage(storage._root, UrlSigner(b"k" * 32, clock, 60))
    for key in ("users/a", "users/stuck", "users/b"):
        await picky.put(key, b"x", "image/png")
        await record_deletion(key, clock.now(), 0)
    assert await Outbox(picky, clock).sweep() == 2
    (row,) = await StorageDeletion.all()
    assert (row.target, row.tries) == ("users/stuck", 1)
    assert [item.key async for item in picky.list("users/")] == ["users/stuck"]


async def test_a_process_that_dies_in_the_middle_leaves_the_work_to_the_next(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    await record_deletion(PREFIX, clock.now(), 0)
    storage.deaths = 1
    with pytest.raises(asyncio.CancelledError):
        await outbox.sweep()
    assert await outbox.sweep() == 0
    clock.advance(CLAIM_SECONDS)
    assert await outbox.sweep() == 1
    assert await _stored(storage) == []
    assert await StorageDeletion.all().count() == 0


async def test_of_many_sweepers_one_takes_each_row(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    for number in range(10):
        await record_deletion(f"{PREFIX}{number}/", clock.now(), FINAL)
    done = await asyncio.gather(*(Outbox(storage, clock).sweep() for _ in range(5)))
    assert (sum(done), storage.calls) == (10, 10)


async def test_a_sweep_that_lost_its_claim_changes_nothing(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    """It took so long that another process has taken over; that one decides."""
    await record_deletion(PREFIX, clock.now(), 0)
    other = clock.now() + timedelta(days=1)

    class Slow(UnreliableStorage):
        async def delete_prefix(self, prefix: str) -> int:
            await StorageDeletion.all().update(next_try_at=other)
            return await super().delete_prefix(prefix)

    slow = Slow(storage._root, UrlSigner(b"k" * 32, clock, 60))
    await Outbox(slow, clock).sweep()
    assert (await StorageDeletion.get()).next_try_at == other


async def test_a_sweep_takes_no_more_than_it_may_and_the_longest_due_first(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    for number in range(5):
        await record_deletion(f"{PREFIX}{number}/", clock.now(), 0)
        clock.advance(1)
    assert await outbox.sweep(limit=2) == 2
    assert sorted([row.target for row in await StorageDeletion.all()]) == [f"{PREFIX}{n}/" for n in (2, 3, 4)]


async def test_what_is_more_than_a_sweep_takes_goes_in_one_go(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    now = clock.now()
    await StorageDeletion.bulk_create(
        StorageDeletion(target=f"{PREFIX}gone-{n}", created_at=now, next_try_at=now, final_at=now) for n in range(2200)
    )
    assert await outbox.sweep_all() == 2200
    assert await StorageDeletion.all().count() == 0


async def test_a_reserved_key_goes_when_its_writer_never_came_back(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    await Reservation.make(f"{PREFIX}a", clock.now(), 60)
    assert await outbox.sweep() == 0
    clock.advance(60)
    assert await outbox.sweep() == 1
    assert [item.key for item in await _stored(storage)] == [f"{PREFIX}b/c"]
    assert await StorageDeletion.all().count() == 0


async def test_a_kept_key_stays_and_a_dropped_one_goes_now(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    kept = await Reservation.make(f"{PREFIX}a", clock.now(), 60)
    dropped = await Reservation.make(f"{PREFIX}b/c", clock.now(), 60)
    await kept.keep()
    await dropped.drop(clock.now())
    assert await outbox.sweep() == 1
    clock.advance(3600)
    assert await outbox.sweep() == 0
    assert [item.key for item in await _stored(storage)] == [f"{PREFIX}a"]


async def test_what_the_sweep_has_begun_to_remove_cannot_be_kept(
    outbox: Outbox, storage: UnreliableStorage, clock: MovableClock
) -> None:
    reservation = await Reservation.make(PREFIX + "a", clock.now(), 60)
    clock.advance(60)
    row = await StorageDeletion.get()
    await StorageDeletion.filter(id=row.id).update(next_try_at=clock.now() + timedelta(seconds=CLAIM_SECONDS))
    with pytest.raises(StorageError, match="too long"):
        await reservation.keep()
    assert await StorageDeletion.all().count() == 1


async def test_instants_keep_their_microseconds(database: str) -> None:
    """A claim is recognised by its instant."""
    instant = datetime(2026, 12, 1, 12, 0, 0, 123456, tzinfo=UTC)
    reservation = await Reservation.make("a", instant, 0.000001)
    await reservation.keep()
    assert await StorageDeletion.all().count() == 0
