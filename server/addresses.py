"""Counting by the address that something comes from."""

import ipaddress
from collections import Counter
from collections.abc import Iterable
from typing import Final

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

#: What a subscriber of IPv6 is given, at least: whoever has one address of it has them all.
_SUBSCRIBER_BITS: Final = 64


class AddressCount:
    """At most so many of something from one address, 0 for no limit.

    A proxy that is trusted stands for many clients, and is not counted under its own address.
    """

    def __init__(self, limit: int, trusted: Iterable[str] = ()) -> None:
        self._limit = limit
        self._trusted = tuple(ipaddress.ip_network(network, strict=False) for network in trusted)
        self._counts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many are counted."""
        return self._counts.total()

    def claim(self, address: str) -> bool:
        """Count one more, unless there are as many as there may be."""
        key = self._key(address)
        if key is None:
            return True
        if self._counts[key] >= self._limit:
            return False
        self._counts[key] += 1
        return True

    def release(self, address: str) -> None:
        """Take back one claim."""
        key = self._key(address)
        if key is not None:
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]

    def _key(self, address: str) -> str | None:
        """Return under what an address is counted; None when it is not."""
        if not self._limit:
            return None
        try:
            parsed: _Address = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return address  # a name that a server on a Unix socket gives, or nothing
        if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        if any(parsed.version == network.version and parsed in network for network in self._trusted):
            return None
        if parsed.version == 4:  # noqa: PLR2004 (the version of the protocol)
            return str(parsed)
        return str(ipaddress.ip_network((parsed, _SUBSCRIBER_BITS), strict=False))
