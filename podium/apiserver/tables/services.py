"""The columns of services and of the addresses behind them."""

from collections.abc import Iterable, Iterator

from podium.api.objects import Object
from podium.apiserver.tables.columns import (
    AGE,
    NAME,
    NONE,
    UNSET,
    WIDE,
    Column,
    at,
    labels_text,
    text,
)

_SHOWN_MAX = 3


def _shortened(entries: Iterable[str], if_empty: str) -> str:
    """The first few entries, and how many more there are."""
    found = list(entries)
    shown = ",".join(found[:_SHOWN_MAX])
    more = len(found) - _SHOWN_MAX
    return f"{shown} + {more} more..." if more > 0 else shown or if_empty


def _cluster_ip(service: Object, _now_s: float) -> str:
    addresses = at(service, "spec", "clusterIPs")
    return str(addresses[0]) if addresses else NONE


def _balancer_addresses(service: Object) -> list[str]:
    ingress = at(service, "status", "loadBalancer", "ingress") or ()
    return sorted({one.get("ip") or one.get("hostname") or "" for one in ingress} - {""})


def _external_ip(service: Object, _now_s: float) -> str:
    own = at(service, "spec", "externalIPs") or []
    match at(service, "spec", "type"):
        case "ClusterIP" | "NodePort":
            return ",".join(own) or NONE
        case "LoadBalancer":
            return ",".join([*_balancer_addresses(service), *own]) or "<pending>"
        case "ExternalName":
            return str(at(service, "spec", "externalName") or "")
    return "<unknown>"


def _port(port: Object) -> str:
    outside = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port', 0)}{outside}/{port.get('protocol', '')}"


def _ports(service: Object, _now_s: float) -> str:
    return ",".join(map(_port, at(service, "spec", "ports") or ())) or NONE


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _subset(subset: Object) -> Iterator[str]:
    addresses = [address.get("ip", "") for address in subset.get("addresses") or ()]
    # A headless service may have no ports at all.
    if not subset.get("ports"):
        yield from addresses
    for port in subset.get("ports") or ():
        yield from (_host_port(address, port.get("port", 0)) for address in addresses)


def _endpoints(endpoints: Object, _now_s: float) -> str:
    subsets = endpoints.get("subsets") or ()
    return _shortened(
        (one for subset in subsets for one in _subset(subset)), "" if subsets else NONE
    )


def _slice_port(port: Object) -> str:
    if port.get("port") is not None:
        return str(port["port"])
    return str(port["name"]) if port.get("name") is not None else "*"


def _slice_ports(endpoint_slice: Object, _now_s: float) -> str:
    return _shortened(map(_slice_port, endpoint_slice.get("ports") or ()), UNSET)


def _slice_endpoints(endpoint_slice: Object, _now_s: float) -> str:
    endpoints = endpoint_slice.get("endpoints") or ()
    return _shortened((one for e in endpoints for one in e.get("addresses") or ()), UNSET)


SERVICE = (
    NAME,
    Column("Type", text("spec", "type"), "How the service is exposed."),
    Column("Cluster-IP", _cluster_ip, "Address within the cluster."),
    Column("External-IP", _external_ip, "Addresses outside."),
    Column("Port(s)", _ports, "Ports, with those of the nodes where there are any."),
    AGE,
    Column(
        "Selector",
        lambda service, _: labels_text(at(service, "spec", "selector")),
        "Labels of the pods behind it.",
        priority=WIDE,
    ),
)

ENDPOINTS = (
    NAME,
    Column("Endpoints", _endpoints, "Addresses and ports behind the service."),
    AGE,
)

ENDPOINT_SLICE = (
    NAME,
    Column("AddressType", text("addressType"), "What sort of addresses they are."),
    Column("Ports", _slice_ports, "Ports of each endpoint."),
    Column("Endpoints", _slice_endpoints, "Addresses of the endpoints."),
    AGE,
)
