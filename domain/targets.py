"""Where the server connects to on the word of others: never, unless the operator allows it, into its own network.

Webhooks and downloads of what a provider made go through here. What is judged are the numbers that are then connected
to, because a name may stand for other numbers a moment later.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

MAX_URL: Final = 2000
_PORTS: Final = {"http": 80, "https": 443}
# RFC 3986, the characters of a URI, without the ones that begin a fragment.
_CHARACTERS: Final = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
_NAME: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?"
)
# A last label like this makes resolvers read the whole as an IPv4 address: 2130706433, 0177.0.0.1, 0x7f.1, 127.1.
_NUMERIC_END: Final = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)\.?")
# IANA's registry of special-purpose IPv4 addresses, multicast and reserved space.
_SPECIAL_IPV4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# Global unicast, and what of it is special: protocols such as Teredo, documentation, 6to4.
_GLOBAL_IPV6: Final = IPv6Network("2000::/3")
_SPECIAL_IPV6: Final = tuple(
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
# Their last 32 bits are the IPv4 address that is reached: mapped addresses, and those of a NAT64 gateway.
_CARRIERS_OF_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))

#: Returns the addresses, as text, that a host name and port stand for; raises `OSError` when there are none.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class TargetRefused(Exception):
    """The server does not connect to this address; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL, and how to ask one checked address for it."""

    scheme: str
    #: A name in ASCII and lower case, or an address without brackets.
    host: str
    port: int
    #: Path and query.
    path: str

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def at(self, address: str) -> str:
        """Return the URL that names a checked address instead of the host, so that nothing is looked up again.

        The host then belongs into the `Host` header, and into TLS, where the certificate is compared with it.
        """
        numeric = f"[{address}]" if ":" in address else address
        return f"{self.scheme}://{numeric}:{self.port}{self.path}"


def parse_target(url: str, max_characters: int = MAX_URL) -> Target:
    """Return the parts of a URL; raises `TargetRefused` for what is never connected to, wherever it points."""
    if len(url) > max_characters:
        raise TargetRefused(f"The URL has {len(url)} characters; at most {max_characters} are allowed.")
    if not _CHARACTERS.fullmatch(url):
        raise TargetRefused(
            "The URL holds a character that URLs do not have, or a fragment. Write other characters percent-encoded, "
            "and names of hosts in their xn-- form."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise TargetRefused("This is not a URL.") from None
    if parts.scheme not in _PORTS:
        raise TargetRefused("The URL must begin with https:// or http://.")
    if "@" in parts.netloc:
        raise TargetRefused("The URL must not hold a user name or password.")
    if port == 0:
        raise TargetRefused("The URL names port 0, which does not exist.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, _host(parts), port or _PORTS[parts.scheme], path)


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if "[" in parts.netloc:
        try:
            return str(IPv6Address(host))
        except ValueError:
            raise TargetRefused("The host is not an IPv6 address.") from None
    if _NUMERIC_END.fullmatch(host):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise TargetRefused("Write an IPv4 address as four decimal numbers.") from None
    if not _NAME.fullmatch(host):
        raise TargetRefused("The URL has no valid host.")
    # The dot that ends a full name is none of the name that certificates bear.
    return host.removesuffix(".")


def is_public(address: str) -> bool:
    """Tell whether an address is one of the internet: not loopback, private, link-local, multicast or special."""
    number = ip_address(address)
    if isinstance(number, IPv6Address):
        if not any(number in carrier for carrier in _CARRIERS_OF_IPV4):
            return number in _GLOBAL_IPV6 and not any(number in network for network in _SPECIAL_IPV6)
        number = IPv4Address(int(number) & 0xFFFFFFFF)
    return not any(number in network for network in _SPECIAL_IPV4)


async def allowed_addresses(target: Target, resolve: Resolve, *, private: bool) -> Sequence[str]:
    """Return the addresses to connect to; `private` allows those of the server's own network too.

    A name of which one address is refused is refused altogether. Raises `TargetRefused`.
    """
    try:
        addresses = [str(ip_address(target.host))]
    except ValueError:
        try:
            addresses = [*await resolve(target.host, target.port)]
        except OSError:
            addresses = []
    if not addresses:
        raise TargetRefused(f"The host {target.host} cannot be found.")
    if not private and not all(is_public(address) for address in addresses):
        raise TargetRefused(
            f"The host {target.host} is, or stands for, an address of a private network, which this server does not "
            "connect to."
        )
    return addresses
