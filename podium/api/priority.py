"""Priorities and preemption policies of pods, and pods that are critical to the kubelet."""

from collections.abc import Mapping

from podium.api.objects import Object, annotations, spec_of

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


def pod_priority(pod: Object) -> int:
    """Return the pod's priority; 0 if admission hasn't resolved one."""
    return int(spec_of(pod).get("priority") or 0)


def class_value(priority_class: Object) -> int:
    """Return the value of a PriorityClass."""
    return int(priority_class.get("value") or 0)


def preemption_policy(pod: Object) -> str:
    """Return the pod's preemption policy: `PreemptLowerPriority`, the default, or `Never`."""
    return str(spec_of(pod).get("preemptionPolicy") or PREEMPT_LOWER_PRIORITY)


def is_static(pod: Object) -> bool:
    """Return whether the pod is static: the kubelet reads it from a file or URL."""
    return annotations(pod).get(_SOURCE_ANNOTATION, "api") != "api"


def is_mirror(pod: Object) -> bool:
    """Return whether the pod is a static pod's mirror in the API server."""
    return MIRROR_ANNOTATION in annotations(pod)


def is_critical(pod: Object) -> bool:
    """Return whether the kubelet treats the pod as critical: static, mirror or system priority."""
    return is_static(pod) or is_mirror(pod) or pod_priority(pod) >= SYSTEM_CRITICAL


def is_node_critical(pod: Object) -> bool:
    """Return whether the pod is critical and has the PriorityClass `system-node-critical`."""
    named = spec_of(pod).get("priorityClassName") == SYSTEM_NODE_CRITICAL_CLASS
    return named and is_critical(pod)
