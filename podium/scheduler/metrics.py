"""The metrics of a scheduler, with the names that kube-scheduler v1.36 gives them."""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from podium.scheduler.queue.scheduling_queue import SchedulingQueue

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

Stopwatch = Callable[[], float]


class _Row(NamedTuple):
    """A counter, or a histogram if it has upper bounds of buckets."""

    name: str
    text: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] | None = None


def _doubling(start: float, count: int) -> tuple[float, ...]:
    return tuple(start * 2**i for i in range(count))


class Metric(Enum):
    """The counters and histograms of a scheduler, in the order in which they are exposed."""

    ATTEMPTS = _Row(
        "scheduler_schedule_attempts",
        "Attempts to schedule pods, by result.",
        ("result", "profile"),
    )
    ATTEMPT_DURATION = _Row(
        "scheduler_scheduling_attempt_duration_seconds",
        "Scheduling attempt latency (scheduling algorithm and binding).",
        ("result", "profile"),
        _doubling(0.001, 15),
    )
    ALGORITHM_DURATION = _Row(
        "scheduler_scheduling_algorithm_duration_seconds",
        "Scheduling algorithm latency.",
        (),
        _doubling(0.001, 15),
    )
    EXTENSION_POINT_DURATION = _Row(
        "scheduler_framework_extension_point_duration_seconds",
        "Latency of running all plugins of an extension point.",
        ("extension_point", "status", "profile"),
        _doubling(0.0001, 12),
    )
    POD_ATTEMPTS = _Row(
        "scheduler_pod_scheduling_attempts",
        "Attempts it took to schedule a pod.",
        (),
        _doubling(1, 5),
    )
    POD_SLI_DURATION = _Row(
        "scheduler_pod_scheduling_sli_duration_seconds",
        "From a pod's first attempt to its binding, by number of attempts.",
        ("attempts",),
        _doubling(0.01, 20),
    )
    PREEMPTION_ATTEMPTS = _Row("scheduler_preemption_attempts", "Preemptions that were tried.")
    PREEMPTION_VICTIMS = _Row(
        "scheduler_preemption_victims", "Number of victims of a preemption.", (), _doubling(1, 7)
    )
    PREEMPTION_DURATION = _Row(
        "scheduler_preemption_goroutines_duration_seconds",
        "How long it took to carry preemptions out, by result.",
        ("result",),
        _doubling(0.01, 20),
    )
    PREEMPTION_EXECUTIONS = _Row(
        "scheduler_preemption_goroutines_execution",
        "Preemptions that were carried out, by result.",
        ("result",),
    )
    RESOURCE_CLAIM_CREATES = _Row(
        "scheduler_resourceclaim_creates",
        "ResourceClaims created for extended resources, by status.",
        ("status",),
    )
    BINDING_CONDITIONS = _Row(
        "scheduler_dra_bindingconditions_allocations",
        "Attempts to bind pods with devices that have binding conditions, by driver and status.",
        ("profile", "driver", "status"),
    )
    BINDING_CONDITIONS_WAIT = _Row(
        "scheduler_dra_bindingconditions_wait_duration_seconds",
        "How long PreBind waited for binding conditions.",
        ("profile", "driver", "status"),
        _doubling(0.1, 14),
    )
    LIVELOCKS = _Row(
        "podium_preemption_livelocks",
        "Times that other schedulers had taken the room made for a pod again and again.",
        ("profile",),
    )
    EVENT_HANDLING_DURATION = _Row(
        "scheduler_event_handling_duration_seconds",
        "How long it took to take a change of the cluster in.",
        ("event",),
        _doubling(0.0001, 12),
    )


def stopped() -> float:
    """Return 0: the default stopwatch, for virtual time, in which decisions take no time."""
    return 0.0


class NoMetrics:
    """Metrics that count nothing; `registry` is exposed, if any; `stopwatch` returns seconds."""

    registry: "CollectorRegistry | None" = None

    def __init__(self, stopwatch: Stopwatch = stopped) -> None:
        self.stopwatch = stopwatch

    def watch_queue(self, queue: SchedulingQueue) -> None: ...

    def count(self, metric: Metric, *labels: str) -> None: ...

    def observe(self, metric: Metric, value: float, *labels: str) -> None: ...
