"""Amounts as whole millionths."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.spending.money import MAX_AMOUNT, to_amount, to_micros


@pytest.mark.parametrize(
    ("amount", "micros"),
    [(0, 0), ("0.04", 40_000), (0.1, 100_000), (Decimal("0.000001"), 1), ("12.5", 12_500_000), (MAX_AMOUNT, 10**15)],
)
def test_amounts_are_read_as_they_are_written(amount: Decimal | float | str, micros: int) -> None:
    assert to_micros(amount) == micros


@pytest.mark.parametrize("amount", [-1, "-0.01", "NaN", "Infinity", "a lot", "", "1e10", float("nan"), float("inf")])
def test_what_is_no_amount_is_refused(amount: float | str) -> None:
    with pytest.raises(ValueError, match="no amount between 0 and 1,000,000,000"):
        to_micros(amount)


@pytest.mark.parametrize(
    ("micros", "shown"),
    [(0, "0.00"), (40_000, "0.04"), (100_000, "0.10"), (12_500_000, "12.50"), (1, "0.000001"), (5_000_000, "5.00")],
)
def test_amounts_are_shown_with_cents_or_as_many_digits_as_they_need(micros: int, shown: str) -> None:
    assert format(to_amount(micros), "f") == shown


@given(st.integers(0, 10**15))
def test_nothing_is_lost_on_the_way(micros: int) -> None:
    assert to_micros(to_amount(micros)) == micros
