"""Accessors of pods, of the specs of pods and pod templates, and of their containers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object, annotations, holds, is_terminating, spec_of, status_of
from podium.api.values.integers import INT32, parse_int

DEFAULT_SCHEDULER_NAME = "default-scheduler"
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""The annotation and label of an indexed Job's pod with its completion index."""

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_FINISHED = frozenset({"Succeeded", "Failed"})
_NOTHING: Object = {}
_INDEXES = range(2**31)
# As upstream reads it: no plus sign, no leading zeros.
_WHOLE_NUMBER = re.compile("0|-?[1-9][0-9]*", re.ASCII)


def node_name_of(pod: Object) -> str:
    """Return the name of the node that the pod is bound to; empty if it isn't bound."""
    return (pod.get("spec") or _NOTHING).get("nodeName") or ""


def is_moved(before: Object, after: Object) -> bool:
    """Return whether the pod's node differs between two states, including binding and unbinding."""
    old, new = before.get("spec"), after.get("spec")
    return old is not new and node_name_of(before) != node_name_of(after)


def nominated_node_of(pod: Object) -> str:
    """Return the name of the pod's nominated node; empty if there is none."""
    return status_of(pod).get("nominatedNodeName") or ""


def node_names_of(pod: Object) -> tuple[str, ...]:
    """Index function: the node that the pod is bound to; no key for an unbound pod."""
    node = (pod.get("spec") or _NOTHING).get("nodeName")
    return (node,) if node else ()


def scheduler_name_of(pod: Object) -> str:
    """Return the name of the scheduler that is responsible for the pod."""
    return spec_of(pod).get("schedulerName") or DEFAULT_SCHEDULER_NAME


def priority_class_of(pod: Object) -> str:
    """Return the name of the pod's PriorityClass; empty if it names none."""
    return spec_of(pod).get("priorityClassName") or ""


def phase_of(obj: Object) -> str:
    """Return the phase of a pod or another object; empty if it has none."""
    return (obj.get("status") or _NOTHING).get("phase") or ""


def shown_phase(pod: Object) -> str:
    """Return the phase of a pod, but `Starting` instead of `Pending` for one that has a node."""
    phase = phase_of(pod) or "Pending"
    return "Starting" if phase == "Pending" and node_name_of(pod) else phase


def is_finished(pod: Object) -> bool:
    """Return whether the pod has succeeded or failed, and thus uses no resources."""
    return (pod.get("status") or _NOTHING).get("phase") in _FINISHED


def is_active(pod: Object) -> bool:
    """Return whether the pod is neither finished nor terminating."""
    return not is_finished(pod) and not is_terminating(pod)


def restarts_always(pod: Object) -> bool:
    """Return whether the pod's restart policy is Always."""
    return (spec_of(pod).get("restartPolicy") or "Always") == "Always"


def is_ready(pod: Object) -> bool:
    """Return whether the pod's condition Ready is True."""
    return holds(pod, "Ready")


def completion_index(pod: Object) -> int | None:
    """Return the completion index of an indexed Job's pod; None for other pods."""
    return parse_int(annotations(pod).get(COMPLETION_INDEX), _INDEXES)


def parse_deletion_cost(text: str) -> int | None:
    """Parse the value of a deletion cost annotation; None if it isn't a 32-bit integer."""
    return parse_int(text, INT32) if _WHOLE_NUMBER.fullmatch(text) else None


def deletion_cost(pod: Object) -> int:
    """Return the pod's deletion cost; 0 if the annotation is absent or invalid."""
    return parse_deletion_cost(annotations(pod).get(DELETION_COST, "0")) or 0


def containers_of(spec: Object) -> Sequence[Object]:
    """Return the pod's containers, without init containers."""
    return spec.get("containers") or []


def init_containers_of(spec: Object) -> Sequence[Object]:
    """Return the pod's init containers, sidecars included."""
    return spec.get("initContainers") or []


def all_containers_of(spec: Object) -> Sequence[Object]:
    """Return the pod's containers, followed by its init containers."""
    return [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]


def volumes_of(spec: Object) -> Sequence[Object]:
    """Return the pod's volumes."""
    return spec.get("volumes") or []


def tolerations_of(spec: Object) -> Sequence[Object]:
    """Return the pod's tolerations."""
    return spec.get("tolerations") or []


def affinity_of(spec: Object) -> Object:
    """Return the pod's affinity."""
    return spec.get("affinity") or _NOTHING


def node_affinity_of(spec: Object) -> Object:
    """Return the pod's node affinity."""
    return (spec.get("affinity") or _NOTHING).get("nodeAffinity") or _NOTHING


def resources_of(owner: Object) -> Object:
    """Return the `resources` of a container, pod spec or claim spec."""
    return owner.get("resources") or _NOTHING


def requests_of(owner: Object) -> Mapping[str, Any]:
    """Return the requests of a container, pod spec or claim spec: quantities by resource name."""
    return (owner.get("resources") or _NOTHING).get("requests") or _NOTHING


def limits_of(owner: Object) -> Mapping[str, Any]:
    """Return the limits of a container or pod spec: quantities by resource name."""
    return (owner.get("resources") or _NOTHING).get("limits") or _NOTHING
