"""The pods of a replay: creates, deletes and replaces them, and writes their recorded status.

Pods run as long after they are placed as they did in the recording, and take as long to end; where
nobody knows, they run at once, and take their whole grace period.
"""

from collections.abc import Collection, Mapping
from functools import partial

import msgspec

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    Place,
    condition_message,
    controller_of,
    is_terminating,
    place_of,
    uid,
)
from podium.api.pods import is_finished, node_name_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.verbs.verb_options import DeleteOptions
from podium.cluster.virtual import Cluster
from podium.simulation.recordings.pod_records import PodRecord, is_lost
from podium.simulation.recordings.pod_states import (
    arriving,
    is_decided_on,
    is_schedulers_change,
    placed_status,
    replacement,
    status_at,
    updated,
)
from podium.simulation.recordings.segments import RecordedChange

_POD = KINDS["Pod"]


class ReplayedPod(msgspec.Struct):
    """What became of a recorded pod in a replay.

    Attributes:
        node: where it, or what stands for it, was placed first; empty if nowhere.
        bound_s: when it was bound, in seconds since the epoch; None if it wasn't.
        instead: name of the pod that stands for it from the beginning, as that wasn't lost; empty
            if it came itself.
    """

    node: str = ""
    bound_s: float | None = None
    instead: str = ""
    message: str = ""


class Roles:
    """Places of pods in a replay, by the uid of the recorded pod that each stands for, and back.

    Mostly it is the same pod. Where the scheduler decides otherwise in a replay, controllers would
    have done otherwise, too: a pod that isn't preempted needs no replacement, and stands for it
    from then on; one that is preempted only in the replay gets a replacement, which stands for it.
    """

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        self._recorded: dict[Place, str] = {}
        self._replacements: dict[str, int] = {}

    def assign(self, recorded: str, place: Place) -> None:
        """Assign the pod of a place to a recorded pod, in place of any other."""
        self._places[recorded] = place
        self._recorded[place] = recorded

    def place_of(self, recorded: str) -> Place | None:
        """The place of the pod that stands for a recorded one, even if gone; None if none does."""
        place = self._places.get(recorded)
        return place if place is not None and self._recorded[place] == recorded else None

    def recorded_at(self, place: Place) -> str:
        """The uid of the recorded pod for which the pod of a place stands; empty for none."""
        return self._recorded.get(place, "")

    def next_replacement(self, recorded: str) -> int:
        self._replacements[recorded] = self._replacements.get(recorded, 0) + 1
        return self._replacements[recorded]


