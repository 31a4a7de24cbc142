"""Plays a recording again in virtual time, with Podium's scheduler in place of the recorded one.

What users, controllers and nodes did is played as it was recorded: what arrives, what is deleted,
how nodes and all other objects change. What the scheduler did is left out, and decided anew: who is
placed where, and who has to go for whom. Where the recorded scheduler took one of several nodes
that are equal to Podium, Podium takes the same.
"""

from collections.abc import Callable, Mapping

import msgspec

from podium.api.objects import place_of
from podium.cluster.virtual import Cluster, ClusterOptions, SchedulerSetup
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.scheduler import Scheduler
from podium.simulation.recordings.pod_records import PodRecord, pod_records
from podium.simulation.recordings.recording_reader import RecordedChange, Recording
from podium.simulation.recordings.replayed_pods import ReplayedPod, ReplayedPods

Progress = Callable[[float, int], None]
"""Is told how many seconds have passed in the replay, and how many changes have been played."""

_PROGRESS_EVERY = 200
_CONTROLLERS = frozenset({"pod-garbage-collector", "taint-eviction-controller"})
"""They act for pods that are on other nodes than they were."""


class ReplayedPreemption(msgspec.Struct, frozen=True):
    """A preemption that the scheduler of a replay decided.

    Attributes:
        preemptor: uid of the recorded pod that it stands for.
    """

    at_s: float
    preemptor: str
    node: str
    victims: frozenset[str]
    reason: str


class Replay(msgspec.Struct, frozen=True):
    """What came of playing a recording.

    Attributes:
        records: what became of each pod in the recording, by uid.
    """

    recording: Recording
    records: Mapping[str, PodRecord]
    pods: Mapping[str, ReplayedPod]
    preemptions: list[ReplayedPreemption]
    scheduler_names: set[str]


def replay(
    recording: Recording,
    configuration: KubeSchedulerConfiguration | None = None,
    options: SchedulerOptions | None = None,
    progress: Progress | None = None,
) -> Replay:
    """Play a recording from its beginning to its end."""
    player = _Player(recording, SchedulerSetup(configuration=configuration, options=options))
    player.start()
    for number, change in enumerate(recording.changes):
        player.play(change)
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(change.at_s - recording.started_s, number)
    player.end()
    return player.result


class _Player:
    def __init__(self, recording: Recording, setup: SchedulerSetup) -> None:
        options = ClusterOptions(
            start_s=recording.started_s, schedulers=(setup,), controllers=_CONTROLLERS, nodes=None
        )
        self._cluster = cluster = Cluster(options)
        self._recording = recording
        self._records = pod_records(recording)
        self._pods = ReplayedPods(cluster, self._records)
        # Uids of pods that have had to go for somebody already.
        self._victims: set[str] = set()
        self.result = Replay(recording, self._records, self._pods.results, [], self._pods.names)

    def start(self) -> None:
        """Load the state, and let the scheduler begin."""
        self._cluster.load(self._recording.state, defaulted=True)
        self._cluster.start()
        (handle,) = self._cluster.schedulers.values()
        machine = handle.machine
        assert isinstance(machine, SchedulerMachine)
        scheduler = machine.scheduler
        scheduler.watch = lambda decision: self._decided(decision, scheduler)
        self._pods.start(scheduler.pipelines.keys())
        self._preferred = scheduler.preferred
        for one, record in self._records.items():
            if record.node:
                self._preferred.placements[one] = [record.node]
            if record.nominations:
                self._preferred.nominations[one] = [one.node for one in record.nominations]

    def end(self) -> None:
        """Let the time pass that is left."""
        self._cluster.driver.run_until(self._recording.ended_s)

    def play(self, change: RecordedChange) -> None:
        """Do what users, controllers and nodes did; what the scheduler did is its own business."""
        if change.at_s > self._cluster.driver.now_s:
            self._cluster.driver.run_until(change.at_s)
        if change.kind == "Pod":
            self._pods.play(change)
            return
        store = self._cluster.store
        obj = change.new if change.new is not None else change.old
        assert obj is not None
        is_there = store.get(change.kind, *place_of(obj)) is not None
        if change.new is None:
            if is_there:
                store.delete(change.kind, *place_of(obj))
        elif is_there:
            store.update(change.kind, obj, None)
        else:
            store.create(change.kind, obj)

    def _decided(self, decision: Decision, scheduler: Scheduler) -> None:
        preemption = decision.preemption
        if preemption is None or not preemption.node_name:
            return
        fresh = [one for one in preemption.victims if one.uid not in self._victims]
        fresh = [one for one in fresh if not one.cls.terminating]
        if not fresh:
            return
        self._victims.update(one.uid for one in fresh)
        recorded_at, pod = self._pods.roles.recorded_at, decision.pod
        nominations = [*self._preferred.nominations.get(pod.uid, ())]
        if preemption.node_name in nominations:
            # The next one is for the next turn.
            rest = nominations[nominations.index(preemption.node_name) + 1 :]
            self._preferred.nominations[pod.uid] = rest
        found = ReplayedPreemption(
            self._cluster.driver.now_s,
            recorded_at((pod.namespace, pod.name)),
            preemption.node_name,
            frozenset(recorded_at((one.namespace, one.name)) for one in fresh),
            failure_message(decision, scheduler.snapshot),
        )
        self.result.preemptions.append(found)
