"""States of replayed pods: the recorded states without the decisions of the scheduler."""

from contextlib import suppress

from podium.api.objects import Object, conditions_of, metadata_of, spec_of, status_of, without
from podium.api.pods import node_name_of, nominated_node_of
from podium.api.policy.disruption_target import BY_SCHEDULER, DISRUPTION_TARGET
from podium.api.values.times import TimeError, epoch_s, timestamp

_GATED = "SchedulingGated"
# Fields of a terminating pod, and finalizers, as a replay has no components that remove them.
_OF_THE_END = ("deletionTimestamp", "deletionGracePeriodSeconds", "finalizers")
_OF_THE_SERVER = ("resourceVersion", "generation", "managedFields")
# The names of claims for devices, which the replayed scheduler and controller write.
_OF_CLAIMS = ("resourceClaimStatuses", "extendedResourceClaimStatus")


def arriving(obj: Object, *, keeps_node: bool) -> Object:
    """Return a pod as it was when created, with `spec.nodeName` only if `keeps_node`."""
    spec = dict(obj["spec"]) if keeps_node else without(obj["spec"], "nodeName")
    kept = ("qosClass", "resourceClaimStatuses")
    recorded = status_of(obj)
    status = {"phase": "Pending", **{field: recorded[field] for field in kept if field in recorded}}
    if conditions := [one for one in conditions_of(obj) if one.get("reason") == _GATED]:
        status["conditions"] = conditions
    metadata = without(obj["metadata"], *_OF_THE_END)
    return {**obj, "metadata": metadata, "spec": spec, "status": status}


def replacement(obj: Object, name: str, uid: str, now_s: float) -> Object:
    """Return the pod that a controller would create in place of a lost pod."""
    pod = arriving(obj, keeps_node=False)
    metadata = {**pod["metadata"], "name": name, "uid": uid}
    return {
        **pod,
        "metadata": {**metadata, "creationTimestamp": timestamp(now_s)},
        "status": without(pod["status"], *_OF_CLAIMS),
    }


def is_decided_on(pod: Object) -> bool:
    """Return whether a scheduler has tried a pod."""
    return any(_decided(pod))


def is_schedulers_change(old: Object, new: Object) -> bool:
    """Return whether a change includes a binding, nomination, preemption or refusal."""
    return _decided(old) != _decided(new)


def _decided(pod: Object) -> tuple[object, ...]:
    conditions = [condition for condition in conditions_of(pod) if _is_schedulers(condition)]
    return node_name_of(pod), nominated_node_of(pod), conditions


def _is_schedulers(condition: Object) -> bool:
    if condition.get("type") == DISRUPTION_TARGET:
        return bool(condition.get("reason") == BY_SCHEDULER.reason)
    return condition.get("type") == "PodScheduled" and condition.get("reason") != _GATED


def updated(current: Object, old: Object, new: Object) -> Object | None:
    """Apply a recorded change to a replayed pod; None if only the scheduler or node made it."""
    old_metadata, metadata = (
        without(metadata_of(pod), *_OF_THE_END, *_OF_THE_SERVER) for pod in (old, new)
    )
    spec = without(spec_of(new), "nodeName")
    if spec == without(spec_of(old), "nodeName") and metadata == old_metadata:
        return None
    now = current["metadata"]
    # The replay has its own names, and its own ends.
    own = {field: now[field] for field in ("name", "uid", *_OF_THE_END[:2]) if field in now}
    node = node_name_of(current)
    return {
        **current,
        "metadata": {**without(metadata_of(new), *_OF_THE_END), **own},
        "spec": {**spec, "nodeName": node} if node else spec,
    }


def status_at(current: Object, recorded: Object, shift_s: float) -> Object:
    """Return a replayed pod, bound `shift_s` seconds later, with the recorded node's status."""
    others = [one for one in recorded.get("conditions") or () if not _is_schedulers(one)]
    own = [condition for condition in conditions_of(current) if _is_schedulers(condition)]
    status = {**without(recorded, "nominatedNodeName", *_OF_CLAIMS), "conditions": [*own, *others]}
    status |= {field: value for field, value in status_of(current).items() if field in _OF_CLAIMS}
    started = recorded.get("startTime")
    if started and abs(shift_s) >= 1:
        with suppress(TimeError):
            status["startTime"] = timestamp(epoch_s(str(started)) + round(shift_s))
    if nominated := nominated_node_of(current):
        status["nominatedNodeName"] = nominated
    return {**current, "status": status}


def placed_status(current: Object, now_s: float) -> Object:
    """Return a replayed pod as running, for a pod without a recorded status."""
    since = timestamp(now_s)
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": since}
        for kind in ("Initialized", "ContainersReady", "Ready")
    ]
    running = {"phase": "Running", "startTime": since, "conditions": conditions}
    return status_at(current, {**status_of(current), **running}, 0.0)
