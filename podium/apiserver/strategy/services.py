"""Services: the addresses and ports that a cluster gives them.

The ranges are those of kubeadm and of kube-apiserver's defaults; which of the free ones a service
gets is chosen at random.
"""

from ipaddress import IPv4Network
from itertools import chain

from podium.api.objects import Object
from podium.apiserver.strategy.strategy import Creation

_ADDRESSES = IPv4Network("10.96.0.0/12")
_NODE_PORTS = range(30000, 32768)
_HEADLESS = "None"
_WITH_NODE_PORTS = ("NodePort", "LoadBalancer")


def create(service: Object, creation: Creation) -> Object:
    """A new Service, with an address unless it wants none, and with ports on nodes if it does."""
    spec = service.get("spec") or {}
    service = {**service, "status": {"loadBalancer": {}}}
    if spec.get("type") == "ExternalName":
        return service
    others = [other.get("spec") or {} for other in creation.others()]
    address = spec.get("clusterIP") or _free_address(others, creation)
    spec = {
        **spec,
        "clusterIP": address,
        "clusterIPs": spec.get("clusterIPs") or [address],
        "ipFamilies": spec.get("ipFamilies") or ["IPv4"],
        "ipFamilyPolicy": spec.get("ipFamilyPolicy") or "SingleStack",
    }
    if spec.get("type") in _WITH_NODE_PORTS:
        spec["ports"] = _with_node_ports(spec.get("ports") or [], others, creation)
    return {**service, "spec": spec}


def keep_addresses(new: Object, old: Object, _now_s: float) -> Object:
    """An update that leaves addresses out keeps them, as long as the service still wants one."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if spec.get("type") == "ExternalName" or before.get("type") == "ExternalName":
        return new
    kept = {
        field: before[field]
        for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if before.get(field) and not spec.get(field)
    }
    return {**new, "spec": {**spec, **kept}} if kept else new


def _free_address(others: list[Object], creation: Creation) -> str:
    taken = {other.get("clusterIP") for other in others}
    while True:
        # Neither the network's own address nor its last one.
        address = str(_ADDRESSES[creation.rng.randrange(1, _ADDRESSES.num_addresses - 1)])
        if address not in taken:
            return address


def _with_node_ports(ports: list[Object], others: list[Object], creation: Creation) -> list[Object]:
    everyone = chain(ports, *(other.get("ports") or () for other in others))
    taken = {port.get("nodePort") for port in everyone}
    free = [number for number in _NODE_PORTS if number not in taken]
    without = sum(not port.get("nodePort") for port in ports)
    chosen = iter(creation.rng.sample(free, without))
    return [port if port.get("nodePort") else {**port, "nodePort": next(chosen)} for port in ports]
