"""Services: allocation of cluster IPs and node ports, defaults, validation and warnings.

Cluster IPs are from kubeadm's default range, node ports from kube-apiserver's; both are drawn at
random from the free ones.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import chain
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, entries, spec_of, without
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of, filled
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import dns_label, label_map, object_check
from podium.apiserver.validation.pods.pod_warnings import address_warnings
from podium.apiserver.validation.pods.ports import port_number, port_or_name

_ADDRESSES = IPv4Network("10.96.0.0/12")
_NODE_PORTS = range(30000, 32768)
_HEADLESS = "None"
_WITH_NODE_PORTS = ("NodePort", "LoadBalancer")
_HINTS = "service.kubernetes.io/topology-aware-hints"
_TOPOLOGY_MODE = "service.kubernetes.io/topology-mode"


def _create(service: Object, creation: Creation) -> Object:
    spec = spec_of(service)
    if spec.get("type") == "ExternalName":
        return service
    others = [spec_of(other) for other in creation.others()]
    address = spec.get("clusterIP")
    taken = {other.get("clusterIP") for other in others}
    while not address or (address in taken and address != spec.get("clusterIP")):
        # Neither the network's own address nor its last one.
        address = str(_ADDRESSES[creation.rng.randrange(1, _ADDRESSES.num_addresses - 1)])
    # A service with endpoints of its own may have them of either family.
    is_free = address == _HEADLESS and not spec.get("selector")
    spec = {
        **spec,
        "clusterIP": address,
        "clusterIPs": spec.get("clusterIPs") or [address],
        "ipFamilies": spec.get("ipFamilies") or (["IPv4", "IPv6"] if is_free else ["IPv4"]),
        "ipFamilyPolicy": spec.get("ipFamilyPolicy")
        or ("RequireDualStack" if is_free else "SingleStack"),
    }
    # A balancer may reach the pods without ports of the nodes.
    if spec.get("type") == "NodePort" or spec.get("allocateLoadBalancerNodePorts"):
        ports = spec.get("ports") or []
        all_ports = chain(ports, *(other.get("ports") or () for other in others))
        used = {port.get("nodePort") for port in all_ports}
        free = [number for number in _NODE_PORTS if number not in used]
        chosen = iter(creation.rng.sample(free, sum(not port.get("nodePort") for port in ports)))
        spec["ports"] = [
            port if port.get("nodePort") else {**port, "nodePort": next(chosen)} for port in ports
        ]
    return {**service, "spec": spec}


def _keep_addresses(new: Object, old: Object, _now_s: float) -> Object:
    spec, before = spec_of(new), spec_of(old)
    if spec.get("type") == "ExternalName" or before.get("type") == "ExternalName":
        return new
    kept = {
        field: before[field]
        for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if before.get(field) and not spec.get(field)
    }
    return {**new, "spec": {**spec, **kept}} if kept else new


@defaults_of("core.ServicePort")
def _with_target(port: Object) -> Object:
    return port if port.get("targetPort") else {**port, "targetPort": port.get("port")}


@defaults_of("core.LoadBalancerIngress")
def _with_mode(ingress: Object) -> Object:
    return filled(ingress, ipMode="VIP") if ingress.get("ip") else ingress


@defaults_of("core.ServiceSpec")
def _with_policies(spec: Object) -> Object:
    if spec["sessionAffinity"] == "None" and "sessionAffinityConfig" in spec:
        spec = without(spec, "sessionAffinityConfig")
    if spec["type"] != "ExternalName":
        spec = filled(spec, internalTrafficPolicy="Cluster")
    if spec["type"] in _WITH_NODE_PORTS or (
        spec["type"] == "ClusterIP" and spec.get("externalIPs")
    ):
        spec = filled(spec, externalTrafficPolicy="Cluster")
    return spec


def _cluster_addresses(new: Object, old: Object) -> checks.Faults:
    spec, before = spec_of(new), spec_of(old)
    if "ExternalName" in (spec.get("type"), before.get("type")):
        return
    now, then = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    if then and not now:
        yield FieldError("spec.clusterIPs[0]", "null", "primary clusterIP can not be unset")
    for index, (one, other) in enumerate(zip(now, then, strict=False)):
        if one != other:
            yield FieldError(f"spec.clusterIPs[{index}]", now, "may not change once set")


_service_port = checks.fields(
    port=checks.absent_as(0, port_number),
    protocol=checks.one_of("SCTP", "TCP", "UDP"),
    targetPort=port_or_name,
)


def _ports(spec: Any, path: str) -> checks.Faults:
    ports, path = entries(spec, "ports"), checks.join(path, "ports")
    without_address = spec.get("clusterIP") == _HEADLESS or spec.get("type") == "ExternalName"
    if not ports and not without_address:
        yield checks.required(path)
    seen: set[object] = set()
    for index, port in enumerate(ports):
        where, name = f"{path}[{index}]", port.get("name") or ""
        if name:
            yield from dns_label(name, f"{where}.name")
            if name in seen:
                yield checks.duplicate(f"{where}.name", name)
            seen.add(name)
        elif len(ports) > 1:
            yield checks.required(f"{where}.name")
        yield from _service_port(port, where)
    for index, port in enumerate(ports):
        protocol, number = port.get("protocol"), port.get("port")
        if (protocol, number) in seen:
            shown = {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": number}
            shown |= {"TargetPort": 0, "NodePort": 0}
            yield checks.duplicate(f"{path}[{index}]", shown)
        seen.add((protocol, number))


_valid_content = object_check(
    name=dns_label,
    spec=checks.both(
        _ports, checks.fields(selector=label_map, externalIPs=checks.each(checks.ip_address))
    ),
)


def _valid_service(service: Any, path: str) -> checks.Faults:
    spec, faults = spec_of(service), []
    address = spec.get("clusterIP")
    if address and address != _HEADLESS and spec.get("type") != "ExternalName":
        faults = [*checks.ip_address(address, checks.join(path, "spec.clusterIPs[0]"))]
    # A wrong address is the only fault of a service that is reported.
    yield from faults or _valid_content(service, path)


def _warnings(service: Object) -> Iterator[str]:
    spec = spec_of(service)
    is_headless = spec.get("type") == "ClusterIP" and spec.get("clusterIP") == _HEADLESS
    is_external = spec.get("type") == "ExternalName"
    if _HINTS in annotations(service):
        yield f"annotation {_HINTS} is deprecated, please use {_TOPOLOGY_MODE} instead"
    if not is_headless:
        for index, address in enumerate(entries(spec, "clusterIPs")):
            yield from address_warnings(address, f"spec.clusterIPs[{index}]")
    if is_headless:
        for field in ("loadBalancerIP", "externalIPs"):
            if spec.get(field):
                yield f"spec.{field} is ignored for headless services"
        if spec.get("sessionAffinity") != "None":
            yield "spec.SessionAffinity is ignored for headless services"
    for index, address in enumerate(entries(spec, "externalIPs")):
        yield from address_warnings(address, f"spec.externalIPs[{index}]")
    if spec.get("externalIPs") and not is_headless and not is_external:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    yield from address_warnings(spec.get("loadBalancerIP") or "", "spec.loadBalancerIP")
    if is_external and spec.get("externalIPs"):
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if not is_external and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


SERVICE = Registration(
    kind=KINDS["Service"],
    warnings=_warnings,
    validate=_valid_service,
    validate_update=rules.all_of(
        rules.metadata, _cluster_addresses, rules.valid(_valid_service, "spec")
    ),
    create=_create,
    update=_keep_addresses,
)
