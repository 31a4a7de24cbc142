"""Accessors of pods: node, scheduler, phase, readiness, deletion cost."""

import re

from podium.api.objects import Object, annotations, holds, is_terminating, spec_of, status_of
from podium.api.values.integers import INT32, parse_int

DEFAULT_SCHEDULER_NAME = "default-scheduler"
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""The annotation and label of an indexed Job's pod with its completion index."""

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
"""The annotation of a pod with the cost of its deletion."""

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
