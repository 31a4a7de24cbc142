"""The cluster as the page knows it, and the steps by which it gets to know more."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from podium.api.errors import PodiumError
from podium.api.objects import Object, key, name, uid
from podium.api.values.message_words import and_more
from podium.api.values.times import timestamp
from podium.scheduler.queue import QueueName, SchedulingQueue
from podium.ui.dashboard import descriptions
from podium.ui.dashboard.views import Abilities, Entry, Step, View

ENTRIES_PER_STEP_MAX = 500
"""What else happens at one moment is counted."""

_KEYS: Mapping[str, Callable[[Object], str]] = {
    "PriorityClass": name,
    "Node": name,
    "PodDisruptionBudget": key,
    "Pod": uid,
}
KINDS = tuple(_KEYS)
# What has been popped is tried at this moment.
_SHOWN = {QueueName.IN_FLIGHT: QueueName.ACTIVE.value}
_DESCRIBED: Mapping[str, Callable[[Object], Any]] = {
    "PriorityClass": descriptions.described_class,
    "Node": descriptions.described_node,
    "PodDisruptionBudget": descriptions.described_budget,
    "Pod": descriptions.described_pod,
}


class LostTrackError(PodiumError):
    """What has changed isn't known any more; a scene is to be begun again."""


class Change(NamedTuple):
    """An object that came or was changed, or the last state of one that is gone."""

    kind: str
    obj: Object
    is_gone: bool = False


class Scene:
    """Nodes, pods, budgets and classes as the page has them."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.values: dict[str, dict[str, Any]] = {kind: {} for kind in _KEYS}
        self._places: Mapping[str, str] = {}

    def add(self, changes: Iterable[Change]) -> None:
        """Know objects from the beginning."""
        for change in changes:
            called = _KEYS[change.kind](change.obj)
            self.values[change.kind][called] = _DESCRIBED[change.kind](change.obj)

    def step(
        self,
        at_s: float,
        changes: Iterable[Change],
        places: Mapping[str, str],
        entries: Sequence[Entry],
    ) -> Step | None:
        """Take in what has changed, and where pods wait now, by uid.

        None if that is nothing that the page shows.
        """
        latest = {(one.kind, _KEYS[one.kind](one.obj)): one for one in changes}
        moved = {called for called, _ in places.items() ^ self._places.items()}
        moved |= {called for kind, called in latest if kind == "Pod"}
        self._places = places
        new: dict[str, list[Any]] = {kind: [] for kind in _KEYS}
        gone: dict[str, list[str]] = {kind: [] for kind in _KEYS}
        before = {called: self.values["Pod"].get(called) for called in moved}
        for (kind, called), change in latest.items():
            old = self.values[kind].pop(called, None)
            if change.is_gone:
                if old is not None:
                    gone[kind].append(called)
                continue
            self.values[kind][called] = now = _DESCRIBED[kind](change.obj)
            if kind != "Pod" and now != old:
                new[kind].append(now)
        for called in moved:
            pod = self.values["Pod"].get(called)
            if pod is None:
                continue
            place = "" if pod.node else places.get(called, "")
            if pod.queue != place:
                self.values["Pod"][called] = pod = replace(pod, queue=place)
            if pod != before[called]:
                new["Pod"].append(pod)
        has_classes = bool(new["PriorityClass"] or gone["PriorityClass"])
        if not (entries or any(new.values()) or any(gone.values())):
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
            priority_classes=[*self.values["PriorityClass"].values()] if has_classes else None,
            entries=_shortened(entries),
        )

    def view(
        self, abilities: Abilities, at_s: float, start_s: float, entries: Sequence[Entry]
    ) -> View:
        """All of it as one value; `start_s` is in seconds since the epoch, `at_s` since then."""
        kinds = self.values
        return View(
            number=self.number,
            at_s=at_s,
            clock=timestamp(start_s),
            **abilities._asdict(),
            priority_classes=[*kinds["PriorityClass"].values()],
            nodes=[*kinds["Node"].values()],
            pods=[*kinds["Pod"].values()],
            budgets=[*kinds["PodDisruptionBudget"].values()],
            entries=entries,
        )


def places_in(queues: Iterable[SchedulingQueue]) -> dict[str, str]:
    """Where the pods of queues wait, by uid."""
    return {
        queued.uid: _SHOWN.get(queued.place, queued.place.value)
        for queue in queues
        for queued in queue
    }


def _shortened(entries: Sequence[Entry]) -> Sequence[Entry]:
    shown, left = entries[:ENTRIES_PER_STEP_MAX], entries[ENTRIES_PER_STEP_MAX:]
    at_s = left[0].at_s if left else 0.0
    counted = [
        Entry(at_s=at_s, type="More", kind="", namespace="", name="", by="", text=text)
        for text in and_more(len(left))
    ]
    return [*shown, *counted]
