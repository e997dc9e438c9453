"""Money as whole millionths, so that a million small prices add up exactly."""

from decimal import Decimal, InvalidOperation
from typing import Final

MICROS: Final = 1_000_000
_SCALE: Final = Decimal("0.000001")
_CENT: Final = Decimal("0.01")
#: More than anybody spends, and far below what the database can add up.
MAX_AMOUNT: Final = Decimal(1_000_000_000)


def to_micros(amount: Decimal | float | str) -> int:
    """Return an amount in millionths, the seventh digit rounded; a float is taken as it is written.

    Raises `ValueError` for what is no amount between 0 and MAX_AMOUNT.
    """
    try:
        value = amount if isinstance(amount, Decimal) else Decimal(str(amount))
        if value.is_finite() and 0 <= value <= MAX_AMOUNT:
            return int((value.quantize(_SCALE) * MICROS).to_integral_value())
    except InvalidOperation:
        pass
    raise ValueError(f"is no amount between 0 and {MAX_AMOUNT:,}")


def to_amount(micros: int) -> Decimal:
    """Return millionths as an amount, with two digits after the point or as many as it needs."""
    amount = Decimal(micros) / MICROS
    short = amount.quantize(_CENT)
    return short if short == amount else amount.normalize()
