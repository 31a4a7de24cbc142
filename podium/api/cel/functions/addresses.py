"""Functions of IP addresses and networks."""

from collections.abc import Callable, Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from podium.api.cel.functions.overloads import (
    PER_CHARACTER,
    TRAVERSAL,
    TWO_TRAVERSALS,
    Cost,
    Overload,
    function,
    method,
    share,
    size_of,
)
from podium.api.cel.functions.quantities import succeeds
from podium.api.cel.type_system import BOOL, CIDR, INT, IP, STRING
from podium.api.cel.values import Address, CelError, Network

_BITS = {4: 32, 6: 128}
_BYTES_MAX = 16


def parse_address(text: str) -> Address:
    """Parse an address; raises CelError."""
    try:
        ip = ip_address(text)
    except ValueError:
        message = f'IP Address "{text}" parse error during conversion from string'
        raise CelError(message) from None
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None:
            raise CelError(f"IP address {text!r} with zone value is not allowed")
        if ip.ipv4_mapped is not None:
            raise CelError(f"IPv4-mapped IPv6 address {text!r} is not allowed")
    return Address(ip)


def parse_network(text: str) -> Network:
    """Parse an address with the length of a prefix; raises CelError."""
    address, slash, length = text.partition("/")
    is_number = length.isascii() and length.isdigit() and (length == "0" or length[0] != "0")
    try:
        ip = parse_address(address).ip
    except CelError:
        is_number = False
    if not slash or not is_number or int(length) > _BITS[ip.version]:
        raise CelError(f"network address parse error during conversion from string: {text!r}")
    return Network(ip, int(length))


def is_canonical(text: str) -> bool:
    """Return whether an address is written in its shortest form; raises CelError."""
    return str(parse_address(text).ip) == text


def masked(network: Network) -> Network:
    """Return a network without bits beyond its prefix."""
    base = ip_network((network.ip, network.length), strict=False)
    return Network(base.network_address, network.length)


def has_address(network: Network, address: Address) -> bool:
    """Return whether an address belongs to a network."""
    same_family = network.ip.version == address.ip.version
    return same_family and masked(network) == masked(Network(address.ip, network.length))


def has_network(network: Network, other: Network) -> bool:
    """Return whether a network contains another."""
    return network.length <= other.length and has_address(network, Address(other.ip))


def is_link_local_multicast(address: Address) -> bool:
    """Return whether an address is for multicast on one link."""
    packed = address.ip.packed
    if address.ip.version == 4:
        return packed[:3] == b"\xe0\x00\x00"
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02


def is_global_unicast(address: Address) -> bool:
    """Return whether an address is one of unicast beyond its link, be it private."""
    ip = address.ip
    if ip.version == 4 and int(ip) == 0xFFFFFFFF:
        return False
    return not (ip.is_unspecified or ip.is_loopback or ip.is_multicast or ip.is_link_local)


def _contains(
    name: str,
    kind: str,
    read: Callable[[str], Any],
    holds: Callable[[Network, Any], bool],
    passes: int,
) -> list[Overload]:
    """Return a method that looks for an address or network in a network.

    Args:
        passes: how often the bytes of an address are gone through.
    """

    def cost_of(length: int) -> int:
        # Where there is a third pass, both networks are masked first, and their lengths compared.
        return share(2 * length, PER_CHARACTER) + (
            share(length, PER_CHARACTER) + 1 if passes > 2 else 0
        )

    typed = Cost(lambda _: cost_of(_BYTES_MAX), lambda values, _: cost_of(size_of(values[0])))
    from_text = Cost(
        lambda arguments: cost_of(_BYTES_MAX) + share(arguments[1].size.most, PER_CHARACTER),
        lambda values, _: cost_of(size_of(values[0])) + share(len(values[1]), PER_CHARACTER),
    )
    return [
        method(name, (CIDR, STRING), BOOL, lambda a, text: holds(a, read(text)), from_text),
        method(name, (CIDR, kind), BOOL, holds, typed),
    ]


_TESTS: Mapping[str, Callable[[Address], bool]] = {
    "isUnspecified": lambda a: a.ip.is_unspecified,
    "isLoopback": lambda a: a.ip.is_loopback,
    "isLinkLocalMulticast": is_link_local_multicast,
    "isLinkLocalUnicast": lambda a: a.ip.is_link_local,
    "isGlobalUnicast": is_global_unicast,
}

OVERLOADS = (
    function("ip", (STRING,), IP, parse_address, TRAVERSAL),
    function("isIP", (STRING,), BOOL, succeeds(parse_address), TRAVERSAL),
    function("cidr", (STRING,), CIDR, parse_network, TRAVERSAL),
    function("isCIDR", (STRING,), BOOL, succeeds(parse_network), TRAVERSAL),
    function("ip.isCanonical", (STRING,), BOOL, is_canonical, TWO_TRAVERSALS),
    function("string", (IP,), STRING, lambda a: str(a.ip)),
    function("string", (CIDR,), STRING, lambda a: f"{a.ip}/{a.length}"),
    method("family", (IP,), INT, lambda a: a.ip.version),
    *(method(name, (IP,), BOOL, test) for name, test in _TESTS.items()),
    method("ip", (CIDR,), IP, lambda a: Address(a.ip)),
    method("masked", (CIDR,), CIDR, masked),
    method("prefixLength", (CIDR,), INT, lambda a: a.length),
    *_contains("containsIP", IP, parse_address, has_address, 2),
    *_contains("containsCIDR", CIDR, parse_network, has_network, 3),
)
