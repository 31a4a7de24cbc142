"""What came of a scenario as plain values, for machines: `kind: Simulation`."""

from collections import Counter
from typing import Any, NotRequired

from typing_extensions import TypedDict

from podium.api.disruption import EVICTED, LOST, PREEMPTED
from podium.api.objects import is_terminating, key, status_of
from podium.api.pods import node_name_of
from podium.simulation.check_evaluator import state_of_pod
from podium.simulation.class_summary import ClassSummary, summarize_classes
from podium.simulation.scenario import API_VERSION
from podium.simulation.scenario_runner import Simulation
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline_sentences import sentence

KIND = "Simulation"


class ClassReport(TypedDict):
    """How the pods of one priority class fared; waits are of those that waited, in seconds."""

    priorityClass: str
    priority: int
    pods: int
    placedBefore: int
    placedAtOnce: int
    waited: int
    medianWaitSeconds: float | None
    longestWaitSeconds: float | None
    neverPlaced: int
    preempted: int
    evicted: int
    lost: int


class ObjectReference(TypedDict, total=False):
    """An object by kind, namespace and name, as far as it has them."""

    kind: str
    namespace: str
    name: str


class EventReport(TypedDict):
    """Something that happened, so many seconds after the start."""

    seconds: float
    type: str
    object: NotRequired[ObjectReference]
    by: NotRequired[str]
    details: NotRequired[dict[str, Any]]
    text: NotRequired[str]


class PendingReport(TypedDict):
    """A pod that has no node at the end."""

    pod: str
    state: str


class EndReport(TypedDict):
    """The cluster at the end: numbers of pods by state, pods without and with a node."""

    pods: dict[str, int]
    pending: list[PendingReport]
    placements: dict[str, str]


class SimulationReport(TypedDict):
    """What came of a scenario."""

    apiVersion: str
    kind: str
    scenario: str
    seed: int
    seconds: float
    interrupted: bool
    failures: int
    notes: list[str]
    classes: list[ClassReport]
    events: list[EventReport]
    end: EndReport


def simulation_report(simulation: Simulation) -> SimulationReport:
    """Everything that happened, and how the cluster is at the end."""
    scenario = simulation.scenario
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "scenario": scenario.name,
        "seed": scenario.options.seed,
        "seconds": round(simulation.ended_s, 6),
        "interrupted": simulation.interrupted,
        "failures": simulation.failures,
        "notes": list(simulation.notes),
        "classes": [_class(one) for one in class_summaries(simulation)],
        "events": [_entry(entry) for entry in simulation.entries],
        "end": final_state(simulation),
    }


def class_summaries(simulation: Simulation) -> list[ClassSummary]:
    """How the pods of each priority class fared, the highest priority first."""
    return summarize_classes(simulation.entries, simulation.pods_before)


def final_state(simulation: Simulation) -> EndReport:
    """How many pods there are at the end in which state, and which ones aren't placed."""
    pods = simulation.cluster.store.list("Pod").items
    phases = Counter(
        "Terminating" if is_terminating(pod) else status_of(pod).get("phase", "Pending")
        for pod in pods
    )
    pending = [pod for pod in pods if not node_name_of(pod)]
    return {
        "pods": dict(sorted(phases.items())),
        "pending": [{"pod": key(pod), "state": state_of_pod(pod)} for pod in pending],
        "placements": {key(pod): pod["spec"]["nodeName"] for pod in pods if _is_placed(pod)},
    }


def _class(one: ClassSummary) -> ClassReport:
    return {
        "priorityClass": one.priority_class,
        "priority": one.priority,
        "pods": one.pods,
        "placedBefore": one.placed_before,
        "placedAtOnce": one.placed_at_once,
        "waited": one.waited,
        "medianWaitSeconds": one.median_wait_s(),
        "longestWaitSeconds": one.longest_wait_s(),
        "neverPlaced": one.never_placed,
        "preempted": one.disrupted[PREEMPTED],
        "evicted": one.disrupted[EVICTED],
        "lost": one.disrupted[LOST],
    }


def _is_placed(pod: Any) -> bool:
    return bool(node_name_of(pod)) and not is_terminating(pod)


def _entry(entry: TimelineEntry) -> EventReport:
    found: EventReport = {"seconds": entry.at_s, "type": entry.type}
    if entry.kind or entry.namespace or entry.name:
        found["object"] = _reference(entry)
    if entry.by:
        found["by"] = entry.by
    if entry.details:
        found["details"] = dict(entry.details)
    if text := sentence(entry):
        found["text"] = text
    return found


def _reference(entry: TimelineEntry) -> ObjectReference:
    about: ObjectReference = {}
    if entry.kind:
        about["kind"] = entry.kind
    if entry.namespace:
        about["namespace"] = entry.namespace
    if entry.name:
        about["name"] = entry.name
    return about
