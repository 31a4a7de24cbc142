"""States of pods in a replay: of the recorded ones, without what the scheduler has to decide."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from podium.api.objects import (
    Object,
    conditions_of,
    metadata_of,
    spec_of,
    status_of,
    without,
)
from podium.api.pods import node_name_of, nominated_node_of
from podium.api.policy.disruption_target import BY_SCHEDULER, DISRUPTION_TARGET
from podium.api.values.times import TimeError, epoch_s, timestamp

_GATED = "SchedulingGated"
# What only the end of a pod brings, and what would keep it from going without those who remove it.
_OF_THE_END = ("deletionTimestamp", "deletionGracePeriodSeconds", "finalizers")
_OF_THE_SERVER = ("resourceVersion", "generation", "managedFields")


def arriving(obj: Object, *, keeps_node: bool) -> Object:
    """A pod as it was created."""
    spec = dict(obj["spec"]) if keeps_node else without(obj["spec"], "nodeName")
    conditions = [one for one in conditions_of(obj) if one.get("reason") == _GATED]
    status: dict[str, Any] = {"phase": "Pending"}
    if qos := status_of(obj).get("qosClass"):
        status["qosClass"] = qos
    if conditions:
        status["conditions"] = conditions
    metadata = without(obj["metadata"], *_OF_THE_END)
    return {**obj, "metadata": metadata, "spec": spec, "status": status}


def replacement(obj: Object, called: str, uid: str, now_s: float) -> Object:
    """A pod as its controller would make it in place of one that is lost."""
    pod = arriving(obj, keeps_node=False)
    metadata = {**pod["metadata"], "name": called, "uid": uid}
    return {**pod, "metadata": {**metadata, "creationTimestamp": timestamp(now_s)}}


def is_decided_on(pod: Object) -> bool:
    """Whether a scheduler has turned to the pod."""
    return any(_decided(pod))


def is_schedulers_change(old: Object, new: Object) -> bool:
    """Return whether a scheduler made the change: a binding, nomination, preemption or refusal."""
    return _decided(old) != _decided(new)


def _decided(pod: Object) -> tuple[object, ...]:
    owned = [one for one in conditions_of(pod) if _is_schedulers(one)]
    return node_name_of(pod), nominated_node_of(pod), owned


def _is_schedulers(condition: Object) -> bool:
    if condition.get("type") == DISRUPTION_TARGET:
        return bool(condition.get("reason") == BY_SCHEDULER.reason)
    return condition.get("type") == "PodScheduled" and condition.get("reason") != _GATED


def updated(current: Object, old: Object, new: Object) -> Object | None:
    """A pod of a replay after users or controllers have changed the recorded one."""
    metadata, spec = metadata_of(new), without(spec_of(new), "nodeName")
    if spec == without(spec_of(old), "nodeName") and _said(metadata) == _said(metadata_of(old)):
        return None
    now = current["metadata"]
    # The replay has its own names, and its own ends.
    own = {field: now[field] for field in ("name", "uid", *_OF_THE_END[:2]) if field in now}
    node = node_name_of(current)
    return {
        **current,
        "metadata": {**without(metadata, *_OF_THE_END), **own},
        "spec": {**spec, "nodeName": node} if node else spec,
    }


def _said(metadata: Object) -> Object:
    return without(metadata, *_OF_THE_END, *_OF_THE_SERVER)


def status_at(current: Object, recorded: Object, shift_s: float) -> Object:
    """A replayed pod with the status that the node reported of the recorded pod.

    Args:
        shift_s: how much later the pod was placed than in the recording.
    """
    others = [one for one in recorded.get("conditions") or () if not _is_schedulers(one)]
    own = [one for one in conditions_of(current) if _is_schedulers(one)]
    status = {**without(recorded, "nominatedNodeName"), "conditions": [*own, *others]}
    started = recorded.get("startTime")
    if started and abs(shift_s) >= 1:
        with suppress(TimeError):
            status["startTime"] = timestamp(epoch_s(str(started)) + round(shift_s))
    if nominated := nominated_node_of(current):
        status["nominatedNodeName"] = nominated
    return {**current, "status": status}


def placed_status(current: Object, now_s: float) -> Object:
    """A replayed pod that runs at once, for lack of a recorded status."""
    since = timestamp(now_s)
    running = [
        {"type": kind, "status": "True", "lastTransitionTime": since}
        for kind in ("Initialized", "ContainersReady", "Ready")
    ]
    said: Mapping[str, Any] = {
        **status_of(current),
        "phase": "Running",
        "startTime": since,
        "conditions": running,
    }
    return status_at(current, said, 0.0)
