"""What came of a scenario as plain values, for machines: `kind: Simulation`."""

from collections import Counter
from typing import Any

from podium.api.meta import is_terminating, key
from podium.simulation.checking import standing
from podium.simulation.observing import Entry
from podium.simulation.scenario import API_VERSION
from podium.simulation.simulating import Simulation
from podium.simulation.summing_up import CAUSES, ClassSummary, sum_up
from podium.simulation.telling import sentence

KIND = "Simulation"


def simulation_report(simulation: Simulation) -> dict[str, Any]:
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
    return sum_up(simulation.entries, simulation.pods_before)


def final_state(simulation: Simulation) -> dict[str, Any]:
    """How many pods there are at the end in which state, and which ones aren't placed."""
    pods = simulation.cluster.store.list("Pod").items
    phases = Counter(
        "Terminating" if is_terminating(pod) else (pod.get("status") or {}).get("phase", "Pending")
        for pod in pods
    )
    pending = [pod for pod in pods if not pod["spec"].get("nodeName")]
    return {
        "pods": dict(sorted(phases.items())),
        "pending": [{"pod": key(pod), "state": standing(pod)} for pod in pending],
        "placements": {key(pod): pod["spec"]["nodeName"] for pod in pods if _is_placed(pod)},
    }


def _class(one: ClassSummary) -> dict[str, Any]:
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
        **{cause: one.disrupted[cause] for cause in CAUSES},
    }


def _is_placed(pod: Any) -> bool:
    return bool(pod["spec"].get("nodeName")) and not is_terminating(pod)


def _entry(entry: Entry) -> dict[str, Any]:
    about = {"kind": entry.kind, "namespace": entry.namespace, "name": entry.name}
    found: dict[str, Any] = {"seconds": entry.at_s, "type": entry.type}
    regarding = {field: value for field, value in about.items() if value}
    if regarding:
        found["object"] = regarding
    if entry.by:
        found["by"] = entry.by
    if entry.details:
        found["details"] = dict(entry.details)
    text = sentence(entry)
    return {**found, "text": text} if text else found
