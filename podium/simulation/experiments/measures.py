"""The measures of a run by name, such as `pendingSeconds` or `preempted.batch`.

The part after a dot is a PriorityClass or a resource.
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
)
from podium.simulation.runner.simulation_report import ClassSummary

MEANINGS: Mapping[str, str] = {
    "pods": "pods, replacements included",
    "preempted": "pods that were preempted by pods of a higher priority",
    "evicted": "pods evicted through the API or for a taint",
    "lost": "pods lost with their node or stopped by it",
    "neverPlaced": "pods that never had a node",
    "pendingSeconds": "seconds that pods were without a node, summed over pods",
    "waitMeanSeconds": "mean time that new pods were without a node",
    "waitP95Seconds": "95th percentile of the time that new pods were without a node",
    "waitLongestSeconds": "longest time that a new pod was without a node",
    "utilisation": "requested share of the nodes' allocatable resources, averaged over time",
    "fragmentation": (
        "share of the free resources that a pod drawn at random can't use, averaged over time"
    ),
    "failures": "assertions that don't hold, and steps that went wrong",
}
"""The meaning of each measure, by the part of its name before the dot."""


def check_measure(asked: str, name: str, known: Collection[str]) -> None:
    """Check that runs have a measure; raises PodiumError, with a message after `asked`."""
    if known and name not in known:
        near = get_close_matches(name, known, 5) or [*known]
        raise PodiumError(f"{asked}: no run has {name}, but {', '.join(near)}")


def measures_of(
    classes: Sequence[ClassSummary], series: RunSeries, failures: int
) -> dict[str, float]:
    """Compute all measures of a run, in a fixed order."""
    measures: dict[str, float] = {}
    for name in ("pods", "preempted", "evicted", "lost", "neverPlaced"):
        field = "never_placed" if name == "neverPlaced" else name
        measures[name] = sum(getattr(summary, field) for summary in classes)
        for summary in classes:
            measures[f"{name}.{summary.priority_class or NO_CLASS}"] = getattr(summary, field)
    class_names = [summary.priority_class for summary in classes]
    for class_name in (None, *class_names):
        suffix = "" if class_name is None else f".{class_name or NO_CLASS}"
        waits = [w.seconds for w in series.waits if class_name in (None, w.priority_class)]
        seconds = np.array(waits or [0.0])
        values = {
            "pendingSeconds": seconds.sum(),
            "waitMeanSeconds": seconds.mean(),
            "waitP95Seconds": np.percentile(seconds, 95),
            "waitLongestSeconds": seconds.max(),
        }
        measures |= {f"{name}{suffix}": round(float(value), 6) for name, value in values.items()}
    for (measure, of, name), line in sorted(series.lines.items()):
        if measure.startswith((UTILISATION, FRAGMENTATION)) and of in (CLUSTER, ZONE):
            named = f"{measure}.{name}" if name else measure
            measures[named] = round(line.mean(series.until_s), 9)
    measures["failures"] = failures
    return measures
