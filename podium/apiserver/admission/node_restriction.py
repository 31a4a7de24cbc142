"""NodeRestriction: what a node's agent may write, with the rules and messages of v1.36.

Its own Node, but neither its taints, its owners, its source of configuration nor labels by which
pods are kept from nodes; the status of pods on it; its own Lease. It may delete and evict pods on
it, and no others.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from podium.api.node_heartbeats import LEASE_NAMESPACE
from podium.api.nodes import taints_of
from podium.api.objects import Object, entries, labels, metadata_of, part, status_of
from podium.api.objects import name as name_of
from podium.api.pods import node_name_of
from podium.apiserver.admission.plugin import CREATE, DELETE, UPDATE, WRITE, Plugin
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

RESTRICTED = "node-restriction.kubernetes.io"
_KUBERNETES = ("kubernetes.io", "k8s.io")
_OF_KUBELETS = ("kubelet.kubernetes.io", "node.kubernetes.io")
_ALLOWED = frozenset(
    {
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
    }
)


class NodeRestriction(Plugin):
    """Keeps agents of nodes to what is their own."""

    handles: ClassVar = {
        "Node": WRITE,
        "Node/status": UPDATE,
        "Pod": WRITE | DELETE,
        "Pod/status": UPDATE,
        "Pod/eviction": CREATE,
        "Lease": WRITE,
    }

    def admit(self, request: Attributes, obj: Object) -> Object:
        node = request.user.node
        if node is None:
            return obj
        if request.subresource == "eviction":
            pod = self.view.get("Pod", request.namespace, request.name)
            who = f"node {node} can only evict pods with spec.nodeName set to itself"
            why = None if _is_on(node, pod) else who
        else:
            why = _CHECKS[request.kind.key](node, request, obj)
        if why is not None:
            raise forbidden(request.kind, request.called(obj), why)
        return obj


def _node(node: str, request: Attributes, new: Object) -> str | None:
    called, old = request.called(new), request.old
    if called != node:
        return f'node "{node}" is not allowed to modify node "{called}"'
    source = part(new, "spec").get("configSource")
    if source is not None and old is None:
        return f'node "{node}" is not allowed to create pods with a non-nil configSource'
    if source is not None and source != part(old or {}, "spec").get("configSource"):
        why = "is not allowed to update configSource to a new non-nil configSource"
        return f'node "{node}" {why}'
    if old is not None and taints_of(new) != taints_of(old):
        return f'node "{node}" is not allowed to modify taints'
    owners, former_owners = (
        entries(metadata_of(one or {}), "ownerReferences") for one in (new, old)
    )
    if old is not None and owners != former_owners:
        # An owner that isn't there has garbage collection delete the node.
        return f'node "{node}" is not allowed to modify ownerReferences'
    own, former = labels(new), {} if old is None else labels(old)
    changed = {key for key in {*own, *former} if own.get(key) != former.get(key)}
    wrong = ", ".join(sorted(filter(_is_forbidden, changed)))
    if not wrong:
        return None
    if old is None:
        return f'node "{node}" is not allowed to set the following labels: {wrong}'
    return f"is not allowed to modify labels: {wrong}"


def _pod(node: str, request: Attributes, new: Object) -> str | None:
    old, whose = request.old, "pods with spec.nodeName set to itself"
    if request.operation is Operation.DELETE:
        return None if _is_on(node, old) else f'node "{node}" can only delete {whose}'
    if old is None or not _is_on(node, old):
        return f'node "{node}" can only update pod status for {whose}'
    if labels(old) != labels(new):
        return f'node "{node}" cannot update labels through pod status'
    claims = "resourceClaimStatuses"
    if status_of(old).get(claims) != status_of(new).get(claims):
        return f'node "{node}" cannot update resource claim statues'
    return None


def _lease(node: str, request: Attributes, new: Object) -> str | None:
    if request.namespace != LEASE_NAMESPACE:
        return f'can only access leases in the "{LEASE_NAMESPACE}" system namespace'
    # A generated name is none yet, whatever it is generated from.
    if (request.name or name_of(new)) != node:
        return "can only access node lease with the same name as the requesting node"
    return None


_CHECKS: Mapping[str, Callable[[str, Attributes, Object], str | None]] = {
    "Node": _node,
    "Pod": _pod,
    "Lease": _lease,
}


def _is_on(node: str, pod: Object | None) -> bool:
    return pod is not None and node_name_of(pod) == node


def _is_forbidden(label: str) -> bool:
    domain = label.rpartition("/")[0]
    if _is_within(domain, RESTRICTED):
        return True
    if not any(_is_within(domain, one) for one in _KUBERNETES) or label in _ALLOWED:
        return False
    return not any(_is_within(domain, one) for one in _OF_KUBELETS)


def _is_within(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")
