"""Counting by address."""

import pytest

from server.addresses import AddressCount


def test_each_address_has_its_own_count() -> None:
    addresses = AddressCount(2)
    assert [addresses.claim("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert addresses.claim("192.0.2.2")
    assert addresses.total == 3
    addresses.release("192.0.2.1")
    assert addresses.claim("192.0.2.1")
    for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2"):
        addresses.release(address)
    assert addresses.total == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2001:db8::1", "2001:db8::ffff:2"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::2%eth0"),
        ("", ""),
        ("localhost", "localhost"),
    ],
)
def test_what_one_subscriber_has_is_one_address(first: str, second: str) -> None:
    addresses = AddressCount(1)
    assert addresses.claim(first)
    assert not addresses.claim(second)
    addresses.release(second)
    assert addresses.claim(first)


def test_other_networks_are_others() -> None:
    addresses = AddressCount(1)
    assert addresses.claim("2001:db8::1")
    assert addresses.claim("2001:db8:0:1::1")


def test_a_trusted_proxy_is_not_counted() -> None:
    addresses = AddressCount(1, ("127.0.0.1", "10.0.0.0/8", "::1"))
    for address in ("127.0.0.1", "10.1.2.3", "::1", "::ffff:10.1.2.3"):
        assert all(addresses.claim(address) for _ in range(3)), address
        addresses.release(address)
    assert addresses.total == 0
    assert [addresses.claim("192.0.2.1") for _ in range(2)] == [True, False]


def test_no_limit_counts_nothing() -> None:
    addresses = AddressCount(0)
    assert all(addresses.claim("192.0.2.1") for _ in range(100))
    assert addresses.total == 0
