"""The admission of pods by the kubelet v1.36: eviction manager and predicateAdmitHandler.

A node under pressure rejects pods that would add to it. Next, the scheduler's filters for
resources, node affinity, node name, ports and NoExecute taints apply; the first rejection counts.
Extended resources that the node doesn't have are ignored. If a critical pod lacks nothing but
resources, the kubelet stops other pods (`podium.kubelet.critical_pod_preemption`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from podium.api.nodes import (
    MEMORY_PRESSURE,
    NO_EXECUTE,
    NO_SCHEDULE,
    PRESSURES,
    allocatable_of,
    tolerations_tolerate,
    untolerated,
)
from podium.api.objects import Object, conditions_of, labels, name, part, spec_of, status_of
from podium.api.priority import is_critical, is_static
from podium.api.resources import is_extended_resource, is_scalar_resource, stored_or_computed_qos
from podium.api.values.quantity import milli_value, value
from podium.scheduler.plugins.node_affinity import NodeAffinity
from podium.scheduler.plugins.node_declared_features import required_features
from podium.scheduler.plugins.node_ports import NodePorts
from podium.scheduler.plugins.taint_toleration import TaintToleration
from podium.scheduler.snapshot.host_ports import HostPort
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.resource_columns import NATIVE_RESOURCES

PODS = "pods"


class NodeLoad:
    """The requests (cpu in millis, others in units) and host ports of a node's pods, summed up."""

    def __init__(self, pods: Iterable[PodInfo] = ()) -> None:
        self.amounts: Counter[str] = Counter()
        self.ports: Counter[HostPort] = Counter()
        for pod in pods:
            self.add(pod)

    def remove(self, pod: PodInfo) -> None:
        """Remove a pod; it must be equal to the pod that was added."""
        self.add(pod, -1)

    def add(self, pod: PodInfo, times: int = 1) -> None:
        self.amounts[PODS] += times
        for resource, amount in pod.cls.held.items():
            self.amounts[resource] += times * amount
        for port in pod.cls.host_ports:
            self.ports[port] += times

    def holds(self, wanted: Iterable[HostPort]) -> bool:
        wishes = list(wanted)
        return any(count and any(map(port.conflicts, wishes)) for port, count in self.ports.items())


_OS_LABEL = "kubernetes.io/os"
_MEMORY_PRESSURE_TAINT = {"key": "node.kubernetes.io/memory-pressure", "effect": NO_SCHEDULE}


class PodRejection(msgspec.Struct, frozen=True):
    """The reason and message in the status of a pod that its node rejects."""

    reason: str
    message: str


class InsufficientResource(msgspec.Struct, frozen=True):
    """A resource that a node lacks for a pod; cpu in millis, others in units."""

    resource: str
    requested: int
    used: int
    capacity: int

    @property
    def missing(self) -> int:
        return self.requested - (self.capacity - self.used)


def rejection_of(
    node: Object, load: NodeLoad, pod: PodInfo, conditions: Sequence[str] | None = None
) -> PodRejection | None:
    """Return the kubelet's rejection of a pod; None if it is admitted.

    `conditions` are the node's pressure conditions; None for those in its status.
    """
    pressed = pressures(node) if conditions is None else conditions
    if rejection := pressure_rejection(pressed, pod.obj) or _system_rejection(pod, node):
        return rejection
    if not is_critical(pod.obj):
        for lack in insufficient_resources(node, load, pod):
            message = (
                f"Node didn't have enough resource: {lack.resource}, requested: {lack.requested}, "
                f"used: {lack.used}, capacity: {lack.capacity}"
            )
            return PodRejection(f"OutOf{lack.resource}", message)
    if not pod.cls.node_affinity.matches(labels(node), name(node)):
        return _predicate(NodeAffinity.name, "node(s) didn't match Pod's node affinity/selector")
    if pod.cls.host_ports and load.holds(pod.cls.host_ports):
        reason = "node(s) didn't have free ports for the requested pod ports"
        return _predicate(NodePorts.name, reason)
    taints, tolerations = spec_of(node).get("taints"), pod.cls.spec.get("tolerations")
    if not is_static(pod.obj) and untolerated(taints, tolerations, (NO_EXECUTE,)):
        return _predicate(TaintToleration.name, "node(s) had untolerated taint(s)")
    declared = status_of(node).get("declaredFeatures") or ()
    missing = sorted(required_features(pod.cls.spec).difference(declared))
    if not missing:
        return None
    message = f"Pod requires node features that are not available: {', '.join(missing)}"
    return PodRejection("PodFeatureUnsupported", message)


def insufficient_resources(
    node: Object, load: NodeLoad, pod: PodInfo
) -> Iterator[InsufficientResource]:
    """Yield the resources that a node lacks for a pod."""
    allocatable = allocatable_of(node)
    scalar = (name for name in pod.cls.requests if is_scalar_resource(name))
    for resource in (PODS, *NATIVE_RESOURCES, *scalar):
        requested = 1 if resource == PODS else pod.cls.requests.get(resource, 0)
        if not requested or (is_extended_resource(resource) and resource not in allocatable):
            continue
        used = load.amounts[resource]
        amount = allocatable.get(resource, "0")
        capacity = milli_value(amount) if resource == "cpu" else value(amount)
        if used + requested > capacity:
            yield InsufficientResource(resource, requested, used, capacity)


def pressures(node: Object) -> list[str]:
    """Return the node's pressure conditions in the order of its status."""
    present = (one.get("type") for one in conditions_of(node) if one.get("status") == "True")
    return [kind for kind in present if kind in PRESSURES]


def pressure_rejection(conditions: Sequence[str], pod: Object) -> PodRejection | None:
    """Return the rejection of a pod by a node with pressure conditions; None for critical pods.

    Under memory pressure alone, pods that request something or tolerate it are admitted too.
    """
    if not conditions or is_critical(pod):
        return None
    if list(conditions) == [MEMORY_PRESSURE]:
        tolerations = spec_of(pod).get("tolerations")
        if stored_or_computed_qos(pod) != "BestEffort" or tolerations_tolerate(
            tolerations, _MEMORY_PRESSURE_TAINT
        ):
            return None
    return PodRejection("Evicted", f"The node had condition: [{' '.join(conditions)}]. ")


def _system_rejection(pod: PodInfo, node: Object) -> PodRejection | None:
    known = part(status_of(node), "nodeInfo").get("operatingSystem")
    # Linux if the node doesn't say what it runs.
    system = str(known or labels(node).get(_OS_LABEL) or "linux")
    if pod.cls.labels.get(_OS_LABEL, system) != system:
        return PodRejection(
            "PodOSSelectorNodeLabelDoesNotMatch",
            "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
        )
    if (part(pod.obj["spec"], "os").get("name") or system) != system:
        return PodRejection(
            "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
        )
    return None


def _predicate(plugin: str, reason: str) -> PodRejection:
    return PodRejection(plugin, f"Predicate {plugin} failed: {reason}")
