"""How often something may be asked for."""

import pytest

from domain.errors import RateLimited
from domain.rate_limits import _MAX_BUCKETS, Limiter, RateLimits
from domain.settings import load_settings
from tests.conftest import MovableClock


def test_so_many_at_once_and_then_one_at_a_time(clock: MovableClock) -> None:
    limiter = Limiter(clock, 6, "Too many.")
    for _ in range(6):
        limiter.take("a")
    with pytest.raises(RateLimited, match=r"Too many\. Try again in 10 s\.") as caught:
        limiter.take("a")
    assert caught.value.retry_after_seconds == 10
    limiter.take("b")
    clock.advance(10)
    limiter.take("a")
    with pytest.raises(RateLimited):
        limiter.take("a")
    clock.advance(3600)
    for _ in range(6):
        limiter.take("a")


def test_a_refusal_counts_nothing_and_a_large_count_is_owed(clock: MovableClock) -> None:
    limiter = Limiter(clock, 60, "Too many.")
    limiter.take("a", 100)
    with pytest.raises(RateLimited) as caught:
        limiter.take("a")
    assert caught.value.retry_after_seconds == 41
    with pytest.raises(RateLimited):
        limiter.take("a", 5)
    clock.advance(41)
    limiter.take("a")


def test_zero_is_no_limit_and_memory_is_bounded(clock: MovableClock) -> None:
    free = Limiter(clock, 0, "Never.")
    for _ in range(1000):
        free.take("a")
    bounded = Limiter(clock, 1, "Too many.")
    for number in range(_MAX_BUCKETS + 10):
        bounded.take(str(number))
    assert len(bounded._buckets) == _MAX_BUCKETS


def test_each_kind_has_its_own_limit(clock: MovableClock) -> None:
    limits = RateLimits(load_settings(signups_per_minute=1, logins_per_minute=2, generates_per_minute=3), clock)
    limits.signup("127.0.0.1")
    limits.login("127.0.0.1")
    limits.login("127.0.0.1")
    limits.generate("usr_a", 3)
    for refused in (
        lambda: limits.signup("127.0.0.1"),
        lambda: limits.login("127.0.0.1"),
        lambda: limits.generate("usr_a"),
    ):
        with pytest.raises(RateLimited):
            refused()
    limits.signup("127.0.0.2")
    limits.generate("usr_b")


@pytest.mark.parametrize(
    ("same", "other"),
    [
        (["2001:db8:0:7::1", "2001:db8:0:7::2", "2001:db8:0:7:ffff::9"], "2001:db8:0:8::1"),
        (["203.0.113.7", "::ffff:203.0.113.7", "::ffff:cb00:7107"], "203.0.113.8"),
        (["fe80::1%eth0", "fe80::2%eth0", "fe80::2"], "203.0.113.8"),
        (["", "", ""], "203.0.113.8"),
    ],
)
def test_whoever_changes_addresses_inside_their_own_network_is_still_one(
    clock: MovableClock, same: list[str], other: str
) -> None:
    limits = RateLimits(load_settings(signups_per_minute=2, logins_per_minute=2), clock)
    for take in (limits.signup, limits.login):
        for address in same[:2]:
            take(address)
        with pytest.raises(RateLimited):
            take(same[2])
        take(other)


def test_uploads_are_counted_by_user(clock: MovableClock) -> None:
    limits = RateLimits(load_settings(uploads_per_minute=2), clock)
    limits.upload("usr_1")
    limits.upload("usr_1")
    limits.upload("usr_2")
    with pytest.raises(RateLimited, match="Too many uploads") as caught:
        limits.upload("usr_1")
    assert caught.value.retry_after_seconds == 30
