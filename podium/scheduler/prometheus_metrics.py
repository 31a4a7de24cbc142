"""Metrics of the scheduler for prometheus_client, named as in kube-scheduler v1.36."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client import Counter as CounterMetric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from podium.scheduler.metrics import Metric, NoMetrics, Stopwatch, stopped
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue

Labels = tuple[str, ...]
_Family = type[GaugeMetricFamily] | type[CounterMetricFamily]

_PENDING = (QueueName.ACTIVE, QueueName.BACKOFF, QueueName.UNSCHEDULABLE, QueueName.GATED)


class _Observations:
    __slots__ = ("counts", "total")

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * (buckets + 1)
        self.total = 0.0


class Histogram(Collector):
    """A histogram for each set of labels, without the locks of prometheus_client.

    A scheduler is only ever stepped and read in one thread. `bounds` are the upper bounds of the
    buckets, ascending; a bucket without an upper bound follows.
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
        observed = self._by_labels.get(labels)
        if observed is None:
            observed = self._by_labels[labels] = _Observations(len(self._bounds))
        observed.counts[bisect_left(self._bounds, value)] += 1
        observed.total += value

    def collect(self) -> Iterator[HistogramMetricFamily]:
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
        self._counters: dict[Metric, CounterMetric] = {}
        self._histograms: dict[Metric, Histogram] = {}
        for metric in Metric:
            name, text, labels, bounds = metric.value
            if bounds is None:
                self._counters[metric] = CounterMetric(name, text, labels, registry=self.registry)
            else:
                self._histograms[metric] = Histogram(name, text, labels, bounds, self.registry)

    def watch_queue(self, queue: SchedulingQueue) -> None:
        self.registry.register(QueueMetrics(queue))

    def count(self, metric: Metric, *labels: str) -> None:
        counter = self._counters[metric]
        (counter.labels(*labels) if labels else counter).inc()

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        self._histograms[metric].observe(value, *labels)


class QueueMetrics(Collector):
    """The metrics of a queue."""

    def __init__(self, queue: SchedulingQueue) -> None:
        self._queue = queue

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        queue, counts = self._queue, self._queue.counts()
        rejected = Counter(
            (plugin, queued.scheduler_name)
            for queued in queue
            for plugin in queued.unschedulable_plugins | queued.pending_plugins
        )
        in_flight = sorted(queue.events_in_flight().items())
        metrics: tuple[tuple[_Family, str, str, Labels, list[tuple[Labels, int]]], ...] = (
            (
                GaugeMetricFamily,
                "scheduler_pending_pods",
                "Pending pods, by queue.",
                ("queue",),
                [((place,), counts[place]) for place in _PENDING],
            ),
            (
                CounterMetricFamily,
                "scheduler_queue_incoming_pods",
                "Pods added to a queue, by event.",
                ("queue", "event"),
                sorted(queue.incoming.items()),
            ),
            (
                GaugeMetricFamily,
                "scheduler_unschedulable_pods",
                "Pods that plugins have rejected, by plugin; a pod counts for each of them.",
                ("plugin", "profile"),
                sorted(rejected.items()),
            ),
            (
                GaugeMetricFamily,
                "scheduler_inflight_events",
                "Events kept for pods that are being tried, and these pods, by event.",
                ("event",),
                [
                    (("PodPopped",), counts[QueueName.IN_FLIGHT]),
                    *(((event,), count) for event, count in in_flight),
                ],
            ),
        )
        for kind, name, text, labels, values in metrics:
            family = kind(name, text, labels=labels)
            for values_of_labels, count in values:
                family.add_metric(values_of_labels, count)
            yield family