class ReplayedPods:
    """Plays what is recorded of pods, and sees to what follows from other decisions.

    Attributes:
        results: what became of each recorded pod, by uid.
    """

    def __init__(self, cluster: Cluster, records: Mapping[str, PodRecord]) -> None:
        self.roles = Roles()
        self.names: set[str] = set()
        self.results = {one: ReplayedPod() for one in records}
        self._records = records
        self._lost = {one.replaced_by: lost for lost, one in records.items() if one.replaced_by}
        self._server, self._store, self._driver = cluster.server, cluster.store, cluster.driver
        self._start_s = cluster.options.start_s
        # Pods that come as soon as another one of their name is gone.
        self._due: dict[Place, tuple[str, Object]] = {}
        # Pods that the recorded scheduler hasn't turned to yet.
        self._waiting: dict[str, Object] = {}

    def start(self, names: Collection[str]) -> None:
        self.names.update(names)

        def look_soon() -> None:
            self._driver.at(self._driver.now_s, self._look)

        revision = self._store.revision
        self._watch = self._store.watch("Pod", from_revision=revision, wake=look_soon)
        for one, record in self._records.items():
            if record.created_s is not None:
                continue
            pod = record.first
            self.roles.assign(one, place_of(pod))
            self.results[one].node = record.given_node
            if record.given_node:
                self._plan_statuses(one, pod)
            if is_terminating(pod):
                self._plan_end(record, pod)

    def play(self, change: RecordedChange) -> None:
        obj = change.new if change.new is not None else change.old
        assert obj is not None
        recorded, record = uid(obj), self._records[uid(obj)]
        if change.old is None:
            self._arrive(recorded, obj)
        leaves = change.new is None or is_terminating(obj)
        if leaves and record.leaving_s == change.at_s:
            self._leave(recorded, obj, at_once=change.new is None)
        elif change.old is not None and not leaves:
            self._change(recorded, change.old, obj)

    def _is_decided(self, record: PodRecord) -> bool:
        return not record.given_node and record.scheduler_name in self.names

    def _current(self, recorded: str) -> Object | None:
        place = self.roles.place_of(recorded)
        return None if place is None else self._store.get("Pod", *place)

    def _arrive(self, recorded: str, obj: Object) -> None:
        """Have a pod wait until the recorded scheduler turned to it, if it has.

        Who was next in a long queue, and what was known by then, is as it was.
        """
        record = self._records[recorded]
        is_next = record.turned_to_s is None or is_decided_on(obj)
        if is_next or not self._is_decided(record):
            self._admit(recorded, obj)
        else:
            self._waiting[recorded] = obj

    def _admit(self, recorded: str, obj: Object) -> None:
        lost = self._lost.get(recorded, "")
        kept = self._current(lost)
        if kept is not None and not is_terminating(kept) and not is_lost(kept):
            # Its controller would have had no reason to make another one.
            result, place = self.results[recorded], place_of(kept)
            result.instead, result.node = place[1], node_name_of(kept)
            self.roles.assign(recorded, place)
            return
        keeps_node = not self._is_decided(self._records[recorded])
        self._create(recorded, arriving(obj, keeps_node=keeps_node))

    def _create(self, recorded: str, pod: Object) -> None:
        place = place_of(pod)
        if self._store.get("Pod", *place) is not None:
            self._due[place] = recorded, pod
            return
        self.roles.assign(recorded, place)
        self._store.create("Pod", pod)
        if node_name_of(pod):
            self._placed(recorded, pod)

    def _leave(self, recorded: str, obj: Object, *, at_once: bool) -> None:
        record = self._records[recorded]
        if record.was_preempted:
            preemptor = self._records.get(record.preemptor)
            if preemptor is None or preemptor.scheduler_name in self.names:
                self._turn_to(record.preemptor)
                return
        self._waiting.pop(recorded, None)
        for place, (due, _) in tuple(self._due.items()):
            if due == recorded:
                del self._due[place]
        current = self._current(recorded)
        if current is None or is_terminating(current):
            return
        if record.was_lost and node_name_of(current) != record.node:
            # It went for what has happened on a node where it isn't now.
            return
        grace_s = None if at_once else obj["metadata"].get("deletionGracePeriodSeconds")
        namespace, name = place_of(current)
        request = Attributes(_POD, namespace, name, self._driver.now_s)
        self._server.delete(request, DeleteOptions(grace_period_s=grace_s or 0))

    def _turn_to(self, recorded: str) -> None:
        """Let a pod in if it waits, and the scheduler act on all that has come by now."""
        waiting = self._waiting.pop(recorded, None)
        if waiting is not None:
            self._admit(recorded, waiting)
        self._driver.advance(0)

    def _change(self, recorded: str, old: Object, new: Object) -> None:
        if recorded in self._waiting:
            self._waiting[recorded] = new
            if is_decided_on(new):
                self._turn_to(recorded)
            return
        current = self._current(recorded)
        if current is None:
            return
        pod = updated(current, old, new)
        node, decided = node_name_of(new), self._is_decided(self._records[recorded])
        if not decided and node and not node_name_of(current):
            pod = pod or current
            pod = {**pod, "spec": {**pod["spec"], "nodeName": node}}
        if pod is not None:
            self._store.update("Pod", pod)
        elif is_schedulers_change(old, new):
            # By now the recorded scheduler had acted on all that came before.
            record = self._records[recorded]
            self._turn_to(record.preemptor if is_lost(new) and not is_lost(old) else recorded)

    def _look(self) -> None:
        for event in self._watch.take():
            old, new = event.previous, event.obj
            recorded = self.roles.recorded_at(place_of(new))
            if old is None or recorded not in self._records:
                continue
            if event.type == "DELETED":
                if not is_terminating(old):
                    self._told_to_go(recorded, new)
                place = place_of(new)
                due = self._due.pop(place, None)
                if due is not None:
                    self._create(*due)
                continue
            if not node_name_of(new):
                self.results[recorded].message = condition_message(new, "PodScheduled")
            elif not node_name_of(old):
                self._placed(recorded, new)
            if is_terminating(new) and not is_terminating(old):
                self._told_to_go(recorded, new)

    def _placed(self, recorded: str, pod: Object) -> None:
        result = self.results[recorded]
        if not result.node:
            result.node, result.bound_s = node_name_of(pod), self._driver.now_s
        self._plan_statuses(recorded, pod)

    def _plan_statuses(self, recorded: str, pod: Object) -> None:
        """Have its node tell of it what it told of the recorded one, as long after its arrival."""
        record, now_s = self._records[recorded], self._driver.now_s
        if not record.node:
            self._driver.at(now_s, partial(self._run, pod))
            return
        since_s = record.bound_s or record.created_s or self._start_s
        for at_s, status in record.statuses:
            tell = partial(self._tell, pod, record, status, now_s - since_s)
            # Added up in this order, what was told at one moment is told at one moment.
            self._driver.at(at_s if now_s == since_s else now_s + (at_s - since_s), tell)

    def _run(self, pod: Object) -> None:
        current = self._same(pod)
        if current is not None and not is_terminating(current):
            self._store.update("Pod", placed_status(current, self._driver.now_s))

    def _tell(self, pod: Object, record: PodRecord, status: Object, shift_s: float) -> None:
        current = self._same(pod)
        if current is None or is_terminating(current) or is_finished(current):
            return
        is_loss = record.was_lost and is_lost({"status": status})
        if not is_loss or node_name_of(current) == record.node:
            self._store.update("Pod", status_at(current, status, shift_s))

    def _same(self, pod: Object) -> Object | None:
        current = self._store.get("Pod", *place_of(pod))
        return current if current is not None and uid(current) == uid(pod) else None

    def _told_to_go(self, recorded: str, pod: Object) -> None:
        record = self._records[recorded]
        self._plan_end(record, pod)
        if not is_lost(pod) or record.was_lost or not record.owner:
            return
        number = self.roles.next_replacement(recorded)
        owner = controller_of(record.first) or {}
        keeps_name = owner.get("kind") == "StatefulSet"
        name = record.first["metadata"]["name"]
        called = name if keeps_name else f"{name}-r{number}"
        fresh = f"{recorded}-r{number}"
        self._create(recorded, replacement(record.first, called, fresh, self._driver.now_s))

    def _plan_end(self, record: PodRecord, pod: Object) -> None:
        took_s = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
        if record.gone_s is not None and record.leaving_s is not None:
            took_s = record.gone_s - record.leaving_s
        self._driver.at(self._driver.now_s + took_s, partial(self._end, pod))

    def _end(self, pod: Object) -> None:
        current = self._same(pod)
        if current is not None:
            self._store.delete("Pod", *place_of(pod))
