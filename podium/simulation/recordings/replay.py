"""The replay of a recording in virtual time, with Podium's scheduler in place of the recorded one.

The recorded changes by users, controllers and nodes are repeated: creations and deletions of pods,
and all changes of nodes and other objects. Placements and preemptions are decided again. Of several
equally good nodes, Podium takes the recorded one.

Pods take as long to start and to terminate as in the recording; if that isn't known, they start at
once, and terminate after their whole grace period.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
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
from podium.api.policy.disruption_target import BY_DEVICE_TAINT
from podium.apiserver.attributes import Attributes
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.verb_options import DeleteOptions
from podium.cluster.virtual import Cluster, ClusterOptions, SchedulerSetup
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.recordings.pod_records import (
    PodRecord,
    PreemptionRecord,
    is_lost,
    pod_records,
)
from podium.simulation.recordings.pod_states import (
    arriving,
    is_decided_on,
    is_schedulers_change,
    placed_status,
    replacement,
    status_at,
    updated,
)
from podium.simulation.recordings.replayed_claims import CLAIM, ReplayedClaims
from podium.simulation.recordings.segments import RecordedChange, Recording

Progress = Callable[[float, int], None]
"""Called with the simulated seconds, and the number of repeated changes."""

_PROGRESS_EVERY = 200
_POD = KINDS["Pod"]
# Controllers that act on pods whose nodes or devices are other ones than in the recording.
_CONTROLLERS = frozenset(
    {
        "device-taint-eviction-controller",
        "pod-garbage-collector",
        "resource-claim-controller",
        "taint-eviction-controller",
    }
)


class ReplayedPod(msgspec.Struct):
    """The outcome for a recorded pod in a replay."""

    node: str = ""
    """Node to which the pod, or its stand-in, was bound first; empty if it wasn't bound."""
    bound_s: float | None = None
    """When it was bound, in seconds since the epoch; None if it wasn't."""
    instead: str = ""
    """Name of the stand-in: the pod that the recorded pod replaced, if that wasn't lost in the
    replay; empty if the pod itself was created."""
    message: str = ""


class Replay(msgspec.Struct, frozen=True):
    """The result of a replay, by the uids of the recorded pods."""

    recording: Recording
    records: Mapping[str, PodRecord]
    pods: Mapping[str, ReplayedPod]
    preemptions: list[PreemptionRecord]
    scheduler_names: set[str]


def replay(
    recording: Recording,
    configuration: KubeSchedulerConfiguration | None = None,
    options: SchedulerOptions | None = None,
    progress: Progress | None = None,
) -> Replay:
    """Replay a recording from its beginning to its end."""
    setup = SchedulerSetup(configuration=configuration, options=options)
    cluster = Cluster(
        ClusterOptions(
            start_s=recording.started_s, schedulers=(setup,), controllers=_CONTROLLERS, nodes=None
        )
    )
    records = pod_records(recording)
    pods = _ReplayedPods(cluster, recording, records)
    cluster.load(recording.state, defaulted=True)
    cluster.start()
    (handle,) = cluster.schedulers.values()
    assert isinstance(handle.machine, SchedulerMachine)
    scheduler = handle.machine.scheduler
    pods.start(scheduler.pipelines.keys())
    preferred = scheduler.preferred
    for recorded, record in records.items():
        if record.node:
            preferred.placements[recorded] = [record.node]
        if record.nominations:
            nodes = [nomination.node for nomination in record.nominations]
            preferred.nominations[recorded] = nodes
    preemptions: list[PreemptionRecord] = []
    # Uids of pods that were preempted before.
    victims: set[str] = set()

    def decided(decision: Decision) -> None:
        preemption, pod = decision.preemption, decision.pod
        if preemption is None or not preemption.node_name:
            return
        fresh = [
            victim
            for victim in preemption.victims
            if victim.uid not in victims and not victim.cls.terminating
        ]
        if not fresh:
            return
        victims.update(victim.uid for victim in fresh)
        nominations = [*preferred.nominations.get(pod.uid, ())]
        if preemption.node_name in nominations:
            # The next nomination is for the next preemption.
            rest = nominations[nominations.index(preemption.node_name) + 1 :]
            preferred.nominations[pod.uid] = rest
        preemptions.append(
            PreemptionRecord(
                cluster.driver.now_s,
                pods.recorded_at((pod.namespace, pod.name)),
                preemption.node_name,
                frozenset(pods.recorded_at((one.namespace, one.name)) for one in fresh),
                failure_message(decision, scheduler.snapshot),
            )
        )

    scheduler.watch = decided
    for number, change in enumerate(recording.changes):
        if change.at_s > cluster.driver.now_s:
            cluster.driver.run_until(change.at_s)
        if change.kind == "Pod":
            pods.play(change)
        elif change.kind == CLAIM:
            pods.claims.play(change)
        else:
            _write(cluster.store, change)
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(change.at_s - recording.started_s, number)
    cluster.driver.run_until(recording.ended_s)
    return Replay(recording, records, pods.results, preemptions, pods.scheduler_names)


