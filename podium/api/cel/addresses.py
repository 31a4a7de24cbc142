"""IP addresses and networks in CEL, as Kubernetes' extensions have them."""

from ipaddress import IPv6Address, ip_address, ip_network

from podium.api.cel.values import Address, CelError, Network

_BITS = {4: 32, 6: 128}


def parse_address(text: str) -> Address:
    """Parse an address; raises CelError."""
    try:
        ip = ip_address(text)
    except ValueError:
        message = f"IP Address {text!r} parse error during conversion from string"
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


def masked(network: Network) -> Network:
    """Return a network without bits beyond its prefix."""
    base = ip_network((network.ip, network.length), strict=False)
    return Network(base.network_address, network.length)


def has_address(network: Network, address: Address) -> bool:
    """Return whether an address belongs to a network."""
    same_family = network.ip.version == address.ip.version
    return same_family and masked(network) == masked(Network(address.ip, network.length))


def has_network(network: Network, other: Network) -> bool:
    """Return whether a network contains another, whose address is the network's own.

    As upstream compares them: networks further within aren't contained.
    """
    own = masked(network) == Network(other.ip, network.length)
    return own and network.length <= other.length


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
