"""What is asked of pods: where they are, how they are, and who decides on them."""

import re

from podium.api.objects import Object, annotations, holds, is_terminating, spec_of, status_of
from podium.api.values.integers import INT32, parse_int

DEFAULT_SCHEDULER_NAME = "default-scheduler"
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""The annotation, and label, of a pod of an indexed Job that names its index."""

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
"""The annotation by which a pod says what its deletion costs."""

_FINISHED = frozenset({"Succeeded", "Failed"})
_NOTHING: Object = {}
_INDEXES = range(2**31)
# As upstream reads it: no plus sign, no leading zeros.
_WHOLE_NUMBER = re.compile("0|-?[1-9][0-9]*", re.ASCII)


def node_name_of(pod: Object) -> str:
    """The node that the pod is bound to; empty if it is bound to none."""
    return (pod.get("spec") or _NOTHING).get("nodeName") or ""


def is_moved(before: Object, after: Object) -> bool:
    """Whether two states of a pod are on different nodes, of which none counts as one."""
    old, new = before.get("spec"), after.get("spec")
    return old is not new and node_name_of(before) != node_name_of(after)


def nominated_node_of(pod: Object) -> str:
    """The node that a pod's status nominates it to; empty if none."""
    return status_of(pod).get("nominatedNodeName") or ""


def node_names_of(pod: Object) -> tuple[str, ...]:
    """The node that the pod is bound to, as the key of an index."""
    node = (pod.get("spec") or _NOTHING).get("nodeName")
    return (node,) if node else ()


def scheduler_name_of(pod: Object) -> str:
    """The name of the scheduler that decides on the pod."""
    return spec_of(pod).get("schedulerName") or DEFAULT_SCHEDULER_NAME


def priority_class_of(pod: Object) -> str:
    """The name of the pod's PriorityClass; empty if it names none."""
    return spec_of(pod).get("priorityClassName") or ""


def phase_of(obj: Object) -> str:
    """The phase of a pod, or of anything else that has one; empty if it says none."""
    return (obj.get("status") or _NOTHING).get("phase") or ""


def is_finished(pod: Object) -> bool:
    """Whether a pod has run to its end, well or not, and so occupies nothing any more."""
    return (pod.get("status") or _NOTHING).get("phase") in _FINISHED


def is_active(pod: Object) -> bool:
    """Whether a controller counts on the pod: neither finished nor on its way out."""
    return not is_finished(pod) and not is_terminating(pod)


def restarts_always(pod: Object) -> bool:
    """Whether the pod is to run on and on, rather than to its end."""
    return (spec_of(pod).get("restartPolicy") or "Always") == "Always"


def is_ready(pod: Object) -> bool:
    """Whether the pod's condition Ready is True."""
    return holds(pod, "Ready")


def completion_index(pod: Object) -> int | None:
    """The index that a pod of an indexed Job has; None for other pods."""
    return parse_int(annotations(pod).get(COMPLETION_INDEX), _INDEXES)


def parse_deletion_cost(text: str) -> int | None:
    """The cost that an annotation states; None if it isn't an integer of 32 bits."""
    return parse_int(text, INT32) if _WHOLE_NUMBER.fullmatch(text) else None


def deletion_cost(pod: Object) -> int:
    """The cost that the pod's annotation puts on its deletion; 0 if there is none to be read."""
    return parse_deletion_cost(annotations(pod).get(DELETION_COST, "0")) or 0
