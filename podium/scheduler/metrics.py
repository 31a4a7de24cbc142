"""The scheduler's metrics, by the names of kube-scheduler v1.36.

A registry belongs to one scheduler. Durations come from a stopwatch that whoever drives the
scheduler hands in: in virtual time it stands still within a step. What lasts over several steps is
measured by the driver's clock.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client import Counter as CounterMetric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from podium.api.pods import node_name_of
from podium.machines.events import Change
from podium.scheduler.machine.context import NoMetrics, Stopwatch, stopped
from podium.scheduler.queue import QueueName, SchedulingQueue

Labels = tuple[str, ...]


def _doubling(start: float, count: int) -> tuple[float, ...]:
    return tuple(start * 2**i for i in range(count))


_ATTEMPT = _doubling(0.001, 15)
_EXTENSION_POINT = _doubling(0.0001, 12)
_GOROUTINE = _doubling(0.01, 20)
_SLI = _doubling(0.01, 20)
_ATTEMPTS = _doubling(1, 5)
_VICTIMS = _doubling(1, 7)
_PENDING = (QueueName.ACTIVE, QueueName.BACKOFF, QueueName.UNSCHEDULABLE, QueueName.GATED)


class _Observations:
    """What was observed under one set of labels.

    Attributes:
        counts: how many values there were in each bucket; in the last one, those above all bounds.
    """

    __slots__ = ("counts", "total")

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * (buckets + 1)
        self.total = 0.0


class Histogram(Collector):
    """One metric, of a histogram for each set of labels, that costs next to nothing to count in.

    `prometheus_client`'s own take locks, as several threads may use them at once. A scheduler is
    only ever stepped and read in one.

    Args:
        bounds: the upper bounds of the buckets, ascending; one without a bound comes last.
    """

    def __init__(
        self,
        name: str,
        text: str,
        labels: Labels,
        bounds: Sequence[float],
        registry: CollectorRegistry,
    ) -> None:
        self._name = name
        self._text = text
        self._labels = labels
        self._bounds = bounds
        # Without labels there is just one histogram, which is exposed from the start.
        self._by_labels: dict[Labels, _Observations] = (
            {} if labels else {(): _Observations(len(bounds))}
        )
        registry.register(self)

    def observe(self, value: float, *labels: str) -> None:
        """Count a value under the values of the labels."""
        observed = self._by_labels.get(labels)
        if observed is None:
            observed = self._by_labels[labels] = _Observations(len(self._bounds))
        observed.counts[bisect_left(self._bounds, value)] += 1
        observed.total += value

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """The metric as it is exposed: the count of a bucket includes those of smaller ones."""
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        bounds = [*map(floatToGoString, self._bounds), "+Inf"]
        for labels, observed in self._by_labels.items():
            buckets = list(zip(bounds, accumulate(observed.counts), strict=True))
            family.add_metric(labels, buckets, observed.total)
        yield family


class SchedulerMetrics(NoMetrics):
    """Counters, gauges and histograms of one scheduler."""

    registry: CollectorRegistry

    def __init__(self, stopwatch: Stopwatch = stopped) -> None:
        super().__init__(stopwatch)
        self.registry = CollectorRegistry()
        self._attempts = self._counter(
            "schedule_attempts", "Attempts to schedule pods, by result.", ("result", "profile")
        )
        self._attempt_duration = self._histogram(
            "scheduling_attempt_duration_seconds",
            "Scheduling attempt latency (scheduling algorithm and binding).",
            ("result", "profile"),
            _ATTEMPT,
        )
        self._algorithm_duration = self._histogram(
            "scheduling_algorithm_duration_seconds", "Scheduling algorithm latency.", (), _ATTEMPT
        )
        self._point_duration = self._histogram(
            "framework_extension_point_duration_seconds",
            "Latency of running all plugins of an extension point.",
            ("extension_point", "status", "profile"),
            _EXTENSION_POINT,
        )
        self._pod_attempts = self._histogram(
            "pod_scheduling_attempts", "Attempts it took to schedule a pod.", (), _ATTEMPTS
        )
        self._sli = self._histogram(
            "pod_scheduling_sli_duration_seconds",
            "From a pod's first attempt to its binding, by number of attempts.",
            ("attempts",),
            _SLI,
        )
        self._preemption_attempts = self._counter(
            "preemption_attempts", "Preemptions that were tried.", ()
        )
        self._victims = self._histogram(
            "preemption_victims", "Number of victims of a preemption.", (), _VICTIMS
        )
        self._goroutine_duration = self._histogram(
            "preemption_goroutines_duration_seconds",
            "How long it took to carry preemptions out, by result.",
            ("result",),
            _GOROUTINE,
        )
        self._goroutine_total = self._counter(
            "preemption_goroutines_execution",
            "Preemptions that were carried out, by result.",
            ("result",),
        )
        self._livelocks = CounterMetric(
            "podium_preemption_livelocks",
            "Times that other schedulers had taken the room made for a pod again and again.",
            ("profile",),
            registry=self.registry,
        )
        self._event_handling = self._histogram(
            "event_handling_duration_seconds",
            "How long it took to take a change of the cluster in.",
            ("event",),
            _EXTENSION_POINT,
        )

    def watch_queue(self, queue: SchedulingQueue) -> None:
        self.registry.register(QueueMetrics(queue))

    def attempted(self, result: str, profile: str, duration_s: float) -> None:
        self._attempts.labels(result, profile).inc()
        self._attempt_duration.observe(duration_s, result, profile)

    def decided(self, duration_s: float) -> None:
        self._algorithm_duration.observe(duration_s)

    def ran(self, point: str, status: str, profile: str, duration_s: float) -> None:
        self._point_duration.observe(duration_s, point, status, profile)

    def took_in(self, change: Change, duration_s: float) -> None:
        self._event_handling.observe(duration_s, _named(change))

    def bound(self, attempts: int, since_first_attempt_s: float) -> None:
        self._pod_attempts.observe(attempts)
        label = "15+" if attempts >= 15 else str(attempts)
        self._sli.observe(since_first_attempt_s, label)

    def preemption_tried(self) -> None:
        self._preemption_attempts.inc()

    def preemption_started(self, victims: int) -> None:
        self._victims.observe(victims)

    def preemption_ended(self, duration_s: float, *, failed: bool) -> None:
        result = "error" if failed else "success"
        self._goroutine_duration.observe(duration_s, result)
        self._goroutine_total.labels(result).inc()

    def livelocked(self, profile: str) -> None:
        self._livelocks.labels(profile).inc()

    def _counter(self, name: str, text: str, labels: tuple[str, ...]) -> CounterMetric:
        return CounterMetric(f"scheduler_{name}", text, labels, registry=self.registry)

    def _histogram(
        self, name: str, text: str, labels: tuple[str, ...], buckets: tuple[float, ...]
    ) -> Histogram:
        return Histogram(f"scheduler_{name}", text, labels, buckets, self.registry)


class QueueMetrics(Collector):
    """The metrics of a queue."""

    def __init__(self, queue: SchedulingQueue) -> None:
        self._queue = queue

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """All of them."""
        pending = GaugeMetricFamily(
            "scheduler_pending_pods", "Pending pods, by queue.", labels=("queue",)
        )
        counts = self._queue.counts()
        for place in _PENDING:
            pending.add_metric((place,), counts[place])
        yield pending
        incoming = CounterMetricFamily(
            "scheduler_queue_incoming_pods",
            "Pods added to a queue, by event.",
            labels=("queue", "event"),
        )
        for (queue, event), count in sorted(self._queue.incoming.items()):
            incoming.add_metric((queue, event), count)
        yield incoming
        yield self._unschedulable()
        in_flight = GaugeMetricFamily(
            "scheduler_inflight_events",
            "Events kept for pods that are being tried, and these pods, by event.",
            labels=("event",),
        )
        in_flight.add_metric(("PodPopped",), counts[QueueName.IN_FLIGHT])
        for event, count in sorted(self._queue.events_in_flight().items()):
            in_flight.add_metric((event,), count)
        yield in_flight

    def _unschedulable(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily(
            "scheduler_unschedulable_pods",
            "Pods that plugins have rejected, by plugin; a pod counts for each of them.",
            labels=("plugin", "profile"),
        )
        counts: Counter[tuple[str, str]] = Counter()
        for queued in self._queue:
            for plugin in queued.unschedulable_plugins | queued.pending_plugins:
                counts[plugin, queued.scheduler_name] += 1
        for labels, count in sorted(counts.items()):
            family.add_metric(labels, count)
        return family


def _named(change: Change) -> str:
    """A change as `scheduler_event_handling_duration_seconds` has it."""
    action = "Add" if change.old is None else "Delete" if change.new is None else "Update"
    kind = change.kind
    if kind == "Pod":
        kind = "AssignedPod" if node_name_of(change.obj) else "UnschedulablePod"
    return kind + action
