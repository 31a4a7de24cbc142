"""Metrics of a scheduler process, except those of its decisions, under client-go's names."""

from http import HTTPStatus
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, GCCollector, ProcessCollector
from prometheus_client.exposition import generate_latest

from podium.cluster.drivers.driver_events import Called, DriverEvent, ListFailed, Relisted
from podium.machines.effects import Delete, Effect, Patch, Replace
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.prometheus_metrics import Histogram

_DURATIONS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)


class ProcessMetrics:
    """Metrics of a process's requests, watches and leadership; a hook of the live driver."""

    def __init__(self, url: str, lease: str) -> None:
        self.registry = registry = CollectorRegistry()
        self._host = urlsplit(url).netloc
        self._requests = Counter(
            "rest_client_requests",
            "Requests to the API server, by code, method and host.",
            ("code", "method", "host"),
            registry=registry,
        )
        self._durations, self._waits = (
            Histogram(name, text, ("verb", "host"), _DURATIONS, registry)
            for name, text in (
                (
                    "rest_client_request_duration_seconds",
                    "How long the API server took to answer, retries included.",
                ),
                (
                    "rest_client_rate_limiter_duration_seconds",
                    "How long the client's own limit held requests up.",
                ),
            )
        )
        self._relists, self._list_failures = (
            Counter(name, text, ("kind",), registry=registry)
            for name, text in (
                ("podium_relists", "Watches that couldn't be resumed."),
                ("podium_list_failures", "Lists and watches that failed."),
            )
        )
        text = "Whether this process leads."
        self._leads = Gauge("leader_election_master_status", text, ("name",), registry=registry)
        self._lease = lease
        self.set_leading(False)
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)

    def set_leading(self, leads: bool) -> None:
        if self._lease:
            self._leads.labels(self._lease).set(leads)

    def waited(self, effect: Effect, seconds: float) -> None:
        self._waits.observe(seconds, _verb(effect), self._host)

    def follow(self, event: DriverEvent) -> None:
        match event:
            case Called(effect=effect, error=error, took_s=took_s):
                verb = _verb(effect)
                done = HTTPStatus.CREATED if verb == "POST" else HTTPStatus.OK
                code = done if error is None else error.code
                self._requests.labels(str(int(code)), verb, self._host).inc()
                self._durations.observe(took_s, verb, self._host)
            case Relisted(kind=kind):
                self._relists.labels(kind).inc()
            case ListFailed(kind=kind):
                self._list_failures.labels(kind).inc()

    def expose(self, machine: SchedulerMachine) -> bytes:
        """Return the metrics of the process and its scheduler in Prometheus' text format."""
        cache = CollectorRegistry()
        context = machine.context
        size = Gauge(
            "scheduler_cache_size",
            "Nodes, pods and assumed pods in the cache.",
            ("type",),
            registry=cache,
        )
        size.labels("assumed_pods").set(sum(task.is_assumed for task in machine.bindings))
        size.labels("nodes").set(len(context.scheduler.snapshot.row_of))
        size.labels("pods").set(len(context.placed))
        registries = (machine.metrics.registry, cache, self.registry)
        return b"".join(generate_latest(one) for one in registries if one is not None)


_VERBS = {Patch: "PATCH", Delete: "DELETE", Replace: "PUT"}


def _verb(effect: Effect) -> str:
    return _VERBS.get(type(effect), "POST")
