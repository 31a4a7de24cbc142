"""The process of `podium scheduler`: it lists, leads, schedules, and shuts down in order."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from random import Random

import msgspec

from podium.apiserver.http.http_server import Serving
from podium.apiserver.http.limits import Limits
from podium.cluster.client.connection import Connection
from podium.cluster.client.http_api import SILENCE_S, HttpApi
from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.cluster.real.call_queue import RateLimiter
from podium.cluster.real.health_server import LEADER_ELECTION, InformerHealth, health_app
from podium.cluster.real.leader_election import LeaderElector
from podium.cluster.real.logs import fields
from podium.cluster.real.process_metrics import ProcessMetrics
from podium.cluster.real.retrying_api import RetryingApi
from podium.cluster.real.settings import configuration_document
from podium.cluster.real.shadow import ShadowMachine
from podium.machines.effects import Bind, Create, Delete, Patch
from podium.machines.machine import Machine
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.machine.event_handlers import KINDS
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.prometheus_metrics import SchedulerMetrics

# How long calls under way may take to end; a pod has 30 s by default.
DRAIN_S = 10.0
RESYNC_S = 12 * 3600.0
_CALLS_MAX = 15_000
# `RetryingApi` keeps the queue, by urgency.
_REQUESTS_MAX = 1_000
# A status patch that waits longer is often needless by the time of its turn: its pod is bound.
_PATCHES_MAX = 16
_LOOK_S = 0.02

_logger = logging.getLogger(__name__)


class ProcessOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a scheduler process."""

    configuration: KubeSchedulerConfiguration
    options: SchedulerOptions
    identity: str
    hostname: str
    watch_timeout_s: float = SILENCE_S
    """Seconds without events after which a watch fails."""
    address: str = "127.0.0.1"
    port: int = 0
    drain_s: float = DRAIN_S
    dry_run: bool = False


@dataclass(eq=False)
class SchedulerProcess:
    """Runs the scheduler of a real cluster over HTTP.

    `beside` makes an asynchronous context manager, active while the process schedules.
    """

    connection: Connection
    options: ProcessOptions
    clock: SteadyClock
    stopwatch: Callable[[], float]
    rng: Random
    beside: "Beside" = lambda _process, _driver: nullcontext()

    def __post_init__(self) -> None:
        self.machine = self._fresh()
        election = self.options.configuration.election
        lease = election.resource_name if election.leader_elect else ""
        self._metrics = ProcessMetrics(self.connection.url, lease)
        self._informers = InformerHealth(KINDS)
        self._driver: LiveDriver | None = None

    def now_s(self) -> float:
        return self.clock.now_s()

    async def run(self, stop: asyncio.Event) -> None:
        """Schedule until `stop` is set, then finish open calls and release the lease."""
        options, now_s = self.options, self.clock.now_s

        def checks() -> Mapping[str, str]:
            machines = {} if self._driver is None else self._driver.health.failures(now_s())
            named = {f"machine/{name}": why for name, why in machines.items()}
            elected = {LEADER_ELECTION: elector.ailment} if election.leader_elect else {}
            return {**elected, "informer-sync": self._informers.ailment, **named}

        async with HttpApi(self.connection, self.rng) as lease_api:
            election = options.configuration.election
            elector = LeaderElector(lease_api, election, options.identity, now_s, self.rng)
            app = health_app(
                checks,
                lambda: self._metrics.expose(self.machine),
                configuration_document(options.configuration),
                options.options.model_dump(mode="json", by_alias=True),
            )
            serving = await Serving.start(
                app, Limits(), host=options.address, port=options.port, certificates=None
            )
            _logger.info("serves metrics and probes", extra=fields(url=serving.url))
            try:
                await self._schedule(elector, stop)
            finally:
                await serving.stop()

    async def _schedule(self, elector: LeaderElector, stop: asyncio.Event) -> None:
        options, may_act = self.options, asyncio.Event()
        connection, election = options.configuration.connection, options.configuration.election

        async def lead() -> None:
            if election.leader_elect:
                await elector.acquire()
            self._metrics.set_leading(True)
            may_act.set()
            if election.leader_elect:
                await elector.renew()
            await asyncio.Event().wait()

        def renew() -> Machine:
            self.machine = self._fresh()
            return driven()

        def driven() -> Machine:
            return ShadowMachine(self.machine) if options.dry_run else self.machine

        async with HttpApi(
            self.connection,
            self.rng,
            requests_max=_REQUESTS_MAX,
            silence_s=options.watch_timeout_s,
        ) as once:
            calls, events = (
                RateLimiter(connection.qps, connection.burst, self.clock.now_s) for _ in range(2)
            )
            api = RetryingApi(once, calls, events, self.rng)
            api.waited = self._metrics.waited
            api.is_needless = lambda effect: self.machine.preemptions.is_needless(effect)
            driver = self._driver = LiveDriver(
                api,
                self.clock,
                calls_max=_CALLS_MAX,
                drain_s=0.0,
                may_act=may_act,
                rng=self.rng,
                resync_s=RESYNC_S,
            )
            driver.hooks += [self._metrics.follow, self._informers.follow, _log]
            leading = asyncio.create_task(lead())
            try:
                async with self.beside(self, driver), driver:
                    driver.add(driven(), host=options.hostname, renew=renew)
                    stopping = asyncio.create_task(stop.wait())
                    await asyncio.wait({leading, stopping}, return_when=asyncio.FIRST_COMPLETED)
                    stopping.cancel()
                    if not leading.done():
                        _logger.info("stops: ends what is under way")
                        # No pod is decided any more; earlier decisions are carried out.
                        self.machine.hold()
                        with suppress(TimeoutError):
                            async with asyncio.timeout(options.drain_s):
                                while not (self.machine.is_at_rest and driver.is_idle):
                                    await asyncio.sleep(_LOOK_S)
            finally:
                self._metrics.set_leading(False)
                leading.cancel()
                with suppress(asyncio.CancelledError):
                    await leading
        left = fields(
            bindings=sum(1 for _ in self.machine.bindings),
            preemptions=len(self.machine.preemptions),
            pending=len(self.machine.context.pending),
            events_lost=api.events_lost,
        )
        _logger.info("has stopped; this is left", extra=left)
        await elector.release()

    def _fresh(self) -> SchedulerMachine:
        metrics = SchedulerMetrics(self.stopwatch)
        machine = SchedulerMachine(
            self.options.configuration, self.options.options, rng=self.rng, metrics=metrics
        )
        machine.context.dispatcher.patches_max = _PATCHES_MAX
        return machine


Beside = Callable[[SchedulerProcess, LiveDriver], AbstractAsyncContextManager[object]]
"""Makes a context that is active while a process schedules."""


def _log(event: DriverEvent) -> None:
    if not isinstance(event, Called):
        return
    effect, error = event.effect, event.error
    what = type(effect).__name__
    if isinstance(effect, Create | Patch) and effect.kind == "Event":
        # The recorder retries them, and an Event about a failed Event would fail as well.
        return
    if error is not None:
        why = fields(call=what, code=error.code, error=error.message)
        _logger.warning("a call has failed", extra=why)
    elif isinstance(effect, Bind):
        pod = f"{effect.namespace}/{effect.name}"
        _logger.debug("bound a pod", extra=fields(pod=pod, node=effect.node_name))
    elif isinstance(effect, Delete):
        pod = f"{effect.namespace}/{effect.name}"
        _logger.info("removed a victim", extra=fields(pod=pod, uid=effect.uid))
