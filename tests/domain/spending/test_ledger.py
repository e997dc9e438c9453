"""Counting calls, and budgets that hold whoever spends at the same time."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from domain import db
from domain.errors import BudgetExceeded
from domain.ids import IdPrefix, new_id
from domain.models.accounts import User
from domain.models.spending import SpendMonth, UsageDay
from domain.models.tasks import Task
from domain.params import ParamsRequest
from domain.settings import Settings
from domain.spending.ledger import Charge, Purpose, charge, charge_within, count, give_back, spent_in
from domain.spending.reports import Breakdown, Figures, Spending, total
from domain.tasks.deletion import abandon_all
from tests.conftest import MovableClock
from tests.helpers.room import OpenCatalog, Room

CENT = 10_000


def a_charge(room: Room, cost_micros: int = CENT, **changes: Any) -> Charge:
    item = Charge(
        user_id=room.user.id,
        project_id=room.project.id,
        provider="studio",
        model="paint-2",
        purpose=Purpose.GENERATION,
        pictures=1,
        cost_micros=cost_micros,
        at=room.deps.clock.now(),
    )
    return replace(item, **changes)


def with_budget(room: Room, amount: str) -> Settings:
    return room.deps.settings.model_copy(update={"monthly_budget": Decimal(amount)})


async def rows() -> list[tuple[str, str, int, int, int]]:
    found = await UsageDay.all().order_by("day", "provider", "purpose")
    return [(row.day, row.provider, row.calls, row.pictures, row.cost_micros) for row in found]


async def test_calls_of_a_day_are_one_row_and_what_was_free_after_all_is_taken_back(room: Room) -> None:
    settings = room.deps.settings
    await charge(a_charge(room), settings)
    await charge(a_charge(room, pictures=3, cost_micros=3 * CENT), settings)
    await count(a_charge(room, 0, provider="builtin"))
    assert await rows() == [("2026-12-01", "builtin", 1, 1, 0), ("2026-12-01", "studio", 2, 4, 4 * CENT)]
    await give_back(a_charge(room))
    assert (await rows())[1] == ("2026-12-01", "studio", 1, 3, 3 * CENT)
    assert await spent_in(room.user.id, "2026-12") == 3 * CENT


async def test_of_fifty_at_once_as_many_are_charged_as_the_budget_has_room_for(room: Room) -> None:
    settings = with_budget(room, "0.20")

    async def one() -> bool:
        try:
            await charge(a_charge(room), settings)
        except BudgetExceeded:
            return False
        return True

    done = await asyncio.gather(*(one() for _ in range(50)))
    assert sum(done) == 20
    assert await spent_in(room.user.id, "2026-12") == 20 * CENT
    assert (await rows())[0][2:] == (20, 20, 20 * CENT)


async def test_the_refusal_names_the_amounts_and_counts_nothing(room: Room) -> None:
    settings = with_budget(room, "0.05")
    await charge(a_charge(room, 4 * CENT), settings)
    with pytest.raises(BudgetExceeded) as refused:
        await charge(a_charge(room, 2 * CENT), settings)
    assert "this month is 0.05, 0.04 of it is spent, and this would cost about 0.02" in refused.value.message
    assert (await rows())[0][2:] == (1, 1, 4 * CENT)
    await charge(a_charge(room, CENT), settings)


async def test_a_users_own_budget_comes_first_and_others_have_their_own(room: Room) -> None:
    settings = with_budget(room, "1.00")
    await User.filter(id=room.user.id).update(monthly_budget_micros=0)
    with pytest.raises(BudgetExceeded):
        await charge(a_charge(room, 1), settings)
    await charge(a_charge(room, 0), settings)  # what costs nothing is not refused
    await charge(a_charge(room, user_id=room.stranger.id), settings)
    await User.filter(id=room.user.id).update(monthly_budget_micros=None)
    await charge(a_charge(room), settings)


async def test_a_new_month_in_utc_has_the_whole_budget_again(room: Room, clock: MovableClock) -> None:
    settings = with_budget(room, "0.01")
    clock.instant = datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    await charge(a_charge(room), settings)
    with pytest.raises(BudgetExceeded):
        await charge(a_charge(room), settings)
    clock.advance(0.000_001)
    await charge(a_charge(room), settings)
    assert [row.month for row in await SpendMonth.all().order_by("month")] == ["2026-12", "2027-01"]


async def test_a_transaction_that_is_undone_has_charged_nothing(room: Room) -> None:
    with pytest.raises(ZeroDivisionError):
        async with db.transaction():
            await charge_within(a_charge(room), room.deps.settings)
            raise ZeroDivisionError
    assert await rows() == []
    assert await spent_in(room.user.id, "2026-12") == 0


async def test_generate_is_refused_before_anything_is_made(room: Room) -> None:
    catalog = room.deps.catalog
    assert isinstance(catalog, OpenCatalog)
    catalog.prices["stub"] = 4 * CENT
    await User.filter(id=room.user.id).update(monthly_budget_micros=10 * CENT)
    await room.submit("one")
    with pytest.raises(BudgetExceeded):
        await room.submit("many", params=ParamsRequest(count=3))
    assert await Task.all().count() == 1


async def test_nothing_is_left_of_an_account_that_is_deleted(room: Room) -> None:
    for user_id in (room.user.id, room.stranger.id):
        await charge(a_charge(room, user_id=user_id), room.deps.settings)
    async with db.transaction():
        await db.lock_admission()
        await abandon_all(room.deps, room.user.id)
    assert [row.user_id for row in await UsageDay.all()] == [room.stranger.id]
    assert [row.user_id for row in await SpendMonth.all()] == [room.stranger.id]


async def test_a_report_sums_what_was_used_by_day_project_provider_and_user(room: Room, clock: MovableClock) -> None:
    settings, other = room.deps.settings, new_id(IdPrefix.PROJECT)
    await charge(a_charge(room), settings)
    await charge(a_charge(room, project_id=other, model="paint-3", cost_micros=5 * CENT), settings)
    await charge(a_charge(room, provider="judge", purpose=Purpose.JUDGEMENT, pictures=0), settings)
    clock.advance(86_400)
    await charge(a_charge(room), settings)
    await charge(a_charge(room, user_id=room.stranger.id), settings)
    spending = Spending(settings, clock)
    mine = spending.span(room.user.id, None, None)
    by_day = await spending.parts(mine, Breakdown.DAY)
    assert [(part.key, part.figures) for part in by_day] == [
        (("2026-12-01",), Figures(2, 1, 2, 7 * CENT)),
        (("2026-12-02",), Figures(1, 0, 1, CENT)),
    ]
    assert total(by_day) == Figures(3, 1, 3, 8 * CENT)
    assert [(part.key[0], part.figures.cost_micros) for part in await spending.parts(mine, Breakdown.PROJECT)] == [
        (other, 5 * CENT),
        (room.project.id, 3 * CENT),
    ]
    assert [part.key for part in await spending.parts(mine, Breakdown.PROVIDER)] == [
        ("studio", "paint-3"),
        ("studio", "paint-2"),
        ("judge", "paint-2"),
    ]
    everybody = await spending.parts(spending.span(None, None, None), Breakdown.USER)
    assert [(part.key[0], part.figures.cost_micros) for part in everybody] == [
        (room.user.id, 8 * CENT),
        (room.stranger.id, CENT),
    ]
