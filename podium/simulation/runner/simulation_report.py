"""The report of a simulation: `kind: Simulation`, with a summary of each priority class."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Annotated, Any, Self

from podium.api.documents.report import API_VERSION, IF_ANY, IF_KNOWN, Report
from podium.api.objects import is_terminating, key, uid
from podium.api.pods import node_name_of, shown_phase
from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.runner.check_evaluator import state_of_pod
from podium.simulation.runner.scenario_runner import Simulation
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistory
from podium.simulation.timeline.timeline_sentences import sentence

AT_ONCE_S = 1.0
"""A pod that is placed within this time hasn't waited for resources, but for calls."""


class ClassSummary(Report):
    """A summary of the pods of one priority class."""

    priority_class: str
    """Name of the PriorityClass; empty for pods without one."""
    priority: int
    """The highest priority of the pods."""
    pods: int
    """Number of pods, replacements included."""
    placed_before: int
    """Number of pods with a node at the start."""
    placed_at_once: int
    """Number of pods that were bound without waiting."""
    waited: int
    """Number of pods that were bound after waiting."""
    median_wait_seconds: float
    """Median wait of the pods that waited; 0 if none did."""
    longest_wait_seconds: float
    """Longest wait of a pod that was bound; 0 if none waited."""
    never_placed: int
    """Number of pods without a node until their end, or that of the simulation."""
    preempted: int
    """Number of pods that were preempted."""
    evicted: int
    """Number of pods that were evicted through the API, or for a taint."""
    lost: int
    """Number of pods that were lost with their node, or stopped by its kubelet."""

    @classmethod
    def of(cls, priority_class: str, pods: Sequence[PodHistory]) -> Self:
        waits_s = [round(p.bound_s - p.created_s, 6) for p in pods if p.bound_s is not None]
        long_s = [wait_s for wait_s in waits_s if wait_s > AT_ONCE_S]
        placed_before = sum(pod.bound_s is None and bool(pod.node) for pod in pods)
        disrupted = Counter(pod.cause.group for pod in pods if pod.cause is not None)
        return cls(
            priority_class=priority_class,
            priority=max(pod.priority for pod in pods),
            pods=len(pods),
            placed_before=placed_before,
            placed_at_once=len(waits_s) - len(long_s),
            waited=len(long_s),
            median_wait_seconds=round(median(long_s), 6) if long_s else 0.0,
            longest_wait_seconds=max(long_s, default=0.0),
            never_placed=len(pods) - placed_before - len(waits_s),
            preempted=disrupted[PREEMPTED],
            evicted=disrupted[EVICTED],
            lost=disrupted[LOST],
        )


def summarize_classes(pods: Iterable[PodHistory]) -> list[ClassSummary]:
    """Summarize the pods of each priority class, the highest priority first."""
    by_class: dict[str, list[PodHistory]] = {}
    for pod in pods:
        by_class.setdefault(pod.priority_class, []).append(pod)
    summaries = [ClassSummary.of(called, alike) for called, alike in by_class.items()]
    return sorted(summaries, key=lambda one: (-one.priority, one.priority_class))


KIND = "Simulation"


class ObjectReference(Report):
    """An object by kind, namespace and name."""

    kind: Annotated[str, IF_ANY]
    namespace: Annotated[str, IF_ANY]
    name: Annotated[str, IF_ANY]


class EventReport(Report):
    """An entry of the timeline, with its seconds since the start and its sentence."""

    seconds: float
    type: str
    object: Annotated[ObjectReference | None, IF_KNOWN]
    by: Annotated[str, IF_ANY]
    details: Annotated[Mapping[str, Any], IF_ANY]
    text: Annotated[str, IF_ANY]


class PendingReport(Report):
    """A pod that has no node at the end.

    If it would fit a node, but no event has woken it, `fits_on` is the node, and `tried_at` is
    when it would be tried without an event, in seconds since the start.
    """

    pod: str
    state: str
    fits_on: Annotated[str, IF_ANY] = ""
    tried_at: Annotated[float | None, IF_KNOWN] = None


class EndReport(Report):
    """The cluster at the end: numbers of pods by phase, pending pods, and nodes of bound pods.

    Instead of `Pending`, the phase of a pod with a node is `Starting`.
    """

    pods: Mapping[str, int]
    pending: Sequence[PendingReport]
    placements: Mapping[str, str]


class SimulationReport(Report, kw_only=True):
    """The outcome of a scenario."""

    api_version: str = API_VERSION
    kind: str = KIND
    scenario: str
    seed: int
    seconds: float
    interrupted: bool
    failures: int
    notes: Sequence[str]
    classes: Sequence[ClassSummary]
    events: Sequence[EventReport]
    end: EndReport


def simulation_report(simulation: Simulation) -> SimulationReport:
    """Report a simulation: its timeline, and the cluster at the end."""
    scenario = simulation.scenario
    return SimulationReport(
        scenario=scenario.name,
        seed=scenario.options.seed,
        seconds=round(simulation.ended_s, 6),
        interrupted=simulation.interrupted,
        failures=simulation.failures,
        notes=simulation.notes,
        classes=summarize_classes(simulation.histories()),
        events=[_event(entry) for entry in simulation.entries],
        end=final_state(simulation),
    )


def final_state(simulation: Simulation) -> EndReport:
    """Report the pods at the end of a simulation."""
    pods = simulation.cluster.store.list("Pod").items
    phases = Counter("Terminating" if is_terminating(pod) else shown_phase(pod) for pod in pods)
    placed = [pod for pod in pods if node_name_of(pod)]
    # Where pods would fit that no event has woken, and when they would be tried; by uid.
    start_s = simulation.scenario.options.start_s
    machines = (handle.machine for handle in simulation.cluster.schedulers.values())
    sleeping = {
        missed.pod.uid: (missed.node_name, round(missed.retry_at_s - start_s, 3))
        for machine in machines
        if isinstance(machine, SchedulerMachine)
        for missed in machine.missed_wakeups()
    }
    pending = [
        PendingReport(key(pod), state_of_pod(pod), *sleeping.get(uid(pod), ()))
        for pod in pods
        if not node_name_of(pod)
    ]
    return EndReport(
        pods=dict(sorted(phases.items())),
        pending=pending,
        placements={key(pod): node_name_of(pod) for pod in placed if not is_terminating(pod)},
    )


def _event(entry: TimelineEntry) -> EventReport:
    about = entry.kind, entry.namespace, entry.name
    reference = ObjectReference(*about) if any(about) else None
    text = sentence(entry)
    return EventReport(entry.at_s, entry.type, reference, entry.by, entry.details, text)
