"""Where a webhook may point."""

import ipaddress
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import InvalidInput
from domain.targets import MAX_URL, TargetRefused, allowed_addresses, is_public, parse_target
from domain.webhooks.targets import checked_url

INSIDE = [
    "0.0.0.0",  # noqa: S104 (nothing binds to it)
    "10.1.2.3",
    "100.100.100.200",
    "127.0.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
]
OUTSIDE = ["1.1.1.1", "93.184.215.14", "172.32.0.1", "192.1.0.1", "2606:4700::1111", "2a00:1450:4001:82f::200e"]


class Names:
    """A resolver that knows a few names and counts how often it is asked."""

    def __init__(self, **names: Sequence[str]) -> None:
        self.names = {name.replace("_", "."): list(addresses) for name, addresses in names.items()}
        self.asked = 0

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked += 1
        if host not in self.names:
            raise OSError(host)
        return self.names[host]


@pytest.mark.parametrize("address", INSIDE)
def test_addresses_inside_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_in_ipv6_is_judged_as_what_it_is(number: int) -> None:
    plain = ipaddress.IPv4Address(number)
    for carrier in (f"::ffff:{plain}", f"64:ff9b::{plain}"):
        assert is_public(carrier) == is_public(str(plain))


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_nothing_that_the_standard_library_knows_as_special_is_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if isinstance(address, ipaddress.IPv6Address) and (int(address) >> 32) in {0xFFFF, 0x64FF9B << 64}:
        return  # they carry IPv4 addresses, which the test above is about
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.0.1.",
        "1.2.3",
        "0x",
        "300.1.1.1",
    ],
)
async def test_other_notations_of_an_address_are_refused(host: str) -> None:
    names = Names(**{host: ["1.1.1.1"]})
    for private in (False, True):
        if host == "127.0.0.1." and private:
            continue
        with pytest.raises(InvalidInput):
            await checked_url(f"http://{host}/", names.resolve, private=private)
    assert names.asked == 0


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com/hook",
        "//example.com",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://example.com@10.0.0.1/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com:x/",
        "http://example.com/#part",
        "http://exa mple.com/",
        "http://example.com/a b",
        "http://example.com/\r\nHost: other",
        "http://example.com\\@10.0.0.1/",
        "http://例え.jp/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://exa%6dple.com/",
        "http://-example.com/",
        "http://a..b/",
        "http://[::1/",
        "http://[1.2.3.4]/",
        "http://[zz]/",
        "http://example.com/\x00",
        "http://example.com/\ud800",
        "https://example.com/" + "x" * MAX_URL,
    ],
)
async def test_what_no_webhook_may_have_is_refused_by_its_field(url: str) -> None:
    names = Names(example_com=["1.1.1.1"])
    with pytest.raises(InvalidInput) as refused:
        await checked_url(url, names.resolve, private=True)
    assert refused.value.path == ("input", "url")
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("address", INSIDE)
async def test_private_targets_are_refused_as_address_and_behind_a_name(address: str) -> None:
    names = Names(inner_example=[address], mixed_example=["1.1.1.1", address])
    literal = f"[{address}]" if ":" in address else address
    for host in (literal, "inner.example", "mixed.example"):
        with pytest.raises(InvalidInput, match="private network"):
            await checked_url(f"https://{host}/", names.resolve, private=False)
        assert await checked_url(f"https://{host}/", names.resolve, private=True) == f"https://{host}/"


async def test_a_public_target_is_kept_as_it_was_written() -> None:
    names = Names(**{"hooks.example.com": ["1.1.1.1", "2606:4700::1111"]})
    url = "https://Hooks.Example.com.:8443/a%20b;c?x=1&y=%E5%8F%B2"
    assert await checked_url(url, names.resolve, private=False) == url
    target = parse_target(url)
    assert (target.host, target.port, target.path) == ("hooks.example.com", 8443, "/a%20b;c?x=1&y=%E5%8F%B2")
    assert target.authority == "hooks.example.com:8443"
    assert parse_target("http://[2606:4700::1111]").authority == "[2606:4700::1111]"


async def test_a_name_that_stands_for_nothing_is_refused() -> None:
    names = Names(empty_example=[])
    for host in ("nowhere.example", "empty.example"):
        with pytest.raises(InvalidInput, match="cannot be found"):
            await checked_url(f"https://{host}/", names.resolve, private=False)


async def test_the_addresses_to_connect_to_are_those_that_were_checked() -> None:
    names = Names(two_example=["1.1.1.1", "8.8.8.8"])
    target = parse_target("https://two.example/")
    assert await allowed_addresses(target, names.resolve, private=False) == ["1.1.1.1", "8.8.8.8"]
    assert names.asked == 1
    names.names["two.example"] = ["10.0.0.1"]
    with pytest.raises(TargetRefused):
        await allowed_addresses(target, names.resolve, private=False)
