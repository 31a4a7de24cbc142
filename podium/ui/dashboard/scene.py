"""The state of the cluster that the page shows, and the steps that change it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from podium.api.devices.node_devices import NodeDevices
from podium.api.errors import PodiumError
from podium.api.objects import Object, key, name, uid
from podium.api.values.times import micro_time
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.ui.dashboard import descriptions, workload_counts
from podium.ui.dashboard.views import Abilities, Entry, Node, Pod, Step, View
from podium.ui.dashboard.workload_counts import WorkloadCounts

ENTRIES_PER_STEP_MAX = 500
"""A step has at most this number of entries; further ones are counted."""

_KEYS: Mapping[str, Callable[[Object], str]] = {
    "PriorityClass": name,
    "Node": name,
    "PodDisruptionBudget": key,
    "Pod": uid,
}
# What nodes and pods have of them is known before they are described.
_OF_DEVICES = frozenset(("ResourceSlice", "ResourceClaim"))
KINDS = (*_OF_DEVICES, *_KEYS, *workload_counts.KINDS)
# A pod in flight has been popped from the active queue and is being tried.
_SHOWN = {QueueName.IN_FLIGHT: QueueName.ACTIVE.value}
_DESCRIBED: Mapping[str, Callable[[Object], Any]] = {
    "PriorityClass": descriptions.described_class,
    "Node": descriptions.described_node,
    "PodDisruptionBudget": descriptions.described_budget,
    "Pod": descriptions.described_pod,
}


class LostTrackError(PodiumError):
    """Changes were missed, so that the scene has to start over with all objects."""


class SceneChange(NamedTuple):
    """A new or changed object, or the last state of a deleted object."""

    kind: str
    obj: Object
    is_gone: bool = False


class Scene:
    """The nodes, pods, workloads, budgets and priority classes that the page shows."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.values: dict[str, dict[str, Any]] = {kind: {} for kind in _KEYS}
        self._workloads = WorkloadCounts()
        self._places: Mapping[str, str] = {}
        self._devices = NodeDevices()

    def add(self, changes: Iterable[SceneChange]) -> None:
        """Add the objects that exist at the beginning, by kind in the order of `KINDS`."""
        for change in changes:
            if change.kind in _OF_DEVICES:
                self._devices.put(change.kind, change.obj)
            else:
                self._change(change)
        self._workloads.take()
        self._devices.take_changes()

    def _change(self, change: SceneChange) -> tuple[Any, Any]:
        """Apply a change, and return the old and the new description, if there are any."""
        kind, obj, is_gone = change
        if kind in workload_counts.KINDS:
            self._workloads.object_changed(obj, is_gone)
            return None, None
        called, known = _KEYS[kind](obj), self.values[kind]
        old = known.pop(called, None)
        new = None if is_gone else self._with_devices(_DESCRIBED[kind](obj))
        if new is not None:
            known[called] = new
        if kind == "Pod":
            self._workloads.pod_changed(old, new)
        elif kind == "PodDisruptionBudget":
            self._workloads.budget_changed(obj, is_gone)
        return old, new

    def step(
        self,
        at_s: float,
        changes: Iterable[SceneChange],
        places: Mapping[str, str],
        entries: Sequence[Entry],
        disruptions: Sequence[msgspec.Raw] = (),
    ) -> Step | None:
        """Apply changes, and return them as a step; None if nothing changes on the page.

        Args:
            places: the scheduling queue of each pending pod by its uid.
        """
        latest: dict[tuple[str, str], SceneChange] = {}
        for one in changes:
            if one.kind in _OF_DEVICES:
                self._devices.put(one.kind, one.obj, is_gone=one.is_gone)
            else:
                latest[one.kind, _KEYS.get(one.kind, key)(one.obj)] = one
        nodes, moved = self._devices.take_changes()
        moved |= {called for called, _ in places.items() ^ self._places.items()}
        moved |= {called for kind, called in latest if kind == "Pod"}
        self._places = places
        new: dict[str, list[Any]] = {kind: [] for kind in _KEYS}
        gone: dict[str, list[str]] = {kind: [] for kind in _KEYS}
        before: dict[str, Pod | None] = {called: self.values["Pod"].get(called) for called in moved}
        for (kind, called), change in latest.items():
            old, now = self._change(change)
            if now is None and old is not None:
                gone[kind].append(called)
            elif kind != "Pod" and now != old:
                new[kind].append(now)
        counted, lost = self._workloads.take()
        for called in nodes & self.values["Node"].keys():
            if ("Node", called) not in latest:
                old = self.values["Node"][called]
                self.values["Node"][called] = now = self._with_devices(old)
                if now != old:
                    new["Node"].append(now)
        for called in moved & self.values["Pod"].keys():
            pod = self._with_devices(self.values["Pod"][called])
            place = "" if pod.node else places.get(called, "")
            if pod.queue != place:
                pod = replace(pod, queue=place)
            self.values["Pod"][called] = pod
            if pod != before[called]:
                new["Pod"].append(pod)
        shown, hidden = entries[:ENTRIES_PER_STEP_MAX], entries[ENTRIES_PER_STEP_MAX:]
        if hidden:
            text, at_s = f"and {len(hidden)} more", hidden[0].at_s
            more = Entry(at_s=at_s, type="More", kind="", namespace="", name="", by="", text=text)
            shown = [*shown, more]
        has_classes = bool(new["PriorityClass"] or gone["PriorityClass"])
        if not any((entries, disruptions, counted, lost, *new.values(), *gone.values())):
            return None
        self.number += 1
        return Step(
            number=self.number,
            at_s=at_s,
            nodes=new["Node"],
            gone_nodes=gone["Node"],
            pods=new["Pod"],
            gone_pods=gone["Pod"],
            budgets=new["PodDisruptionBudget"],
            gone_budgets=gone["PodDisruptionBudget"],
            workloads=counted,
            gone_workloads=lost,
            priority_classes=[*self.values["PriorityClass"].values()] if has_classes else None,
            entries=shown,
            disruptions=disruptions,
        )

    def _with_devices(self, described: Any) -> Any:
        devices = self._devices
        if isinstance(described, Pod):
            has = devices.of_pod(described.uid) or msgspec.UNSET
            return described if described.devices == has else replace(described, devices=has)
        if isinstance(described, Node):
            own, unused = devices.of_node(described.name), devices.unused(described.name)
            unset = msgspec.UNSET
            return replace(described, devices=own or unset, unused_devices=unused or unset)
        return described

    def view(
        self, abilities: Abilities, at_s: float, start_s: float, entries: Sequence[Entry]
    ) -> View:
        """Return the whole scene; `start_s` is in seconds since the epoch, `at_s` since then."""
        kinds = self.values
        return View(
            number=self.number,
            at_s=at_s,
            clock=micro_time(start_s),
            **abilities._asdict(),
            priority_classes=[*kinds["PriorityClass"].values()],
            nodes=[*kinds["Node"].values()],
            pods=[*kinds["Pod"].values()],
            budgets=[*kinds["PodDisruptionBudget"].values()],
            workloads=[*self._workloads.values.values()],
            entries=entries,
        )


def places_in(queues: Iterable[SchedulingQueue]) -> dict[str, str]:
    """Return the name of each pod's queue in the schedulers' queues, by the pod's uid."""
    return {
        queued.uid: _SHOWN.get(queued.place, queued.place.value)
        for queue in queues
        for queued in queue
    }
