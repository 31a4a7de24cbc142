"""From applied pods and workloads to new pods, and to the old ones that go.

A workload of the state is taken to have the pods that it wants, unless somebody has written it by
hand and it can't have any yet, or it is a DaemonSet and nodes came, changed or went.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import annotations, controller_of, is_finished, key, labels, name, namespace
from podium.api.refused import Refused
from podium.apiserver.defaulting import apply_defaults
from podium.controllers.expanding.expansion import Expansion, owner_reference
from podium.controllers.expanding.templates import WORKLOADS, ClusterView, expand
from podium.plan.admission import Admission
from podium.plan.outcome import RejectedObject, RemovedPod
from podium.plan.state import State, identity, label, node_name, was_in_a_cluster

Object = Mapping[str, Any]


@dataclass(slots=True)
class Arrivals:
    """What applied pods and workloads bring and take.

    Attributes:
        wanted: new pods as they were asked for, in order of their arrival.
        pods: those of them that were let in, as they are stored.
        removed: pods that go.
        rejected: new pods that weren't let in.
        notes: what else is worth knowing.
    """

    wanted: list[Object] = field(default_factory=list)
    pods: list[Object] = field(default_factory=list)
    removed: list[RemovedPod] = field(default_factory=list)
    rejected: list[RejectedObject] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def arrive(state: State, applied: Sequence[Object], *, nodes_changed: bool) -> Arrivals:
    """Bring the state up to what applied pods and workloads ask for.

    Args:
        state: where the workloads are already, but not the pods; it is changed.
        applied: pods and workloads, in the order of the manifests.
        nodes_changed: whether nodes came, changed or went.
    """
    arrivals = Arrivals()
    admission = Admission(state)
    arrivals.notes += admission.notes
    named = {identity(source) for source in applied}
    due = [w for w in state.of_kind(*sorted(WORKLOADS)) if _is_due(w, nodes_changed)]
    sources = [*(workload for workload in due if identity(workload) not in named), *applied]
    if not sources:
        return arrivals
    view = ClusterView.of(state)
    for source in sources:
        if source["kind"] == "Pod":
            _admit([source], "", state, admission, arrivals)
        elif not _has_deployment(source, state):
            expansion = expand(source, view)
            is_new = identity(source) in named
            _carry_out(source, expansion, state, admission, arrivals, was_applied=is_new)
    return arrivals


def _is_due(workload: Object, nodes_changed: bool) -> bool:
    """Whether a workload of the state may want other pods than it has."""
    return not was_in_a_cluster(workload) or (nodes_changed and workload["kind"] == "DaemonSet")


def _has_deployment(workload: Object, state: State) -> bool:
    """Whether it is a ReplicaSet whose size isn't its own affair."""
    owner = controller_of(workload) or {}
    called = str(owner.get("name"))
    return (
        owner.get("kind") == "Deployment"
        and state.get("Deployment", namespace(workload), called) is not None
    )


def _carry_out(
    workload: Object,
    expansion: Expansion,
    state: State,
    admission: Admission,
    arrivals: Arrivals,
    *,
    was_applied: bool,
) -> None:
    label_text = label(workload)
    for obj in expansion.objects:
        is_claim = obj["kind"] == "PersistentVolumeClaim"
        state.put(admission.claim(obj) if is_claim else apply_defaults(obj))
    for pod in expansion.surplus:
        if pod in state:
            state.remove(pod)
            if not is_finished(pod):
                reason = f"is surplus to {label_text}"
                gone = RemovedPod(key(pod), node_name(pod), reason, is_evicted=not was_applied)
                arrivals.removed.append(gone)
    arrivals.notes += expansion.notes
    _admit(expansion.pods, label_text, state, admission, arrivals)


def _admit(
    pods: Iterable[Object], workload: str, state: State, admission: Admission, arrivals: Arrivals
) -> None:
    for pod in pods:
        arrivals.wanted.append(pod)
        try:
            admitted = admission.pod(pod)
        except Refused as refused:
            rejected = RejectedObject(f"Pod {key(pod)}", refused.message, workload)
            arrivals.rejected.append(rejected)
            continue
        state.put(admitted)
        for claim in _ephemeral_claims(admitted):
            if claim not in state:
                state.put(admission.claim(claim))
        arrivals.pods.append(admitted)


def _ephemeral_claims(pod: Object) -> Iterator[Object]:
    """The claims that a controller makes for a pod's ephemeral volumes."""
    for volume in (pod.get("spec") or {}).get("volumes") or ():
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template is not None:
            yield {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {
                    "name": f"{name(pod)}-{volume['name']}",
                    "namespace": namespace(pod),
                    "labels": dict(labels(template)),
                    "annotations": dict(annotations(template)),
                    "ownerReferences": [owner_reference(pod)],
                },
                "spec": template.get("spec") or {},
            }
