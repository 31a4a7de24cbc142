"""The causes of disruptions: reasons of the condition DisruptionTarget, with texts for reports."""

from typing import Any

import msgspec

from podium.api.conditions import observed_generation, set_condition
from podium.api.objects import Object, condition_of, status_of
from podium.api.pods import is_finished

DISRUPTION_TARGET = "DisruptionTarget"

PREEMPTED, EVICTED, LOST = "preempted", "evicted", "lost"
"""Groups of disruptions: by preemption, by eviction or a taint, and by the node."""

_NODE_EVICTS = "Evicted"


class Cause(msgspec.Struct, frozen=True):
    """A cause of disruptions, in sentences (`preempted`) and in tables (`is preempted`)."""

    reason: str
    name: str
    group: str
    participle: str
    clause: str


BY_SCHEDULER = Cause("PreemptionByScheduler", "Preempted", PREEMPTED, "preempted", "is preempted")
BY_EVICTION = Cause(
    "EvictionByEvictionAPI", "Evicted", EVICTED, "evicted", "is evicted through the API"
)
BY_TAINT = Cause(
    "DeletionByTaintManager", "Tainted", EVICTED, "evicted for a taint", "its node has a taint"
)
BY_DEVICE_TAINT = Cause(
    "DeletionByDeviceTaintManager",
    "DeviceTainted",
    EVICTED,
    "evicted for a taint of a device",
    "a device that it uses has a taint",
)
BY_POD_GC = Cause(
    "DeletionByPodGC", "NodeDeleted", LOST, "collected, as its node is gone", "its node is deleted"
)
BY_KUBELET = Cause(
    "TerminationByKubelet",
    "StoppedByNode",
    LOST,
    "stopped by its node",
    "its node makes room for a critical pod, going by QoS",
)
BY_PRESSURE = Cause(
    BY_KUBELET.reason, "EvictedByNode", LOST, BY_KUBELET.participle, "its node is under pressure"
)
"""The pod's status distinguishes this cause from `BY_KUBELET`."""
BY_DRAIN = Cause(
    BY_EVICTION.reason, "Drained", EVICTED, "drained", "is evicted, as its node is drained"
)
"""The node, which is cordoned, distinguishes this cause from `BY_EVICTION`."""
BY_ADMISSION = Cause("", "Rejected", LOST, "rejected by its node", "is rejected by its node")
BY_OOM = Cause("", "OOMKilled", LOST, "out of memory", "is killed, as it is out of memory")
"""As after `BY_ADMISSION`, a failed pod has no condition DisruptionTarget."""

_BY_REASON = {
    one.reason: one
    for one in (BY_SCHEDULER, BY_EVICTION, BY_TAINT, BY_DEVICE_TAINT, BY_POD_GC, BY_KUBELET)
}


def disruption_condition(pod: Object, cause: Cause, message: str, now_s: float) -> dict[str, Any]:
    """Return a condition DisruptionTarget for a pod."""
    condition = {"type": DISRUPTION_TARGET, "status": "True", "reason": cause.reason}
    condition["message"] = message
    known = condition_of(pod, DISRUPTION_TARGET)
    return set_condition(known, {**condition, **observed_generation(pod)}, now_s)


def cause_of_reason(reason: str, status_reason: str = "") -> Cause | None:
    """Return the cause by the reasons of the condition and of the pod's status; None if unknown."""
    cause = _BY_REASON.get(reason)
    return BY_PRESSURE if cause is BY_KUBELET and status_reason == _NODE_EVICTS else cause


def disruption_reason(pod: Object) -> str:
    """Return the reason of a pod's condition DisruptionTarget; empty if it isn't True."""
    condition = condition_of(pod, DISRUPTION_TARGET) or {}
    return str(condition.get("reason") or "") if condition.get("status") == "True" else ""


def cause_of(pod: Object) -> Cause | None:
    """Return the cause of a pod's disruption; None if the pod isn't disrupted or it is unknown."""
    return cause_of_reason(disruption_reason(pod), str(status_of(pod).get("reason") or ""))


def ending_of(pod: Object) -> tuple[bool, Object | None]:
    """Return whether a pod has finished, and its condition DisruptionTarget (None if absent)."""
    return is_finished(pod), condition_of(pod, DISRUPTION_TARGET)
