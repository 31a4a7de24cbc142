"""Podium's own options, which kube-scheduler doesn't have.

They are read from a document of their own, `apiVersion: podium.dev/v1alpha1` and
`kind: SchedulerOptions`, so that a KubeSchedulerConfiguration stays what kube-scheduler reads too.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from podium.documents import Choice, Document, Duration, member_of

OPTIONS_API_VERSION = "podium.dev/v1alpha1"
OPTIONS_KIND = "SchedulerOptions"


class VictimOrder(StrEnum):
    """How preemption orders the pods of a node, the most important first.

    DEFAULT is kube-scheduler's: by priority, then by start time. QOS_CLASS puts the QoS class
    between the two: Guaranteed before Burstable before BestEffort.
    """

    DEFAULT = "Default"
    QOS_CLASS = "QOSClass"


class SchedulerOptions(Document):
    """Podium's own options, which kube-scheduler doesn't have; by default it decides as that does.

    Attributes:
        victim_order: how preemption orders the pods of a node.
        eviction_guard_s: for how long a replacement is kept from a node that has evicted a pod of
            its controller under pressure; 0 keeps it from none.
    """

    api_version: Annotated[str, Choice((OPTIONS_API_VERSION,))] = OPTIONS_API_VERSION
    kind: Annotated[str, Choice((OPTIONS_KIND,))] = OPTIONS_KIND
    victim_order: Annotated[VictimOrder, member_of(VictimOrder)] = VictimOrder.DEFAULT
    eviction_guard_s: Annotated[Duration, Field(alias="evictionGuard")] = 0.0
