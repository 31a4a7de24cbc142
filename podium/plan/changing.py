"""Applying manifests to a state: what of it the API would let in, and what comes of it.

Objects other than pods come first, so that the classes and namespaces that new pods refer to are
there; the pods themselves follow in `workloads`, in the order of the manifests.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.kinds import KINDS
from podium.api.meta import name, namespace
from podium.api.refused import Refused
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.refusals import not_found
from podium.controllers.deployment.templates import same_template
from podium.controllers.expanding.templates import WORKLOADS
from podium.manifests.kinds import decisive_kind_of
from podium.plan.admission import Admission
from podium.plan.merging import merged
from podium.plan.outcome import RejectedObject
from podium.plan.state import State, identity, label

Object = Mapping[str, Any]

_ALWAYS_THERE = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})

_CHANGEABLE = ("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds")
_CHANGEABLE_WHILE_GATED = ("schedulingGates", "nodeSelector", "affinity")
_POD_FIXED = (
    "spec: Forbidden: pod updates may change images, tolerations and little else; "
    "delete the pod first to plan its replacement"
)
_FIELD_FIXED = "{}: Forbidden: may not be changed in an update"
_TEMPLATE_FIXED = "spec.template: Invalid value: field is immutable; delete the job first"


@dataclass(slots=True)
class Applied:
    """What came of applying manifests.

    Attributes:
        sources: pods and workloads, in the order of the manifests, as they are to be.
        rejected: what wasn't let in.
        nodes_changed: whether nodes came or changed.
    """

    sources: list[Object] = field(default_factory=list)
    rejected: list[RejectedObject] = field(default_factory=list)
    nodes_changed: bool = False


def apply(state: State, manifests: Iterable[Object]) -> Applied:
    """Apply manifests to a state; pods that aren't there yet are left to `workloads`."""
    applied = Applied()
    known = [manifest for manifest in manifests if decisive_kind_of(manifest) is not None]
    for manifest in known:
        if identity(manifest)[0] == "Namespace":
            _apply_one(state, manifest, applied)
    for manifest in known:
        if identity(manifest)[0] not in ("Namespace", "Pod", *WORKLOADS):
            _apply_one(state, manifest, applied)
    for manifest in known:
        if identity(manifest)[0] in ("Pod", *WORKLOADS):
            _apply_source(state, manifest, applied)
    return applied


def _apply_one(state: State, manifest: Object, applied: Applied) -> None:
    live = state.live(manifest)
    try:
        outcome = _updated(live, manifest) if live else _created(state, manifest)
    except Refused as refused:
        applied.rejected.append(RejectedObject(label(manifest), refused.message))
    else:
        state.put(outcome)
        applied.nodes_changed |= outcome["kind"] == "Node"


def _apply_source(state: State, manifest: Object, applied: Applied) -> None:
    live = state.live(manifest)
    try:
        outcome = _updated(live, manifest) if live else _created(state, manifest)
    except Refused as refused:
        applied.rejected.append(RejectedObject(label(manifest), refused.message))
        return
    if outcome["kind"] != "Pod" or live:
        state.put(outcome)
    if outcome["kind"] != "Pod" or not live:
        applied.sources.append(outcome)


def _created(state: State, manifest: Object) -> Object:
    kind = decisive_kind_of(manifest)
    if kind is not None and kind.namespaced and not _namespace_exists(state, namespace(manifest)):
        raise not_found(KINDS["Namespace"], namespace(manifest))
    match manifest["kind"]:
        case "PersistentVolumeClaim":
            return Admission(state).claim(manifest)
        case "PriorityClass":
            return Admission(state).priority_class(manifest)
        case "Pod":
            return manifest
    return apply_defaults(manifest)


def _namespace_exists(state: State, place: str) -> bool:
    """A state without any namespaces doesn't say which there are."""
    if place in _ALWAYS_THERE or not state.has("Namespace"):
        return True
    return state.get("Namespace", "", place) is not None or any(
        identity(obj)[1] == place for obj in state
    )


def _updated(live: Object, manifest: Object) -> Object:
    result = apply_defaults(merged(live, manifest))
    fault = _update_fault(live, result)
    if fault:
        message = f'{live["kind"]} "{name(live)}" is invalid: {fault}'
        raise Refused(422, "Invalid", message)
    return result


def _update_fault(live: Object, result: Object) -> str:
    """What an update changes that can't be changed; empty if nothing."""
    match live["kind"]:
        case "Pod" if not _same_pod(live["spec"], result["spec"]):
            return _POD_FIXED
        case "PriorityClass":
            for fixed in ("value", "preemptionPolicy"):
                if live.get(fixed) != result.get(fixed):
                    return _FIELD_FIXED.format(fixed)
        case "Job" if not same_template(live["spec"]["template"], result["spec"]["template"]):
            return _TEMPLATE_FIXED
    return ""


def _same_pod(live: Object, result: Object) -> bool:
    changeable = set(_CHANGEABLE)
    if live.get("schedulingGates"):
        changeable.update(_CHANGEABLE_WHILE_GATED)
    return same_template(_fixed(live, changeable), _fixed(result, changeable))


def _fixed(spec: Object, changeable: set[str]) -> dict[str, Any]:
    fixed = {field: value for field, value in spec.items() if field not in changeable}
    for containers in ("containers", "initContainers"):
        fixed[containers] = [{**c, "image": ""} for c in spec.get(containers) or ()]
    return fixed
