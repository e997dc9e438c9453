"""The wait that a server asks for (RFC 9110, section 10.2.3)."""

import email.utils
from datetime import UTC, datetime


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """Return the wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3); None for none or nonsense."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        at = email.utils.parsedate_to_datetime(value)
        return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds())
    except (ValueError, OverflowError):  # also years and zones that no calendar has
        return None
