"""Claims for devices in a replay: the recorded ones, without what the recorded scheduler decided.

The replayed scheduler allocates and reserves claims, and the replayed controller frees them. Only
for pods that the replayed scheduler doesn't place, allocations and reservations are repeated.

A claim of users comes and goes as recorded. A claim that was generated for a pod comes and goes
with that pod, and a pod that replaces it gets a copy. What drivers report of allocated devices
follows as long after the allocation as recorded; if a claim is allocated only in the replay, its
devices can be bound at once.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from podium.api.devices.resource_claims import (
    FINALIZER,
    allocation_of,
    is_for_extended_resources,
    owner_pod,
    reserved_for,
    results_of,
)
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    Place,
    entries,
    is_terminating,
    place_of,
    status_of,
    uid,
    without,
)
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.cluster.virtual import Cluster
from podium.simulation.recordings.segments import RecordedChange, Recording

CLAIM = "ResourceClaim"
# Fields of a terminating claim, and finalizers, as a replay has no components that remove others
# than the controller's own.
_OF_THE_END = ("deletionTimestamp", "deletionGracePeriodSeconds", "finalizers")
_OF_A_DEVICE = ("driver", "pool", "device", "shareID")


class _Allocation(msgspec.Struct):
    """A recorded allocation of a claim, and what drivers reported of its devices, with times."""

    at_s: float
    results: Sequence[Object]
    reports: list[tuple[float, Sequence[Object]]] = msgspec.field(default_factory=list)


class ReplayedClaims:
    """Repeats the changes of claims, except what the recorded scheduler did."""

    def __init__(
        self, cluster: Cluster, recording: Recording, is_placed_again: Callable[[str], bool]
    ) -> None:
        """Repeat claims; `is_placed_again` says whether the replay places the pod with a uid."""
        self._store, self._server, self._driver = cluster.store, cluster.server, cluster.driver
        self._is_placed_again = is_placed_again
        self._allocations = _recorded_allocations(recording)
        # By the uid of a recorded pod, the claims that were generated for it.
        self._generated: dict[str, list[Object]] = defaultdict(list)
        # By the uid of a replayed pod, the claims that go with it.
        self._of_pod: dict[str, set[Place]] = defaultdict(set)
        # Claims to create as soon as another claim of their name is gone.
        self._due: dict[Place, Object] = {}

    def start(self) -> None:
        """Begin to watch the claims of the loaded cluster."""
        for claim in self._store.list(CLAIM).items:
            self._note_owner(claim)
            if (pod_uid := _pod_of(claim)) and not is_for_extended_resources(claim):
                self._generated[pod_uid].append(claim)
            if allocation_of(claim) is not None:
                self._plan_reports(claim)
        self._watch = self._store.watch(
            CLAIM,
            from_revision=self._store.revision,
            wake=lambda: self._driver.at(self._driver.now_s, self._look),
        )

    def play(self, change: RecordedChange) -> None:
        """Repeat a change of a claim, except what the recorded scheduler or controller did."""
        claim = change.obj
        owner = owner_pod(claim) or {}
        pod_uid = str(owner.get("uid") or "")
        if change.old is None and (not pod_uid or is_for_extended_resources(claim)):
            if not pod_uid or not self._is_placed_again(pod_uid):
                self._create(claim)
        elif change.old is None:
            self._generated[pod_uid].append(claim)
            pod = self._store.get("Pod", place_of(claim)[0], owner["name"])
            if pod is not None and uid(pod) == pod_uid:
                self._create(claim)
        elif not pod_uid and (change.new is None or is_terminating(claim)):
            self._delete(place_of(claim))
        if change.new is not None:
            self._reserve_for_others(change.old or {}, change.new)

    def create_for(self, pod: Object, recorded: str) -> None:
        """Create the claims of a pod that was created, as they were made for a recorded pod."""
        suffix = uid(pod).removeprefix(recorded)
        for claim in self._generated.get(recorded, ()):
            metadata = claim["metadata"]
            named = {field: f"{metadata[field]}{suffix}" for field in ("name", "uid")}
            owner = {**(owner_pod(claim) or {}), "name": place_of(pod)[1], "uid": uid(pod)}
            own = {**claim, "metadata": {**metadata, **named, "ownerReferences": [owner]}}
            self._create(own)

    def delete_of(self, pod: Object) -> None:
        """Delete the claims that were generated for a pod that is gone."""
        for place in sorted(self._of_pod.pop(uid(pod), ())):
            self._delete(place)

    def _create(self, recorded: Object) -> None:
        place, metadata = place_of(recorded), without(recorded["metadata"], *_OF_THE_END)
        claim = {**without(recorded, "status"), "metadata": metadata}
        if self._store.get(CLAIM, *place) is None:
            self._store.create(CLAIM, claim)
        else:
            self._due[place] = claim

    def _delete(self, place: Place) -> None:
        current = self._store.get(CLAIM, *place)
        if self._due.pop(place, None) is None and current and not is_terminating(current):
            self._server.delete(Attributes(KINDS[CLAIM], *place, self._driver.now_s))

    def _reserve_for_others(self, old: Object, new: Object) -> None:
        known = reserved_for(old)
        for consumer in entries(status_of(new), "reservedFor"):
            if consumer["uid"] not in known and not self._is_placed_again(consumer["uid"]):
                self._reserve(new, consumer)

    def _reserve(self, recorded: Object, consumer: Object) -> None:
        current = self._store.get(CLAIM, *place_of(recorded))
        if current is None:
            return
        status = status_of(current)
        reserved = {
            "allocation": status.get("allocation") or allocation_of(recorded),
            "reservedFor": [*entries(status, "reservedFor"), consumer],
        }
        metadata = {**current["metadata"], "finalizers": [FINALIZER]}
        self._store.update(
            CLAIM, {**current, "metadata": metadata, "status": {**status, **reserved}}
        )

    def _note_owner(self, claim: Object) -> None:
        if pod_uid := _pod_of(claim):
            self._of_pod[pod_uid].add(place_of(claim))

    def _look(self) -> None:
        for event in self._watch.take():
            if event.type == "DELETED":
                if (due := self._due.pop(place_of(event.obj), None)) is not None:
                    self._create(due)
                continue
            self._note_owner(event.obj)
            is_new = event.previous is None or allocation_of(event.previous) is None
            if is_new and allocation_of(event.obj) is not None:
                self._plan_reports(event.obj)

    def _plan_reports(self, claim: Object) -> None:
        """Schedule the reports of drivers, as long after the allocation as recorded."""
        results = results_of(claim)
        now_s, recorded = self._driver.now_s, self._allocations.get(uid(claim))
        if not recorded:
            if reports := [
                _bindable(result, now_s) for result in results if result.get("bindingConditions")
            ]:
                self._driver.at(now_s, partial(self._report, claim, reports))
            return
        allocation = recorded.pop(0)
        instead = dict(zip(map(_device, allocation.results), results, strict=False))
        for at_s, devices in allocation.reports:
            reports = [
                {**without(device, *_OF_A_DEVICE), **_identity(instead[_device(device)])}
                for device in devices
                if _device(device) in instead
            ]
            self._driver.at(now_s + at_s - allocation.at_s, partial(self._report, claim, reports))

    def _report(self, claim: Object, devices: Sequence[Object]) -> None:
        current = self._store.get(CLAIM, *place_of(claim))
        if current is not None and results_of(current) == results_of(claim):
            status = {**status_of(current), "devices": devices}
            self._store.update(CLAIM, {**current, "status": status})


def _recorded_allocations(recording: Recording) -> dict[str, list[_Allocation]]:
    """Return the allocations of each claim in a recording, by uid of the claim."""
    found: dict[str, list[_Allocation]] = defaultdict(list)
    for obj in recording.state:
        if obj["kind"] == CLAIM and allocation_of(obj) is not None:
            found[uid(obj)].append(_Allocation(recording.started_s, results_of(obj)))
    for change in recording.changes:
        if change.kind != CLAIM or change.new is None:
            continue
        before, status = status_of(change.old or {}), status_of(change.new)
        if not status.get("allocation"):
            continue
        allocations = found[uid(change.new)]
        if not before.get("allocation"):
            allocations.append(_Allocation(change.at_s, results_of(change.new)))
        if status.get("devices") != before.get("devices"):
            allocations[-1].reports.append((change.at_s, entries(status, "devices")))
    return found


def _pod_of(claim: Object) -> str:
    """Return the uid of the pod for which a claim was made; empty if it wasn't for one."""
    return str((owner_pod(claim) or {}).get("uid") or "")


def _device(device: Object) -> tuple[Any, ...]:
    return tuple(device.get(field) for field in _OF_A_DEVICE)


def _identity(device: Object) -> dict[str, Any]:
    return {field: device[field] for field in _OF_A_DEVICE if field in device}


def _bindable(device: Object, now_s: float) -> Mapping[str, Any]:
    holds = {"status": "True", "reason": "Replayed", "message": ""}
    conditions = [
        {"type": kind, **holds, "lastTransitionTime": timestamp(now_s)}
        for kind in entries(device, "bindingConditions")
    ]
    return {**_identity(device), "conditions": conditions}
