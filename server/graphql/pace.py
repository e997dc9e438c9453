"""How fast something may come."""


class Pace:
    """So many a second in the long run, and so many at once: a leaky bucket, as its theoretical arrival times."""

    def __init__(self, per_second: float, at_once: int) -> None:
        self._interval = 1 / per_second
        self._tolerance = at_once * self._interval
        self._due = float("-inf")

    def allows(self, now: float) -> bool:
        """Tell whether one more may come at `now`, in seconds of any clock that does not go back, and count it."""
        due = max(self._due, now) + self._interval
        if due - now > self._tolerance + 1e-9:
            return False
        self._due = due
        return True
