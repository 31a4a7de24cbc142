"""What a node refuses when it is handed a pod: the kubelet's admission, v1.36.

The kubelet asks the scheduler's own questions about resources, node affinity, name and ports, then
about NoExecute taints, and gives the first objection (predicateAdmitHandler of `pkg/kubelet`).
Resources that only an extended resource of the cluster could provide are let pass. A critical pod
that lacks nothing but resources gets them: the kubelet stops other pods for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from podium.api.meta import labels, name
from podium.api.node_selector import required_node_affinity
from podium.api.priority import is_critical, is_static
from podium.api.quantity import milli_value, value
from podium.api.resources import is_extended_resource, is_scalar_resource
from podium.api.taints import NO_EXECUTE, untolerated
from podium.core.pod_classes import Object
from podium.core.pods import PodInfo
from podium.core.resource_columns import NATIVE_RESOURCES
from podium.plugins.node_affinity import NodeAffinity
from podium.plugins.node_declared_features import required_features
from podium.plugins.node_ports import NodePorts, host_ports
from podium.plugins.taint_toleration import TaintToleration

_OS_LABEL = "kubernetes.io/os"
_PODS = "pods"


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a pod can't run on a node.

    Attributes:
        reason: as in the status of the failed pod.
        message: likewise.
        is_resource: whether stopping other pods would help.
    """

    reason: str
    message: str
    is_resource: bool = False


def objection(node: Object, pods: Sequence[PodInfo], pod: PodInfo) -> Objection | None:
    """The kubelet's objection to a pod that has come to its node; None if it starts.

    Args:
        node: the node.
        pods: what is on it already.
        pod: the newcomer.
    """
    if system := _system_objection(pod, node):
        return system
    found = [*_resource_objections(pods, pod, node), *_other_objections(pods, pod, node)]
    if is_critical(pod.obj):
        found = [one for one in found if not one.is_resource]
    return found[0] if found else _feature_objection(pod, node)


def makes_room_by_force(node: Object, pods: Sequence[PodInfo], pod: PodInfo) -> bool:
    """Whether the kubelet would have to stop other pods for this one."""
    return is_critical(pod.obj) and any(_resource_objections(pods, pod, node))


def _system_objection(pod: PodInfo, node: Object) -> Objection | None:
    system = _operating_system(node)
    if pod.cls.labels.get(_OS_LABEL, system) != system:
        return Objection(
            "PodOSSelectorNodeLabelDoesNotMatch",
            "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
        )
    if ((pod.obj["spec"].get("os") or {}).get("name") or system) != system:
        return Objection(
            "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
        )
    return None


def _operating_system(node: Object) -> str:
    """What the node says that it runs; Linux if it doesn't say."""
    info = (node.get("status") or {}).get("nodeInfo") or {}
    return str(info.get("operatingSystem") or labels(node).get(_OS_LABEL) or "linux")


def _resource_objections(
    pods: Sequence[PodInfo], pod: PodInfo, node: Object
) -> Iterator[Objection]:
    allocatable = (node.get("status") or {}).get("allocatable") or {}
    scalar = (name for name in pod.cls.requests if is_scalar_resource(name))
    for resource in (_PODS, *NATIVE_RESOURCES, *scalar):
        if is_extended_resource(resource) and resource not in allocatable:
            continue
        requested = _asked(pod.cls.requests, resource)
        used = sum(_asked(other.cls.held, resource) for other in pods)
        capacity = _capacity(allocatable, resource)
        if requested and used + requested > capacity:
            message = (
                f"Node didn't have enough resource: {resource}, requested: {requested}, "
                f"used: {used}, capacity: {capacity}"
            )
            yield Objection(f"OutOf{resource}", message, is_resource=True)


def _asked(amounts: Mapping[str, int], resource: str) -> int:
    return 1 if resource == _PODS else amounts.get(resource, 0)


def _capacity(allocatable: Object, resource: str) -> int:
    amount = allocatable.get(resource, 0)
    return milli_value(amount) if resource == "cpu" else value(amount)


def _other_objections(pods: Sequence[PodInfo], pod: PodInfo, node: Object) -> Iterator[Objection]:
    if not required_node_affinity(pod.cls.pod).matches(labels(node), name(node)):
        yield _predicate(NodeAffinity.name, "node(s) didn't match Pod's node affinity/selector")
    wanted = host_ports(pod.cls.spec)
    held = (port for other in pods for port in host_ports(other.cls.spec))
    if wanted and any(port.conflicts(other) for other in held for port in wanted):
        reason = "node(s) didn't have free ports for the requested pod ports"
        yield _predicate(NodePorts.name, reason)
    tolerations = pod.cls.spec.get("tolerations")
    taints = (node.get("spec") or {}).get("taints")
    if not is_static(pod.obj) and untolerated(taints, tolerations, (NO_EXECUTE,)):
        yield _predicate(TaintToleration.name, "node(s) had untolerated taint(s)")


def _feature_objection(pod: PodInfo, node: Object) -> Objection | None:
    declared = (node.get("status") or {}).get("declaredFeatures") or ()
    missing = sorted(required_features(pod.cls.spec).difference(declared))
    if not missing:
        return None
    message = f"Pod requires node features that are not available: {', '.join(missing)}"
    return Objection("PodFeatureUnsupported", message)


def _predicate(plugin: str, reason: str) -> Objection:
    return Objection(plugin, f"Predicate {plugin} failed: {reason}")
