"""A pod's priority, what it may do with it, and the pods that the kubelet never evicts.

The numbers are those of the `scheduling` API group, the rules those of v1.36.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.objects import annotations, spec_of

HIGHEST_USER_DEFINABLE = 1_000_000_000
SYSTEM_CRITICAL = 2 * HIGHEST_USER_DEFINABLE

SYSTEM_CLUSTER_CRITICAL_CLASS = "system-cluster-critical"
SYSTEM_NODE_CRITICAL_CLASS = "system-node-critical"
SYSTEM_PRIORITY_CLASSES: Mapping[str, int] = {
    SYSTEM_CLUSTER_CRITICAL_CLASS: SYSTEM_CRITICAL,
    SYSTEM_NODE_CRITICAL_CLASS: SYSTEM_CRITICAL + 1000,
}

PREEMPT_LOWER_PRIORITY = "PreemptLowerPriority"
NEVER = "Never"

_SOURCE_ANNOTATION = "kubernetes.io/config.source"
MIRROR_ANNOTATION = "kubernetes.io/config.mirror"


def pod_priority(pod: Mapping[str, Any]) -> int:
    """The pod's priority; 0 if admission hasn't resolved one."""
    return int(spec_of(pod).get("priority") or 0)


def class_value(priority_class: Mapping[str, Any]) -> int:
    """The priority that a class stands for."""
    return int(priority_class.get("value") or 0)


def preemption_policy(pod: Mapping[str, Any]) -> str:
    """Whether the pod may preempt others: `PreemptLowerPriority`, the default, or `Never`."""
    return str(spec_of(pod).get("preemptionPolicy") or PREEMPT_LOWER_PRIORITY)


def is_static(pod: Mapping[str, Any]) -> bool:
    """Whether the kubelet has the pod from a file or URL of its own, not from the API server."""
    return annotations(pod).get(_SOURCE_ANNOTATION, "api") != "api"


def is_mirror(pod: Mapping[str, Any]) -> bool:
    """Whether the pod is the API server's picture of a static pod."""
    return MIRROR_ANNOTATION in annotations(pod)


def is_critical(pod: Mapping[str, Any]) -> bool:
    """Whether the kubelet spares the pod: static, mirror, or of a system priority."""
    return is_static(pod) or is_mirror(pod) or pod_priority(pod) >= SYSTEM_CRITICAL


def is_node_critical(pod: Mapping[str, Any]) -> bool:
    """Whether the pod is critical and of the class `system-node-critical`."""
    named = spec_of(pod).get("priorityClassName") == SYSTEM_NODE_CRITICAL_CLASS
    return named and is_critical(pod)
