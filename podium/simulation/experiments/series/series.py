"""Lines of a run over time: pods by class, utilisation, fragmentation, waiting times."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED
from podium.simulation.experiments.series.node_lines import add_node_lines
from podium.simulation.experiments.series.step_series import CLASS, Line, StepSeries
from podium.simulation.experiments.series.usage_log import UsageLog
from podium.simulation.timeline.pod_history import PodHistory

PENDING, BOUND = "pending", "bound"


class Wait(msgspec.Struct, frozen=True):
    """The time that a pod waited for a node."""

    pod: str
    priority_class: str
    created_s: float
    seconds: float
    placed: bool


class RunSeries(msgspec.Struct):
    """All lines of a run.

    Attributes:
        lines: by what they measure. Utilisation and fragmentation are of a resource, such as
            `utilisation.cpu`.
        until_s: the run's end, in seconds since its start.
    """

    lines: dict[Line, StepSeries] = msgspec.field(default_factory=lambda: defaultdict(StepSeries))
    waits: list[Wait] = msgspec.field(default_factory=list)
    until_s: float = 0.0

    def rows(self) -> Iterable[tuple[float, str, str, str, float]]:
        """The lines as rows of a table: when, what, of what, of which one, how much."""
        for (measure, of, called), series in sorted(self.lines.items()):
            for at_s, value in series.points():
                yield at_s, measure, of, called, value
        for wait in self.waits:
            measure = "waited" if wait.placed else "neverPlaced"
            yield wait.created_s, measure, CLASS, wait.priority_class, wait.seconds


def run_series(usage: UsageLog, histories: Sequence[PodHistory], until_s: float) -> RunSeries:
    """The lines of a run that is over."""
    series = RunSeries(until_s=until_s)
    for change in usage.classes:
        for measure, count in ((PENDING, change.pending), (BOUND, change.bound)):
            series.lines[measure, CLASS, change.priority_class].set(change.at_s, count)
    # Lines that count up: how many of each class were preempted, evicted and lost so far.
    for called in {pod.priority_class for pod in histories}:
        for group in (PREEMPTED, EVICTED, LOST):
            series.lines[group, CLASS, called].set(0.0, 0)
    disrupted = [pod for pod in histories if pod.cause is not None and pod.ended_s is not None]
    for pod in sorted(disrupted, key=lambda one: one.ended_s or 0.0):
        if pod.cause is not None and pod.ended_s is not None:
            line = series.lines[pod.cause.group, CLASS, pod.priority_class]
            line.set(pod.ended_s, line.values[-1] + 1)
    add_node_lines(series.lines, usage)
    series.waits = [wait for pod in histories if (wait := _wait(pod, until_s))]
    return series


def _wait(pod: PodHistory, until_s: float) -> Wait | None:
    if pod.bound_s is None and pod.node:
        return None
    ended_s = next(at_s for at_s in (pod.bound_s, pod.ended_s, until_s) if at_s is not None)
    wait_s = round(max(0.0, ended_s - pod.created_s), 6)
    return Wait(pod.pod, pod.priority_class, pod.created_s, wait_s, pod.bound_s is not None)
