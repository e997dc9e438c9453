"""How a measured quantity becomes a score."""

from typing import Final

#: Where a score stands when the quantity is just at its limit; the threshold of most checks.
HALF: Final = 0.5


def clipped(score: float) -> float:
    """Return a score within 0 to 1, rounded so that it reads well."""
    return round(min(max(float(score), 0.0), 1.0), 4)


def at_most(value: float, limit: float) -> float:
    """Return 1 for nothing, 0.5 for a value at its limit, 0 for twice the limit and more."""
    return clipped(1 - HALF * value / limit)


def at_least(value: float, limit: float) -> float:
    """Return 0 for nothing, 0.5 for a value at its limit, 1 for twice the limit and more."""
    return clipped(HALF * value / limit)
