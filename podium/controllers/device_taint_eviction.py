"""Device taint eviction: deletes pods that use devices with NoExecute taints.

Rules and texts are those of v1.36's `devicetainteviction`. A pod is deleted when the first of its
claims is no longer tolerated: at the time when a taint was added to a device of the claim, or
`tolerationSeconds` later, by the tolerations that were copied into the allocation.
"""

from collections.abc import Hashable, Iterator
from itertools import chain

from podium.api.devices.resource_claims import known_claim_names, reserved_for, results_of
from podium.api.nodes import NO_EXECUTE, tolerates
from podium.api.objects import (
    Object,
    entries,
    is_terminating,
    part,
    place_of,
    spec_of,
    status_of,
    uid,
)
from podium.api.pods import is_finished, node_name_of
from podium.api.policy.disruption_target import (
    BY_DEVICE_TAINT,
    disruption_condition,
    disruption_reason,
)
from podium.api.values.times import epoch_s
from podium.machines.effects import Effect, deletion_of, status_patch_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_POD, _CLAIM, _SLICE = "Pod", "ResourceClaim", "ResourceSlice"


def _pool(resource_slice: Object) -> list[str]:
    spec = spec_of(resource_slice)
    return [f"{spec.get('driver')}/{part(spec, 'pool').get('name')}"]


def _pools(claim: Object) -> list[str]:
    return [*{f"{device.get('driver')}/{device.get('pool')}" for device in results_of(claim)}]


class DeviceTaintEvictionController(Reconciler):
    """Deletes pods that use devices with NoExecute taints."""

    name = "device-taint-eviction-controller"
    kinds = frozenset({_POD, _CLAIM, _SLICE})
    indexes = ((_CLAIM, "pool", _pools), (_SLICE, "pool", _pool))

    def __init__(self) -> None:
        super().__init__()
        # The uids of the pods whose deletion is planned.
        self._planned: set[str] = set()

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == _POD:
            if known_claim_names(obj):
                yield place_of(obj)
            return
        claims = [before or obj, obj]
        if change.kind == _SLICE:
            claims = [*self.objects.by(_CLAIM, "pool", *_pool(obj))]
        for claim in claims:
            for consumer in entries(status_of(claim), "reservedFor"):
                yield place_of(claim)[0], str(consumer.get("name"))

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        pod = self.objects.at(_POD, key)
        if pod is None or is_terminating(pod) or is_finished(pod):
            return
        due_s = self._due_s(pod, now_s)
        if due_s is None:
            if uid(pod) in self._planned:
                self._planned.discard(uid(pod))
                yield self.event(pod, "Normal", "DeviceTaintManagerEviction", "Cancelling deletion")
            return
        self._planned.add(uid(pod))
        if due_s > now_s:
            self.look_again(key, due_s)
        elif disruption_reason(pod) != BY_DEVICE_TAINT.reason:
            yield self.event(pod, "Normal", "DeviceTaintManagerEviction", "Marking for deletion")
            why = "Device Taint manager: deleting due to NoExecute taint"
            target = disruption_condition(pod, BY_DEVICE_TAINT, why, now_s)
            yield status_patch_of(_POD, pod, {"conditions": [target]})
        else:
            self._planned.discard(uid(pod))
            yield deletion_of(_POD, pod)

    def _due_s(self, pod: Object, now_s: float) -> float | None:
        """Return when a pod has to go, in seconds since the epoch; None if it may stay."""
        if not node_name_of(pod):
            return None
        claims = (self.objects.at(_CLAIM, tuple(n.split("/"))) for n in known_claim_names(pod))
        used = [claim for claim in claims if claim and uid(pod) in reserved_for(claim)]
        devices = chain.from_iterable(map(results_of, used))
        times_s = [
            at_s
            for device in devices
            for taint in self._taints(device)
            if (at_s := _end_s(device, taint, now_s)) is not None
        ]
        return min(times_s, default=None)

    def _taints(self, allocated: Object) -> Iterator[Object]:
        """Yield the NoExecute taints of a device, in the latest generation of its pool."""
        pool = f"{allocated.get('driver')}/{allocated.get('pool')}"
        slices = [*self.objects.by(_SLICE, "pool", pool)]
        latest = max((_generation(slice_) for slice_ in slices), default=0)
        for resource_slice in slices:
            if _generation(resource_slice) != latest:
                continue
            for device in entries(spec_of(resource_slice), "devices"):
                if device.get("name") == allocated.get("device"):
                    for taint in entries(device, "taints"):
                        if taint.get("effect") == NO_EXECUTE:
                            yield taint


def _generation(resource_slice: Object) -> int:
    return int(part(spec_of(resource_slice), "pool").get("generation") or 0)


def _end_s(device: Object, taint: Object, now_s: float) -> float | None:
    """Return until when a taint is tolerated, in seconds since the epoch; None for ever."""
    added_s = epoch_s(taint["timeAdded"]) if taint.get("timeAdded") else now_s
    limits: list[float] = []
    for toleration in entries(device, "tolerations"):
        if toleration.get("effect") != NO_EXECUTE or not tolerates(toleration, taint):
            continue
        seconds = toleration.get("tolerationSeconds")
        if seconds is None:
            return None
        limits.append(max(float(seconds), 0.0))
    return added_s + min(limits, default=0.0)
