"""Histograms that cost next to nothing to count in, for what happens several times per pod.

`prometheus_client`'s own take locks, as they may be used by several threads at once. A scheduler is
only ever stepped and read in one.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

Labels = tuple[str, ...]


class _Tally:
    """What was observed under one set of labels.

    Attributes:
        counts: how many values there were in each bucket; in the last one, those above all bounds.
        total: the sum of the values.
    """

    __slots__ = ("counts", "total")

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * (buckets + 1)
        self.total = 0.0


class Histogram(Collector):
    """One metric, of a histogram for each set of labels.

    Args:
        name: of the metric.
        text: what it tells.
        labels: names of the labels.
        bounds: the upper bounds of the buckets, ascending; one without a bound comes last.
        registry: where it is exposed.
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
        self._tallies: dict[Labels, _Tally] = {} if labels else {(): _Tally(len(bounds))}
        registry.register(self)

    def observe(self, value: float, *labels: str) -> None:
        """Count a value under the values of the labels."""
        tally = self._tallies.get(labels)
        if tally is None:
            tally = self._tallies[labels] = _Tally(len(self._bounds))
        tally.counts[bisect_left(self._bounds, value)] += 1
        tally.total += value

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """The metric as it is exposed: the count of a bucket includes those of smaller ones."""
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        bounds = [*map(floatToGoString, self._bounds), "+Inf"]
        for labels, tally in self._tallies.items():
            buckets = list(zip(bounds, accumulate(tally.counts), strict=True))
            family.add_metric(labels, buckets, tally.total)
        yield family
