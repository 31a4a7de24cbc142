"""The embedded cluster behind the HTTP server: requests, health and metrics."""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from podium.apiserver.rbac.authorizer import Authorizer
from podium.apiserver.requests import Request, Response, handle
from podium.cluster.drivers.machine_health import MachineHealth
from podium.cluster.embedded.claim_metrics import ClaimMetrics
from podium.cluster.embedded.cluster_clock import ClusterClock
from podium.cluster.embedded.sqlite_journal import SqliteJournal
from podium.cluster.virtual import Cluster
from podium.scheduler.machine.scheduler_machine import SchedulerMachine


class ClusterBackend:
    """Handles requests at the time of a cluster, and calls `hooks` after each request."""

    def __init__(
        self, cluster: Cluster, clock: ClusterClock, journal: SqliteJournal | None = None
    ) -> None:
        self.hooks: list[Callable[[], None]] = []
        self._journal = journal
        self._cluster = cluster
        self._clock = clock
        self._others = CollectorRegistry()
        self._others.register(ClaimMetrics(cluster))
        if cluster.driver.health is not None:
            self._others.register(PanicCollector(cluster.driver.health))

    @property
    def authorizer(self) -> Authorizer:
        return self._cluster.server.authorizer

    def answer(self, request: Request) -> Response:
        """Handle a request, and wake the cluster's state machines for its consequences."""
        self._clock.catch_up()
        now_s, health = self._cluster.driver.now_s, self._cluster.driver.health
        failures = {} if health is None else health.failures(now_s)
        checks = {f"machine/{name}": why for name, why in failures.items()}
        if self._journal is not None:
            checks["journal"] = "the disk is full" if self._journal.is_full() else ""
        response = handle(self._cluster.server, request, now_s, checks)
        self.acted()
        return response

    def acted(self) -> None:
        """Call the hooks and wake the cluster, after a request or another possible write."""
        for hook in self.hooks:
            hook()
        self._clock.request_made()

    def now_s(self) -> float:
        self._clock.catch_up()
        return self._cluster.driver.now_s

    def metrics(self) -> str:
        """Return metrics of schedulers, claims and machine failures in Prometheus' text format."""
        machines = (scheduler.machine for scheduler in self._cluster.schedulers.values())
        schedulers = [one.metrics for one in machines if isinstance(one, SchedulerMachine)]
        registries = (self._others, *(metrics.registry for metrics in schedulers))
        return "".join(generate_latest(one).decode() for one in registries if one is not None)


class PanicCollector(Collector):
    """Collects the metric `podium_machine_panics_total`: exceptions by state machine."""

    def __init__(self, health: MachineHealth) -> None:
        self._health = health

    def collect(self) -> Iterator[CounterMetricFamily]:
        text = "Exceptions that machines, or the server at their calls, didn't expect: bugs."
        family = CounterMetricFamily("podium_machine_panics", text, labels=["machine"])
        for name in self._health.machines:
            family.add_metric([name], self._health.panics[name])
        yield family
