"""Whether a provider can be used now: a circuit breaker, and what keeps it out for good."""

import time
from collections.abc import Callable
from typing import Final

#: Failures in a row, each of a service that was reached, after which it counts as down.
_FAILURES: Final = 5
_FIRST_BREAK_SECONDS: Final = 30.0
_LONGEST_BREAK_SECONDS: Final = 300.0


class Health:
    """Remembers that a provider is down, so that not every task has to find out for itself.

    After the break one request is let through, as a probe; the others are still turned away until it has succeeded.
    Every answer that does not blame the service counts as a success. `clock` counts seconds and never goes back.
    """

    def __init__(self, *, misconfigured: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        """`misconfigured` says why it can never be used as it is set up; empty when it can."""
        self.misconfigured = misconfigured
        self._clock = clock
        self._failures = 0
        self._break_seconds = _FIRST_BREAK_SECONDS
        self._reason = ""
        self._closed_until = float("-inf")
        self._probing_until = float("-inf")

    @property
    def unavailable_reason(self) -> str | None:
        """Why it cannot be used now, for people; None when it can."""
        if self.misconfigured:
            return self.misconfigured
        return self._reason if self._clock() < max(self._closed_until, self._probing_until) else None

    @property
    def broken_reason(self) -> str | None:
        """Why it cannot be used, also by the one that was let through as a probe; None when it can."""
        return self._reason if self._clock() < self._closed_until else None

    def admit(self) -> str | None:
        """Return None when a request may be sent now, else the reason why not. The first after a break is the probe."""
        reason = self.unavailable_reason
        if reason is None and self._reason:
            self._probing_until = self._clock() + self._break_seconds
        return reason

    def succeeded(self) -> None:
        """Note an answer that does not blame the service."""
        self._failures = 0
        self._break_seconds = _FIRST_BREAK_SECONDS
        self._reason = ""
        self._closed_until = self._probing_until = float("-inf")

    def failed(self, reason: str, *, at_once: bool) -> None:
        """Note a failure of the service; `at_once`: it could not be reached, or lets nobody in, so one is enough."""
        self._failures += 1
        if not at_once and self._failures < _FAILURES and not self._reason:
            return
        now = self._clock()
        if now < self._closed_until:
            return  # told by a request that was on its way already: the break is not prolonged for it
        if self._reason:
            self._break_seconds = min(2 * self._break_seconds, _LONGEST_BREAK_SECONDS)
        self._reason = reason
        self._closed_until = now + self._break_seconds
        self._probing_until = float("-inf")

    def gave_up_probe(self) -> None:
        """Note that the probe ended without telling anything, by a cancellation for instance: the next one is it."""
        self._probing_until = float("-inf")
