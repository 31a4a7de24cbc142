"""Podium's own options, which kube-scheduler doesn't have.

They are read from a document of their own, `apiVersion: podium.dev/v1alpha1` and
`kind: SchedulerOptions`, so that a KubeSchedulerConfiguration stays what kube-scheduler reads too.
"""

from dataclasses import dataclass
from enum import StrEnum

OPTIONS_API_VERSION = "podium.dev/v1alpha1"
OPTIONS_KIND = "SchedulerOptions"


class VictimOrder(StrEnum):
    """How preemption orders the pods of a node, the most important first.

    DEFAULT is kube-scheduler's: by priority, then by start time. QOS_CLASS puts the QoS class
    between the two: Guaranteed before Burstable before BestEffort.
    """

    DEFAULT = "Default"
    QOS_CLASS = "QOSClass"


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """The options; the defaults decide exactly as kube-scheduler does.

    Attributes:
        victim_order: how preemption orders the pods of a node.
        eviction_guard_s: for how long a replacement is kept from a node that has evicted a pod of
            its controller under pressure; 0 keeps it from none.
    """

    victim_order: VictimOrder = VictimOrder.DEFAULT
    eviction_guard_s: float = 0.0
