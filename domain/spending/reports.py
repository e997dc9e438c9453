"""What was asked of providers and what it cost, from the counters: never by going through tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from domain.clock import Clock
from domain.errors import InvalidInput
from domain.settings import Settings
from domain.spending.ledger import Purpose
from domain.statements import fetch

MAX_DAYS: Final = 366
#: Of a breakdown, those that cost most, then those with most calls.
MAX_PARTS: Final = 1000
_SUMS: Final = f"""
    SUM(CASE WHEN purpose = '{Purpose.GENERATION}' THEN calls ELSE 0 END) AS generations,
    SUM(CASE WHEN purpose = '{Purpose.JUDGEMENT}' THEN calls ELSE 0 END) AS judgements,
    SUM(pictures) AS pictures, SUM(cost_micros) AS cost_micros
"""
_PARTS: Final = """
SELECT {columns}, {sums} FROM usage_day WHERE day >= ? AND day <= ?{whose}
GROUP BY {columns} ORDER BY {order} LIMIT {most}
"""
_MOST_FIRST: Final = "cost_micros DESC, generations DESC, "


class Breakdown(StrEnum):
    """By what usage is broken down; the value names the columns."""

    PROJECT = "project_id"
    PROVIDER = "provider, model"
    DAY = "day"
    USER = "user_id"


@dataclass(frozen=True, slots=True)
class Span:
    """Whole days in UTC, both included, and whose; None for everybody's."""

    user_id: str | None
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Figures:
    """What was asked for, and what it costs by the operator's prices, in millionths."""

    generations: int = 0
    judgements: int = 0
    pictures: int = 0
    cost_micros: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a breakdown: the values of its columns, and its figures."""

    key: tuple[str, ...]
    figures: Figures


class Spending:
    """Reads the counters; one statement for each breakdown, whose cost goes by days and not by tasks."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.currency = settings.currency
        self._clock = clock

    def span(self, user_id: str | None, start: datetime | None, end: datetime | None) -> Span:
        """Return the days (UTC) that a time touches; without an end until now, without a start from its month's first.

        Raises `InvalidInput` when it ends before it starts, or has more than MAX_DAYS days.
        """
        last = (end or self._clock.now()).astimezone(UTC)
        first = last.replace(day=1) if start is None else start.astimezone(UTC)
        if first > last:
            raise InvalidInput("from must not be later than to.", path=("from",))
        if last.date() - first.date() >= timedelta(days=MAX_DAYS):
            raise InvalidInput(f"from and to may be {MAX_DAYS} days apart at most.", path=("from",))
        return Span(user_id, first.date(), last.date())

    async def parts(self, span: Span, by: Breakdown) -> list[Part]:
        """Return a breakdown: days in their order, everything else with what cost most first; at most MAX_PARTS."""
        columns = by.value.split(", ")
        values: list[object] = [span.first.isoformat(), span.last.isoformat()]
        whose = ""
        if span.user_id is not None:
            whose = " AND user_id = ?"
            values.append(span.user_id)
        order = by.value if by is Breakdown.DAY else _MOST_FIRST + by.value
        text = _PARTS.format(columns=by.value, sums=_SUMS, whose=whose, order=order, most=MAX_PARTS)
        return [Part(tuple(row[column] for column in columns), _figures(row)) for row in await fetch(text, values)]


def total(parts: Sequence[Part]) -> Figures:
    """Return the sum of a breakdown."""
    return Figures(
        sum(part.figures.generations for part in parts),
        sum(part.figures.judgements for part in parts),
        sum(part.figures.pictures for part in parts),
        sum(part.figures.cost_micros for part in parts),
    )


def _figures(row: Any) -> Figures:  # noqa: ANN401 (a row, as the driver returns it)
    return Figures(int(row["generations"]), int(row["judgements"]), int(row["pictures"]), int(row["cost_micros"]))
