"""What the queue holds, and what has come into it, as metrics; counted when somebody asks."""

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from podium.core.queue import Place, SchedulingQueue

_PENDING = (Place.ACTIVE, Place.BACKOFF, Place.UNSCHEDULABLE, Place.GATED)


class QueueMetrics(Collector):
    """The metrics of a queue.

    Args:
        queue: that is looked at.
    """

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
        in_flight.add_metric(("PodPopped",), counts[Place.IN_FLIGHT])
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