def _write(store: Store, change: RecordedChange) -> None:
    place = place_of(change.obj)
    exists = store.get(change.kind, *place) is not None
    if change.new is not None:
        if exists:
            store.update(change.kind, change.new)
        else:
            store.create(change.kind, change.new)
    elif exists:
        store.delete(change.kind, *place)


class _ReplayedPods:
    """Repeats the changes of pods, and simulates the consequences of different decisions.

    If the scheduler decides as recorded, each recorded pod is created itself. Otherwise pods stand
    in for others: a pod that isn't preempted in the replay stands in for its recorded replacement;
    a pod that is preempted only in the replay gets a replacement, which stands in for that pod.
    """

    def __init__(
        self, cluster: Cluster, recording: Recording, records: Mapping[str, PodRecord]
    ) -> None:
        self.claims = ReplayedClaims(
            cluster,
            recording,
            lambda pod_uid: pod_uid in records and self._is_ours(records[pod_uid]),
        )
        self.scheduler_names: set[str] = set()
        self.results = {recorded: ReplayedPod() for recorded in records}
        """The outcomes for recorded pods, by uid."""
        self._records = records
        self._lost = {one.replaced_by: lost for lost, one in records.items() if one.replaced_by}
        self._server, self._store, self._driver = cluster.server, cluster.store, cluster.driver
        self._start_s = cluster.options.start_s
        # Places of the pods that stand for recorded pods, by the uids of these, and back.
        self._places: dict[str, Place] = {}
        self._recorded: dict[Place, str] = {}
        self._replacements: Counter[str] = Counter()
        # Pods to create as soon as another pod of their name is gone.
        self._due: dict[Place, tuple[str, Object]] = {}
        # Pods that the recorded scheduler hasn't tried yet.
        self._waiting: dict[str, Object] = {}

    def start(self, scheduler_names: Collection[str]) -> None:
        self.scheduler_names.update(scheduler_names)

        def look_soon() -> None:
            self._driver.at(self._driver.now_s, self._look)

        revision = self._store.revision
        self._watch = self._store.watch("Pod", from_revision=revision, wake=look_soon)
        self.claims.start()
        for recorded, record in self._records.items():
            if record.created_s is not None:
                continue
            pod = record.first
            self._assign(recorded, place_of(pod))
            self.results[recorded].node = record.given_node
            if record.given_node:
                self._plan_statuses(recorded, pod)
            if is_terminating(pod):
                self._plan_end(record, pod)

    def play(self, change: RecordedChange) -> None:
        """Repeat a change of a pod, except what the recorded scheduler did."""
        pod = change.obj
        recorded, record = uid(pod), self._records[uid(pod)]
        if change.old is None:
            # A pod waits until the recorded scheduler tried it, if it did: its place in a long
            # queue, and what was known by then, are as in the recording.
            is_next = record.turned_to_s is None or is_decided_on(pod)
            if is_next or not self._is_ours(record):
                self._admit(recorded, pod)
            else:
                self._waiting[recorded] = pod
        leaves = change.new is None or is_terminating(pod)
        if leaves and record.leaving_s == change.at_s:
            self._leave(recorded, pod, at_once=change.new is None)
        elif change.old is not None and not leaves:
            self._change(recorded, change.old, pod)

    def recorded_at(self, place: Place) -> str:
        """Return the uid of the recorded pod for a replayed pod's namespace and name; or empty."""
        return self._recorded.get(place, "")

    def _assign(self, recorded: str, place: Place) -> None:
        self._places[recorded] = place
        self._recorded[place] = recorded

    def _current(self, recorded: str) -> Object | None:
        place = self._places.get(recorded)
        if place is None or self._recorded[place] != recorded:
            return None
        return self._store.get("Pod", *place)

    def _is_ours(self, record: PodRecord) -> bool:
        return not record.given_node and record.scheduler_name in self.scheduler_names

    def _admit(self, recorded: str, obj: Object) -> None:
        kept = self._current(self._lost.get(recorded, ""))
        if kept is not None and not is_terminating(kept) and not is_lost(kept):
            # Its controller would have had no reason to create another pod.
            result, place = self.results[recorded], place_of(kept)
            result.instead, result.node = place[1], node_name_of(kept)
            self._assign(recorded, place)
            return
        keeps_node = not self._is_ours(self._records[recorded])
        self._create(recorded, arriving(obj, keeps_node=keeps_node))

    def _create(self, recorded: str, pod: Object) -> None:
        place = place_of(pod)
        if self._store.get("Pod", *place) is not None:
            self._due[place] = recorded, pod
            return
        self._assign(recorded, place)
        self._store.create("Pod", pod)
        self.claims.create_for(pod, recorded)
        if node_name_of(pod):
            self._bound(recorded, pod)

    def _leave(self, recorded: str, obj: Object, *, at_once: bool) -> None:
        record = self._records[recorded]
        if record.was_preempted:
            preemptor = self._records.get(record.preemptor)
            if preemptor is None or preemptor.scheduler_name in self.scheduler_names:
                self._schedule(record.preemptor)
                return
        if record.cause is BY_DEVICE_TAINT:
            # In the replay, the pods that use the device are evicted by the controller.
            return
        self._waiting.pop(recorded, None)
        self._due = {place: due for place, due in self._due.items() if due[0] != recorded}
        current = self._current(recorded)
        if current is None or is_terminating(current):
            return
        if record.was_lost and node_name_of(current) != record.node:
            # The pod ended for something that happened on a node where it isn't now.
            return
        grace_s = None if at_once else obj["metadata"].get("deletionGracePeriodSeconds")
        request = Attributes(_POD, *place_of(current), self._driver.now_s)
        self._server.delete(request, DeleteOptions(grace_period_s=grace_s or 0))

    def _schedule(self, recorded: str) -> None:
        # Admit a pod that waits, and let the scheduler act on everything up to now.
        waiting = self._waiting.pop(recorded, None)
        if waiting is not None:
            self._admit(recorded, waiting)
        self._driver.advance(0)

    def _change(self, recorded: str, old: Object, new: Object) -> None:
        if recorded in self._waiting:
            self._waiting[recorded] = new
            if is_decided_on(new):
                self._schedule(recorded)
            return
        current = self._current(recorded)
        if current is None:
            return
        record, node = self._records[recorded], node_name_of(new)
        pod = updated(current, old, new)
        if not self._is_ours(record) and node and not node_name_of(current):
            pod = pod or current
            pod = {**pod, "spec": {**pod["spec"], "nodeName": node}}
        if pod is not None:
            self._store.update("Pod", pod)
        elif is_schedulers_change(old, new):
            # By now the recorded scheduler had acted on everything before.
            self._schedule(record.preemptor if is_lost(new) and not is_lost(old) else recorded)

    def _look(self) -> None:
        for event in self._watch.take():
            old, new = event.previous, event.obj
            recorded = self.recorded_at(place_of(new))
            if old is None or recorded not in self._records:
                continue
            if event.type == "DELETED":
                self.claims.delete_of(new)
                if not is_terminating(old):
                    self._terminates(recorded, new)
                due = self._due.pop(place_of(new), None)
                if due is not None:
                    self._create(*due)
                continue
            if not node_name_of(new):
                self.results[recorded].message = condition_message(new, "PodScheduled")
            elif not node_name_of(old):
                self._bound(recorded, new)
            if is_terminating(new) and not is_terminating(old):
                self._terminates(recorded, new)

    def _bound(self, recorded: str, pod: Object) -> None:
        result = self.results[recorded]
        if not result.node:
            result.node, result.bound_s = node_name_of(pod), self._driver.now_s
        self._plan_statuses(recorded, pod)

    def _plan_statuses(self, recorded: str, pod: Object) -> None:
        """Schedule writes of the recorded statuses, as long after the binding as recorded."""
        record, now_s = self._records[recorded], self._driver.now_s
        if not record.node:
            status = partial(self._write_status, pod, record, None, 0.0)
            self._driver.at(now_s, status)
            return
        since_s = record.bound_s or record.created_s or self._start_s
        for at_s, recorded_status in record.statuses:
            status = partial(self._write_status, pod, record, recorded_status, now_s - since_s)
            # Added up in this order, statuses of one moment are written at one moment.
            self._driver.at(at_s if now_s == since_s else now_s + (at_s - since_s), status)

    def _write_status(
        self, pod: Object, record: PodRecord, status: Object | None, shift_s: float
    ) -> None:
        current = self._same(pod)
        if current is None or is_terminating(current):
            return
        if status is None:
            self._store.update("Pod", placed_status(current, self._driver.now_s))
        elif not is_finished(current):
            is_loss = record.was_lost and is_lost({"status": status})
            if not is_loss or node_name_of(current) == record.node:
                self._store.update("Pod", status_at(current, status, shift_s))

    def _same(self, pod: Object) -> Object | None:
        current = self._store.get("Pod", *place_of(pod))
        return current if current is not None and uid(current) == uid(pod) else None

    def _terminates(self, recorded: str, pod: Object) -> None:
        record = self._records[recorded]
        self._plan_end(record, pod)
        if not is_lost(pod) or record.was_lost or not record.owner:
            return
        self._replacements[recorded] += 1
        suffix = f"-r{self._replacements[recorded]}"
        owner, name = controller_of(record.first) or {}, record.first["metadata"]["name"]
        if owner.get("kind") != "StatefulSet":
            name += suffix
        fresh = replacement(record.first, name, f"{recorded}{suffix}", self._driver.now_s)
        self._create(recorded, fresh)

    def _plan_end(self, record: PodRecord, pod: Object) -> None:
        took_s = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
        if record.gone_s is not None and record.leaving_s is not None:
            took_s = record.gone_s - record.leaving_s

        def end() -> None:
            if self._same(pod) is not None:
                self._store.delete("Pod", *place_of(pod))

        self._driver.at(self._driver.now_s + took_s, end)
