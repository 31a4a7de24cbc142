"""What a complete answer needs and the state lacks, and what Podium itself doesn't model.

An export of a cluster can't say whether a kind has no objects or was left out. So a missing kind is
warned about where something in the state refers to it, or where any cluster has such objects.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import controller_of, key, name
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.node.simulated.behaviour import is_marked
from podium.plan.state import State, node_name, was_in_a_cluster

Object = Mapping[str, Any]

EXPORT_COMMAND = (
    "kubectl get nodes,pods,namespaces,priorityclasses,runtimeclasses,poddisruptionbudgets,"
    "services,replicationcontrollers,replicasets,statefulsets,deployments,daemonsets,jobs,"
    "persistentvolumeclaims,persistentvolumes,storageclasses,"
    "csinodes,csidrivers,csistoragecapacities,resourceclaims -A -o json"
)

_SHOWN_MAX = 3
# What every cluster has, or nearly every one, and what its absence can change.
_USUAL = {
    "Namespace": "affinity to pods of other namespaces may be judged wrongly",
    "PodDisruptionBudget": "if the cluster has any, preemption may choose other victims",
    "PriorityClass": "the default class and its priority aren't known",
    "Service": "pods of one service are spread by default, which scores nodes",
}
# The API server makes them itself.
_EVERYWHERE = frozenset({"Namespace", "PriorityClass", "Service"})
_OWNERS = {
    "ReplicaSet": "its pods are spread by default, and budgets count by it",
    "ReplicationController": "its pods are spread by default, and budgets count by it",
    "StatefulSet": "its pods are spread by default, and budgets count by it",
}


@dataclass(slots=True)
class Limits:
    """What Podium doesn't do as a cluster would.

    Attributes:
        warnings: where the answer may be wrong.
        notes: where it is as v1.36's default feature gates have it.
    """

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def completeness_warnings(before: State, after: State, wanted: Sequence[Object]) -> list[str]:
    """Warnings about kinds that aren't there, and last of all how to get a complete state.

    Args:
        before: the state as it was read.
        after: the state with the changes made.
        wanted: pods that the changes would bring, let in or not.
    """
    missing = {**_unusual(before), **_without_owners(before), **_referred_to(after, wanted)}
    warnings = [
        f"the state has no {kind}: {why}" for kind, why in missing.items() if not after.has(kind)
    ]
    warnings += _on_unknown_nodes(after)
    if warnings:
        warnings.append(f"a complete state is what this prints: {EXPORT_COMMAND}")
    return warnings


def limits_of_the_model(pods: Iterable[Object]) -> Limits:
    """What is to be said about pods that are to be scheduled."""
    limits = Limits()
    claiming, grouped = [], []
    for pod in pods:
        spec = pod.get("spec") or {}
        if spec.get("resourceClaims"):
            claiming.append(key(pod))
        if spec.get("schedulingGroup"):
            grouped.append(key(pod))
    if claiming:
        text = "dynamic resource claims aren't modelled; no place is looked for: {}"
        limits.warnings.append(text.format(_listed(claiming)))
    if grouped:
        text = "schedulingGroup is ignored, as with v1.36's default feature gates: {}"
        limits.notes.append(text.format(_listed(grouped)))
    return limits


def _unusual(state: State) -> dict[str, str]:
    """Kinds that a cluster is bound to have; what somebody wrote by hand may do without."""
    is_export = any(
        was_in_a_cluster(obj) for obj in (*state.of_kind("Node"), *state.of_kind("Pod"))
    )
    missing = {kind: why for kind, why in _USUAL.items() if not state.has(kind)}
    # Who was given all that every cluster has was asked for the rest, too: there is none of it.
    return missing if is_export and missing.keys() & _EVERYWHERE else {}


def _without_owners(state: State) -> dict[str, str]:
    kinds = Counter(str((controller_of(pod) or {}).get("kind")) for pod in state.of_kind("Pod"))
    found = {
        kind: f"{kinds[kind]} pods belong to one; {why}"
        for kind, why in _OWNERS.items()
        if kinds[kind]
    }
    owners = {(controller_of(obj) or {}).get("kind") for obj in state.of_kind("ReplicaSet")}
    if "Deployment" in owners and state.has("PodDisruptionBudget"):
        found["Deployment"] = "budgets count by how many pods one wants"
    return found


def _referred_to(state: State, wanted: Sequence[Object]) -> dict[str, str]:
    """Kinds that objects of the state or wanted pods name."""
    found = {}
    if not state.has("Node"):
        found["Node"] = "nothing can be placed"
    waiting = [*wanted, *(pod for pod in state.pods if not node_name(pod))]
    specs = [pod.get("spec") or {} for pod in waiting]
    named = {str(spec.get("priorityClassName") or "") for spec in specs}
    classes = named - {"", *SYSTEM_PRIORITY_CLASSES}
    if classes:
        found["PriorityClass"] = f"pods name {_listed(sorted(classes))}"
    if any(claim for spec in specs for claim in _claim_names(spec)):
        found["PersistentVolumeClaim"] = "pods that wait for a place use one"
    return {**found, **_storage_referred_to(state)}


def _storage_referred_to(state: State) -> dict[str, str]:
    found = {}
    claims = [claim.get("spec") or {} for claim in state.of_kind("PersistentVolumeClaim")]
    if any(spec.get("volumeName") for spec in claims):
        found["PersistentVolume"] = "claims are bound to one"
    if any(spec.get("storageClassName") and not spec.get("volumeName") for spec in claims):
        found["StorageClass"] = "claims that aren't bound yet name one"
    volumes = state.of_kind("PersistentVolume")
    # A kubelet registers its node's drivers; simulated nodes have none, nor limits of volumes.
    has_kubelets = not all(is_marked(node) for node in state.of_kind("Node"))
    if has_kubelets and any((volume.get("spec") or {}).get("csi") for volume in volumes):
        found["CSINode"] = "how many volumes a node can take isn't known"
    return found


def _claim_names(spec: Object) -> Iterator[str]:
    for volume in spec.get("volumes") or ():
        if claim := volume.get("persistentVolumeClaim"):
            yield str(claim.get("claimName"))


def _on_unknown_nodes(state: State) -> list[str]:
    known = {name(node) for node in state.of_kind("Node")} | {""}
    strays = Counter(wanted for pod in state.pods if (wanted := node_name(pod)) not in known)
    if not strays:
        return []
    names = _listed(sorted(strays))
    return [f"{strays.total()} pods are on nodes that the state lacks: {names}"]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN_MAX])
    left = len(names) - _SHOWN_MAX
    return f"{shown} and {left} more" if left > 0 else shown
