"""The numbers that a run is measured by, by name: `pendingSeconds`, `preempted.batch`, and so on.

A name is what is measured, then, after a dot, of which class of pods or which resource.
"""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

import numpy as np

from podium.api.errors import PodiumError
from podium.simulation.experiments.series.series import (
    CLUSTER,
    FRAGMENTATION,
    NO_CLASS,
    UTILISATION,
    ZONE,
    RunSeries,
    Wait,
)
from podium.simulation.runner.simulation_report import ClassSummary

MEANINGS: Mapping[str, str] = {
    "pods": "pods, those included that replace others",
    "preempted": "pods that went for a higher priority",
    "evicted": "pods evicted through the API or for a taint",
    "lost": "pods lost with their node or stopped by it",
    "neverPlaced": "pods that never had a node",
    "pendingSeconds": "seconds that pods were without a node, summed over pods",
    "waitMeanSeconds": "mean time without a node, of the pods that came",
    "waitP95Seconds": "95th percentile of the same",
    "waitLongestSeconds": "the longest of these times",
    "utilisation": "share of what nodes have that is requested, on average over time",
    "fragmentation": "share of what is free that a pod drawn at random can't use, likewise",
    "failures": "assertions that don't hold, and steps that went wrong",
}
"""The measures by the beginning of their names."""


class UnknownMeasureError(PodiumError):
    """Somebody asks for a measure that no run has."""


def check_measure(asked: str, name: str, known: Collection[str]) -> None:
    """See that runs have a measure; raises UnknownMeasureError if they don't."""
    if known and name not in known:
        near = get_close_matches(name, known, 5) or [*known]
        raise UnknownMeasureError(f"{asked}: no run has {name}, but {', '.join(near)}")


def measures_of(
    classes: Sequence[ClassSummary], series: RunSeries, failures: int
) -> dict[str, float]:
    """All measures of a run, in a fixed order."""
    found: dict[str, float] = {}
    for name in ("pods", "preempted", "evicted", "lost", "never_placed"):
        called = "neverPlaced" if name == "never_placed" else name
        found[called] = sum(getattr(one, name) for one in classes)
        for one in classes:
            found[f"{called}.{one.priority_class or NO_CLASS}"] = getattr(one, name)
    found |= _waiting("", series.waits)
    for one in classes:
        waits = [wait for wait in series.waits if wait.priority_class == one.priority_class]
        found |= _waiting(f".{one.priority_class or NO_CLASS}", waits)
    for (measure, of, called), line in sorted(series.lines.items()):
        if measure.startswith((UTILISATION, FRAGMENTATION)) and of in (CLUSTER, ZONE):
            name = f"{measure}.{called}" if called else measure
            found[name] = round(line.mean(series.until_s), 9)
    found["failures"] = failures
    return found


def _waiting(suffix: str, waits: Sequence[Wait]) -> dict[str, float]:
    seconds = np.array([wait.seconds for wait in waits] or [0.0])
    values = {
        "pendingSeconds": seconds.sum(),
        "waitMeanSeconds": seconds.mean(),
        "waitP95Seconds": np.percentile(seconds, 95),
        "waitLongestSeconds": seconds.max(),
    }
    return {f"{name}{suffix}": round(float(value), 6) for name, value in values.items()}
