"""What stands behind the HTTP server: requests find a cluster whose clock is right."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, generate_latest

from podium.apiserver.requests import Request, Response, handle
from podium.cluster import Cluster
from podium.controllers.scheduler.machine import SchedulerMachine
from podium.embedded.pacer import Pacer

Hook = Callable[[], None]


class ClusterBackend:
    """Answers requests; follows `podium.server.backend.Backend`.

    Attributes:
        hooks: called after each request.

    Args:
        cluster: who answers.
        pacer: makes its time pass.
    """

    def __init__(self, cluster: Cluster, pacer: Pacer) -> None:
        self.hooks: list[Hook] = []
        self._cluster = cluster
        self._pacer = pacer

    def answer(self, request: Request) -> Response:
        """Answer a request, and see to it that what follows from it happens."""
        self._pacer.catch_up()
        response = handle(self._cluster.server, request, self._cluster.driver.now_s)
        self.acted()
        return response

    def acted(self) -> None:
        """Somebody has made a request, or done by other means what a request would have done."""
        for hook in self.hooks:
            hook()
        self._pacer.asked()

    def now_s(self) -> float:
        """What time it is in the cluster, in seconds since the epoch."""
        self._pacer.catch_up()
        return self._cluster.driver.now_s

    def metrics(self) -> str:
        """What the schedulers have counted, in Prometheus' text format."""
        return "".join(generate_latest(registry).decode() for registry in self._registries())

    def _registries(self) -> list[CollectorRegistry]:
        machines = [handle.machine for handle in self._cluster.schedulers.values()]
        return [one.metrics.registry for one in machines if isinstance(one, SchedulerMachine)]
