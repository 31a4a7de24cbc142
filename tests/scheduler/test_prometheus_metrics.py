"""Histograms count as prometheus_client's own do."""

from random import Random

import prometheus_client
from prometheus_client import CollectorRegistry, generate_latest

from podium.scheduler.prometheus_metrics import Histogram

BOUNDS = (0.5, 1.0, 2.5)


def exposed(registry: CollectorRegistry) -> list[str]:
    """What is exposed, without when each histogram was created."""
    lines = generate_latest(registry).decode().splitlines()
    return [line for line in lines if "_created" not in line]


def test_histograms_expose_what_the_librarys_own_would() -> None:
    registry, other = CollectorRegistry(), CollectorRegistry()
    ours = Histogram("took_seconds", "How long.", ("who", "how"), BOUNDS, registry)
    theirs = prometheus_client.Histogram(
        "took_seconds", "How long.", ("who", "how"), buckets=BOUNDS, registry=other
    )
    rng = Random(1)
    for _ in range(200):
        value, labels = rng.choice((0.1, 0.5, 0.75, 1.0, 2.5, 3.0)), (rng.choice("ab"), "fast")
        ours.observe(value, *labels)
        theirs.labels(*labels).observe(value)
    assert sorted(exposed(registry)) == sorted(exposed(other))


def test_a_histogram_without_labels_is_there_before_anything_is_counted() -> None:
    registry, other = CollectorRegistry(), CollectorRegistry()
    Histogram("tries", "How often.", (), BOUNDS, registry)
    prometheus_client.Histogram("tries", "How often.", buckets=BOUNDS, registry=other)
    assert exposed(registry) == exposed(other)
