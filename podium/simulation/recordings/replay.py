"""Plays a recording again in virtual time, with Podium's scheduler in place of the recorded one.

What users, controllers and nodes did is played as it was recorded: what arrives, what is deleted,
how nodes and all other objects change. What the scheduler did is left out, and decided anew: who is
placed where, and who has to go for whom. Where the recorded scheduler took one of several nodes
that are equal to Podium, Podium takes the same.
"""

from collections.abc import Callable, Mapping

import msgspec

from podium.api.objects import place_of
from podium.apiserver.store.store import Store
from podium.cluster.virtual import Cluster, ClusterOptions, SchedulerSetup
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.recordings.pod_records import PodRecord, PreemptionRecord, pod_records
from podium.simulation.recordings.replayed_pods import ReplayedPod, ReplayedPods
from podium.simulation.recordings.segments import RecordedChange, Recording

Progress = Callable[[float, int], None]
"""Is told how many seconds have passed in the replay, and how many changes have been played."""

_PROGRESS_EVERY = 200
_CONTROLLERS = frozenset({"pod-garbage-collector", "taint-eviction-controller"})
"""They act for pods that are on other nodes than they were."""


class Replay(msgspec.Struct, frozen=True):
    """What came of playing a recording."""

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
    """Play a recording from its beginning to its end."""
    setup = SchedulerSetup(configuration=configuration, options=options)
    cluster = Cluster(
        ClusterOptions(
            start_s=recording.started_s, schedulers=(setup,), controllers=_CONTROLLERS, nodes=None
        )
    )
    records = pod_records(recording)
    pods = ReplayedPods(cluster, records)
    cluster.load(recording.state, defaulted=True)
    cluster.start()
    (handle,) = cluster.schedulers.values()
    assert isinstance(handle.machine, SchedulerMachine)
    scheduler = handle.machine.scheduler
    pods.start(scheduler.pipelines.keys())
    preferred = scheduler.preferred
    for one, record in records.items():
        if record.node:
            preferred.placements[one] = [record.node]
        if record.nominations:
            preferred.nominations[one] = [nomination.node for nomination in record.nominations]
    preemptions: list[PreemptionRecord] = []
    # Uids of pods that have had to go for another one already.
    victims: set[str] = set()

    def decided(decision: Decision) -> None:
        preemption, pod = decision.preemption, decision.pod
        if preemption is None or not preemption.node_name:
            return
        fresh = [one for one in preemption.victims if one.uid not in victims]
        fresh = [one for one in fresh if not one.cls.terminating]
        if not fresh:
            return
        victims.update(one.uid for one in fresh)
        nominations = [*preferred.nominations.get(pod.uid, ())]
        if preemption.node_name in nominations:
            # The next one is for the next turn.
            rest = nominations[nominations.index(preemption.node_name) + 1 :]
            preferred.nominations[pod.uid] = rest
        recorded_at = pods.roles.recorded_at
        found = PreemptionRecord(
            cluster.driver.now_s,
            recorded_at((pod.namespace, pod.name)),
            preemption.node_name,
            frozenset(recorded_at((one.namespace, one.name)) for one in fresh),
            failure_message(decision, scheduler.snapshot),
        )
        preemptions.append(found)

    scheduler.watch = decided
    for number, change in enumerate(recording.changes):
        if change.at_s > cluster.driver.now_s:
            cluster.driver.run_until(change.at_s)
        # What users, controllers and nodes did; what the scheduler did is its own business.
        if change.kind == "Pod":
            pods.play(change)
        else:
            _write(cluster.store, change)
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(change.at_s - recording.started_s, number)
    cluster.driver.run_until(recording.ended_s)
    return Replay(recording, records, pods.results, preemptions, pods.names)


def _write(store: Store, change: RecordedChange) -> None:
    obj = change.new if change.new is not None else change.old
    assert obj is not None
    is_there = store.get(change.kind, *place_of(obj)) is not None
    if change.new is None:
        if is_there:
            store.delete(change.kind, *place_of(obj))
    elif is_there:
        store.update(change.kind, obj)
    else:
        store.create(change.kind, obj)
