from datetime import UTC, datetime, timedelta

import pytest

from worker.retry_after import retry_after_seconds

NOW = datetime(2026, 12, 1, 12, 0, 0, 999_999, tzinfo=UTC)


def test_the_wait_that_a_server_asks_for_is_read() -> None:
    later = NOW + timedelta(seconds=90)
    assert retry_after_seconds(None, NOW) is None
    assert retry_after_seconds("120", NOW) == 120
    assert retry_after_seconds("9" * 400, NOW) == 999_999_999
    asked = retry_after_seconds(later.strftime("%a, %d %b %Y %H:%M:%S GMT"), NOW)
    assert asked == pytest.approx(90, abs=1)
    assert retry_after_seconds("Tue, 01 Dec 2020 12:00:00 GMT", NOW) == 0
    for nonsense in ("", "soon", "-5", "1.5", "٣", "Tue, 99 Dec 2026"):
        assert retry_after_seconds(nonsense, NOW) is None
