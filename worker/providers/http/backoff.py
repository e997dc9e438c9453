"""How long to wait before a request is sent again. Pure.

Full jitter: anything between nothing and a ceiling that doubles (Marc Brooker, "Exponential Backoff And Jitter", 2015),
so that the callers of a service that has come back do not all return at the same instant.
"""

from collections.abc import Callable
from typing import Final

BASE_SECONDS: Final = 0.5
CAP_SECONDS: Final = 8.0
#: A service that asks for a longer wait is not waited for: the task fails, and may be tried again later.
MAX_RETRY_AFTER_SECONDS: Final = 120.0


def backoff_seconds(retry: int, asked_seconds: float | None, random: Callable[[], float]) -> float | None:
    """Return the wait before a retry, counted from 0; None when waiting so long is not worth it.

    `asked_seconds` is what the service asks for: never undercut, and spread over a second. `random` returns 0 to 1.
    """
    if asked_seconds is None:
        ceiling: float = min(CAP_SECONDS, BASE_SECONDS * 2**retry)
        return ceiling * random()
    if asked_seconds > MAX_RETRY_AFTER_SECONDS:
        return None
    return asked_seconds + random()
