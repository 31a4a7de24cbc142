"""The admission plugins for nodes and for requests of kubelets, with the rules of v1.36."""

from typing import ClassVar

from podium.api.nodes import LEASE_NAMESPACE, NO_SCHEDULE, taints_of
from podium.api.objects import Object, entries, labels, metadata_of, part, spec_of, status_of
from podium.api.objects import name as name_of
from podium.api.pods import node_name_of
from podium.api.well_known import HOSTNAME_LABEL, REGION_LABEL, ZONE_LABEL
from podium.apiserver.admission.plugin import CREATE, DELETE, UPDATE, WRITE, AdmissionPlugin
from podium.apiserver.admission.pod_plugins import NOT_READY
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

RESTRICTED = "node-restriction.kubernetes.io"
_KUBERNETES = ("kubernetes.io", "k8s.io")
_OF_KUBELETS = ("kubelet.kubernetes.io", "node.kubernetes.io")
_ALLOWED = frozenset(
    {
        *(HOSTNAME_LABEL, ZONE_LABEL, REGION_LABEL),
        *("kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type"),
        *(f"beta.kubernetes.io/{what}" for what in ("os", "arch", "instance-type")),
        *(f"failure-domain.beta.kubernetes.io/{what}" for what in ("zone", "region")),
    }
)


class TaintNodesByCondition(AdmissionPlugin):
    """Taints new nodes as not ready, until the node lifecycle controller removes the taint."""

    handles: ClassVar = {"Node": CREATE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        spec, taint = spec_of(obj), {"key": NOT_READY, "effect": NO_SCHEDULE}
        taints = spec.get("taints") or ()
        if any(taint.items() <= existing.items() for existing in taints):
            return obj
        return {**obj, "spec": {**spec, "taints": [*taints, taint]}}


class NodeRestriction(AdmissionPlugin):
    """Restricts kubelets to the objects of their own node.

    Allowed are: its Node, except taints, owners, configSource and restricted labels; the status,
    deletion and eviction of its pods; and its Lease.
    """

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
        pod = request.old
        own_pods = "pods with spec.nodeName set to itself"
        why: str | None = None
        if request.subresource == "eviction":
            pod = self.store.get("Pod", request.namespace, request.name)
            if pod is None or node_name_of(pod) != node:
                why = f"node {node} can only evict {own_pods}"
        elif request.kind.key == "Pod":
            verb = "delete" if request.operation is Operation.DELETE else "update pod status for"
            if pod is None or node_name_of(pod) != node:
                why = f'node "{node}" can only {verb} {own_pods}'
            elif request.operation is Operation.UPDATE and labels(pod) != labels(obj):
                why = f'node "{node}" cannot update labels through pod status'
            elif request.operation is Operation.UPDATE and _claims(pod) != _claims(obj):
                why = f'node "{node}" cannot update resource claim statues'
        elif request.kind.key == "Lease":
            if request.namespace != LEASE_NAMESPACE:
                why = f'can only access leases in the "{LEASE_NAMESPACE}" system namespace'
            # The name isn't generated yet, and generateName doesn't count.
            elif (request.name or name_of(obj)) != node:
                why = "can only access node lease with the same name as the requesting node"
        else:
            why = _node(node, request, obj)
        if why is not None:
            raise forbidden(request.kind, request.shown_name(obj), why)
        return obj


def _node(node: str, request: Attributes, new: Object) -> str | None:
    modified, old = request.shown_name(new), request.old
    if modified != node:
        return f'node "{node}" is not allowed to modify node "{modified}"'
    source = part(new, "spec").get("configSource")
    if source is not None and old is None:
        return f'node "{node}" is not allowed to create pods with a non-nil configSource'
    if source is not None and source != part(old or {}, "spec").get("configSource"):
        why = "is not allowed to update configSource to a new non-nil configSource"
        return f'node "{node}" {why}'
    if old is not None and taints_of(new) != taints_of(old):
        return f'node "{node}" is not allowed to modify taints'
    owners, former_owners = (
        entries(metadata_of(version or {}), "ownerReferences") for version in (new, old)
    )
    if old is not None and owners != former_owners:
        # Garbage collection would delete a node whose owner doesn't exist.
        return f'node "{node}" is not allowed to modify ownerReferences'
    own, former = labels(new), {} if old is None else labels(old)
    changed = {key for key in {*own, *former} if own.get(key) != former.get(key)}
    restricted = ", ".join(sorted(filter(_is_restricted, changed)))
    if not restricted:
        return None
    if old is None:
        return f'node "{node}" is not allowed to set the following labels: {restricted}'
    return f"is not allowed to modify labels: {restricted}"


def _claims(pod: Object) -> object:
    return status_of(pod).get("resourceClaimStatuses")


def _is_restricted(label: str) -> bool:
    domain = label.rpartition("/")[0]

    def is_within(*parents: str) -> bool:
        return any(domain == parent or domain.endswith(f".{parent}") for parent in parents)

    if is_within(RESTRICTED):
        return True
    return is_within(*_KUBERNETES) and label not in _ALLOWED and not is_within(*_OF_KUBELETS)
