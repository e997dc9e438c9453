"""Counting what a provider is asked for, before it is asked.

A charge is written before the call that it is for, in one transaction with the budget that it must fit into: of many at
once, those that no longer fit change nothing and raise, and a process that dies in the midst of a call has counted what
may have been charged. What certainly was not charged is given back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain import db
from domain.errors import BudgetExceeded
from domain.models.spending import SpendMonth
from domain.settings import Settings
from domain.spending.money import to_amount, to_micros
from domain.statements import change, fetch

_COUNT: Final = """
INSERT INTO usage_day (user_id, day, project_id, provider, model, purpose, calls, pictures, cost_micros)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, day, project_id, provider, model, purpose) DO UPDATE SET
    calls = usage_day.calls + excluded.calls, pictures = usage_day.pictures + excluded.pictures,
    cost_micros = usage_day.cost_micros + excluded.cost_micros
"""
_SPEND: Final = "UPDATE spend_month SET spent_micros = spent_micros + ? WHERE user_id = ? AND month = ?"
_OPEN_MONTH: Final = """
INSERT INTO spend_month (user_id, month, spent_micros) VALUES (?, ?, 0) ON CONFLICT (user_id, month) DO NOTHING
"""
_BUDGET: Final = "SELECT monthly_budget_micros AS own FROM user_account WHERE id = ?"
_SPENT: Final = "SELECT spent_micros FROM spend_month WHERE user_id = ? AND month = ?"
_FORGET: Final = ("DELETE FROM usage_day WHERE user_id = ?", "DELETE FROM spend_month WHERE user_id = ?")


class Purpose(StrEnum):
    """What a provider was asked for."""

    GENERATION = "GENERATION"
    JUDGEMENT = "JUDGEMENT"


@dataclass(frozen=True, slots=True)
class Charge:
    """One call, and what the operator's price list says of it."""

    user_id: str
    project_id: str
    provider: str
    model: str
    purpose: Purpose
    pictures: int
    cost_micros: int
    at: datetime

    @property
    def day(self) -> str:
        """The day on which it counts, in UTC."""
        return self.at.date().isoformat()

    @property
    def month(self) -> str:
        """The month whose budget it is held against, in UTC."""
        return self.day[:7]


def month_of(at: datetime) -> str:
    """Return the month of an instant, in UTC, as the ledger names it."""
    return at.date().isoformat()[:7]


async def charge(item: Charge, settings: Settings) -> None:
    """Count a call that is about to be made; raises `BudgetExceeded` when it does not fit, and then counts nothing."""
    await db.together(lambda: charge_within(item, settings))


async def charge_within(item: Charge, settings: Settings) -> None:
    """Count it as a part of a transaction, which must be undone when this raises."""
    if item.cost_micros:
        budget = await budget_of(item.user_id, settings)
        if not await _spent_more(item, budget) and not await _spent_first(item, budget):
            raise budget_exceeded(budget or 0, await spent_in(item.user_id, item.month), item.cost_micros)
    await count(item)


async def count(item: Charge) -> None:
    """Within a transaction: count a call that costs nothing, or whose cost is held against the budget already."""
    await change(_COUNT, [*_key(item), 1, item.pictures, item.cost_micros])


async def give_back(item: Charge) -> None:
    """Take a charge back, because it is certain that nothing was charged."""
    await db.together(lambda: give_back_within(item))


async def give_back_within(item: Charge) -> None:
    """Take it back as a part of a transaction."""
    if item.cost_micros:
        await change(_SPEND, [-item.cost_micros, item.user_id, item.month])
    await change(_COUNT, [*_key(item), -1, -item.pictures, -item.cost_micros])


async def check_budget(user_id: str, cost_micros: int, now: datetime, settings: Settings) -> None:
    """Raise `BudgetExceeded` when so much would not fit into what is left now; nothing is reserved."""
    if not cost_micros:
        return
    budget = await budget_of(user_id, settings)
    if budget is not None:
        spent = await spent_in(user_id, month_of(now))
        if spent + cost_micros > budget:
            raise budget_exceeded(budget, spent, cost_micros)


async def budget_of(user_id: str, settings: Settings) -> int | None:
    """Return what a user's tasks may cost in a month; None for no limit."""
    rows = await fetch(_BUDGET, [user_id])
    return monthly_budget(rows[0]["own"] if rows else None, settings)


def monthly_budget(own_micros: int | None, settings: Settings) -> int | None:
    """Return the budget that counts, in millionths: the user's own, else the server's; None for no limit."""
    if own_micros is not None:
        return own_micros
    return to_micros(settings.monthly_budget) if settings.monthly_budget is not None else None


async def spent_in(user_id: str, month: str) -> int:
    """Return what a user's tasks have cost in a month so far."""
    rows = await fetch(_SPENT, [user_id, month])
    return int(rows[0]["spent_micros"]) if rows else 0


async def spent_by_users(user_ids: Sequence[str], now: datetime) -> list[int]:
    """Return what each user's tasks have cost this month; one statement."""
    rows = await SpendMonth.filter(user_id__in=list(user_ids), month=month_of(now))
    found = {row.user_id: row.spent_micros for row in rows}
    return [found.get(user_id, 0) for user_id in user_ids]


async def forget_spending(user_id: str) -> None:
    """Within a transaction: drop everything of a user."""
    for statement in _FORGET:
        await change(statement, [user_id])


def budget_exceeded(budget: int, spent: int, cost: int) -> BudgetExceeded:
    """Return the refusal, with the three amounts."""
    return BudgetExceeded(
        f"Your budget for this month is {to_amount(budget)}, {to_amount(spent)} of it is spent, and this would cost "
        f"about {to_amount(cost)}. Wait for the next month, choose a provider that costs less, or ask your "
        "administrator for more."
    )


async def _spent_more(item: Charge, budget: int | None) -> bool:
    values: list[object] = [item.cost_micros, item.user_id, item.month]
    if budget is None:
        return bool(await change(_SPEND, values))
    return bool(await change(f"{_SPEND} AND spent_micros <= ?", [*values, budget - item.cost_micros]))


async def _spent_first(item: Charge, budget: int | None) -> bool:
    """Spend it after making sure that the month has a row."""
    await change(_OPEN_MONTH, [item.user_id, item.month])
    return await _spent_more(item, budget)


def _key(item: Charge) -> tuple[object, ...]:
    return (item.user_id, item.day, item.project_id, item.provider, item.model, item.purpose)
