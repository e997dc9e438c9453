"""Who lives on a database, as its rows and locks tell."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from domain import db
from domain.clock import Clock
from domain.errors import SettingsError
from domain.instances.channel import Channel
from domain.instances.membership import ABSENT_SECONDS, SILENT_SECONDS, Identity, Membership, known_ids
from domain.models.instances import InstanceRow
from domain.settings import Settings
from domain.statements import change


def _identity(number: int, key: str = "k", place: str = "p") -> Identity:
    return Identity(f"ins_{number}", number, key, place)


@contextlib.asynccontextmanager
async def _living(
    url: str, settings: Settings, clock: Clock, identity: Identity, told: list[bool] | None = None
) -> AsyncIterator[tuple[Membership, bool]]:
    """A process that has entered, with its connection; whether it was alone."""

    async def tell(company: bool) -> None:  # noqa: FBT001 (as it is told)
        if told is not None:
            told.append(company)

    channel = Channel(url, identity.id, identity.number)
    await channel.open()
    try:
        membership = Membership(settings, clock, identity, tell)
        async with membership.entering(channel) as alone:
            pass
        yield membership, alone
    finally:
        await channel.close()


async def _last_seen(instance_id: str, seconds_ago: float) -> None:
    interval = f"now() - interval '{seconds_ago} seconds'"
    assert await change(f"UPDATE instance SET seen_at = {interval} WHERE id = ?", [instance_id])


async def test_on_sqlite_a_process_is_alone_and_forgets_its_predecessor(
    database: str, settings: Settings, clock: Clock
) -> None:
    if db.is_postgres():
        return
    for number in (1, 2):
        membership = Membership(settings, clock, _identity(number))
        async with membership.entering(None) as alone:
            assert alone
        assert await known_ids() == [f"ins_{number}"]
    assert not await membership.beat()
    row = await InstanceRow.get(id="ins_2")
    assert (row.workers, row.queue_capacity, row.host != "") == (settings.workers, settings.queue_capacity, True)
    await membership.leave()
    assert await known_ids() == []


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
class TestOnPostgres:
    async def test_the_second_is_not_alone_and_both_learn_who_comes_and_goes(
        self, database: str, settings: Settings, clock: Clock
    ) -> None:
        told: list[bool] = []
        async with _living(database, settings, clock, _identity(1), told) as (first, alone):
            assert alone
            async with _living(database, settings, clock, _identity(2)) as (second, second_alone):
                assert not second_alone
                assert not await first.beat()
                assert told == [True]
                assert await known_ids() == ["ins_1", "ins_2"]
                await second.leave()
            assert await first.beat()
            assert told == [True, False]
            assert not await first.beat()

    async def test_a_lost_connection_may_come_back_and_is_death_after_a_while(
        self, database: str, settings: Settings, clock: Clock
    ) -> None:
        async with _living(database, settings, clock, _identity(1)) as (first, _):
            async with _living(database, settings, clock, _identity(2)):
                pass  # gone without a word
            assert not await first.beat()
            await _last_seen("ins_2", ABSENT_SECONDS + 1)
            assert await first.beat()
            assert await known_ids() == ["ins_1"]

    async def test_one_that_holds_its_connection_and_says_nothing_is_dead_in_the_end(
        self, database: str, settings: Settings, clock: Clock
    ) -> None:
        async with (
            _living(database, settings, clock, _identity(1)) as (first, _),
            _living(database, settings, clock, _identity(2)) as (second, _),
        ):
            await first.beat()
            await _last_seen("ins_2", ABSENT_SECONDS + 1)
            assert not await first.beat()
            await _last_seen("ins_2", SILENT_SECONDS + 1)
            assert await first.beat()
            # It was only stopped, and goes on: it is known again.
            await second.beat()
            assert await known_ids() == ["ins_1", "ins_2"]

    async def test_one_that_starts_takes_a_lost_connection_for_death_at_once(
        self, database: str, settings: Settings, clock: Clock
    ) -> None:
        async with _living(database, settings, clock, _identity(1)):
            pass
        async with _living(database, settings, clock, _identity(2)) as (_, alone):
            assert alone
        assert await known_ids() == ["ins_2"]

    @pytest.mark.parametrize(
        ("other", "named"),
        [(_identity(2, key="x"), "WONDER_SECRET_KEY"), (_identity(2, place="x"), "WONDER_STORAGE")],
    )
    async def test_who_cannot_work_with_the_others_is_refused_and_leaves_no_row(
        self, database: str, settings: Settings, clock: Clock, other: Identity, named: str
    ) -> None:
        async with _living(database, settings, clock, _identity(1)):
            with pytest.raises(SettingsError, match=named):
                async with _living(database, settings, clock, other):
                    pass
            assert await known_ids() == ["ins_1"]
        async with _living(database, settings, clock, other) as (_, alone):
            assert alone
