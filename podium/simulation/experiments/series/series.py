"""Lines of a run over time: pods by class, utilisation, fragmentation, waiting times."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED
from podium.api.resources import Amounts, is_extended_resource, resource_amount
from podium.simulation.experiments.series.usage_log import NodeChange, UsageLog
from podium.simulation.timeline.pod_history import PodHistory

CLASS, NODE, ZONE, CLUSTER = "class", "node", "zone", "cluster"
"""What a line may be of."""

NO_CLASS = "none"
"""Stands for the class of pods that name none."""

Line = tuple[str, str, str]
"""What is measured, of what (one of the above), and of which one."""


class StepSeries:
    """Values, each from a moment on."""

    __slots__ = ("times_s", "values")

    def __init__(self) -> None:
        self.times_s: list[float] = []
        self.values: list[float] = []

    def set(self, at_s: float, value: float) -> None:
        """Set the value from a time on; of several at one time the last one counts."""
        if self.times_s and self.times_s[-1] == at_s:
            self.values[-1] = value
        elif not self.values or self.values[-1] != value:
            self.times_s.append(at_s)
            self.values.append(value)

    def points(self) -> Iterator[tuple[float, float]]:
        return zip(self.times_s, self.values, strict=True)

    def integral(self, until_s: float) -> float:
        ends_s = [*self.times_s[1:], until_s]
        pieces = zip(self.times_s, ends_s, self.values, strict=True)
        return sum(value * max(0.0, min(end, until_s) - begin) for begin, end, value in pieces)

    def mean(self, until_s: float) -> float:
        """The average from the first value on, by time; the last value if no time passes."""
        if not self.values:
            return 0.0
        passed_s = until_s - self.times_s[0]
        return self.integral(until_s) / passed_s if passed_s > 0 else self.values[-1]


UTILISATION, FRAGMENTATION = "utilisation", "fragmentation"
_MAIN = ("cpu", "memory")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Lines = Mapping[Line, StepSeries]


def add_node_lines(lines: Lines, usage: UsageLog) -> None:
    """Add what became of nodes."""
    sums = _Sums(usage)
    for index, change in enumerate(usage.nodes):
        sums.take(change)
        _add(lines, sums.measured, (UTILISATION, NODE, change.node), change.at_s, sums.of(change))
        if usage.nodes[index + 1 : index + 2] and usage.nodes[index + 1].at_s == change.at_s:
            continue
        for zone in sums.changed_zones():
            _add(lines, sums.measured, (UTILISATION, ZONE, zone), change.at_s, sums.zones[zone])
        _add(lines, sums.measured, (UTILISATION, CLUSTER, ""), change.at_s, sums.cluster)
        free = (sums.cluster[0] - sums.cluster[1])[: len(sums.measured)]
        _add(
            lines,
            sums.measured,
            (FRAGMENTATION, CLUSTER, ""),
            change.at_s,
            np.stack([free, sums.unusable]),
        )


def _add(
    lines: Lines, resources: Sequence[str], line: Line, at_s: float, parts: Ints | Floats
) -> None:
    measure, of, called = line
    for resource, whole, part in zip(resources, *parts.tolist(), strict=False):
        if whole > 0 or (f"{measure}.{resource}", of, called) in lines:
            share = part / whole if whole > 0 else 0.0
            lines[f"{measure}.{resource}", of, called].set(at_s, round(share, 9))


class _Sums:
    """Sums over the nodes as they are at a moment.

    Attributes:
        measured: the resources of interest; the first columns of all arrays.
        unusable: of what is free, how much a pod of the run can't use on average.
    """

    def __init__(self, usage: UsageLog) -> None:
        shapes = [dict(shape) for shape in usage.shapes]
        asked = {resource for shape in shapes for resource, amount in shape.items() if amount}
        offered = {one for change in usage.nodes for one in change.allocatable}
        self.measured = [*_MAIN, *sorted(filter(is_extended_resource, offered))]
        self._resources = [*self.measured, *sorted(asked - {*self.measured})]
        rows = [self._amounts(shape) for shape in shapes]
        self._shapes = np.array(rows, dtype=np.int64).reshape(len(rows), len(self._resources))
        self._weights = np.array([*usage.shapes.values()], dtype=np.float64)
        self._weights /= max(1.0, float(self._weights.sum()))
        self.zones: dict[str, Ints] = defaultdict(self._nothing)
        self.cluster = self._nothing()
        self.unusable = np.zeros(len(self.measured))
        self._nodes: dict[str, tuple[str, Ints, Floats]] = {}
        self._changed: set[str] = set()

    def take(self, change: NodeChange) -> None:
        """Count a node as it is now, and no longer as it was."""
        zone, before, gone = self._nodes.pop(change.node, ("", self._nothing(), None))
        self._count(zone, -before)
        if gone is not None:
            self.unusable -= gone
        amounts = self.of(change)
        self._count(change.zone, amounts)
        free = amounts[0] - amounts[1]
        fits = ((self._shapes <= free) | (self._shapes == 0)).all(axis=1)
        share = float(self._weights[~fits].sum())
        unusable: Floats = np.maximum(free[: len(self.measured)], 0) * share
        self.unusable += unusable
        self._nodes[change.node] = change.zone, amounts, unusable

    def of(self, change: NodeChange) -> Ints:
        """What is allocatable on a node, and what is requested of it."""
        amounts = (change.allocatable, change.requested if change.allocatable else {})
        return np.array([self._amounts(one) for one in amounts], dtype=np.int64)

    def changed_zones(self) -> list[str]:
        """The zones in which anything has changed since this was asked last; of those named."""
        changed, self._changed = self._changed, set()
        return sorted(changed - {""})

    def _count(self, zone: str, amounts: Ints) -> None:
        self.zones[zone] = self.zones[zone] + amounts
        self.cluster = self.cluster + amounts
        self._changed.add(zone)

    def _amounts(self, amounts: Amounts) -> list[int]:
        return [resource_amount(one, amounts.get(one, 0)) for one in self._resources]

    def _nothing(self) -> Ints:
        return np.zeros((2, len(self._resources)), dtype=np.int64)


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
