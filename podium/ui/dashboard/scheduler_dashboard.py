"""The dashboard of a scheduler of a real cluster."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random
from typing import TYPE_CHECKING

from podium.cluster.client.connection import Connection
from podium.cluster.client.http_api import HttpApi
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.cluster.real.scheduler_process import SchedulerProcess
from podium.machines.effects import Effect
from podium.machines.events import Change, Event
from podium.machines.machine import Machine
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.preemption.record import PREEMPTIONS
from podium.ui.dashboard.dashboard_app import served_locally
from podium.ui.dashboard.feeds.cluster_metrics import ClusterMetrics
from podium.ui.dashboard.feeds.disruption_log import DisruptionLog
from podium.ui.dashboard.feeds.feed import LiveFeed
from podium.ui.dashboard.feeds.informer_source import InformerSource
from podium.ui.dashboard.pages import Pages
from podium.ui.dashboard.views import Abilities

if TYPE_CHECKING:
    from podium.ui.dashboard.what_if import WhatIf

# metrics-server serves the cluster's autoscalers as well.
_READINGS_MAX = 10


def scheduler_dashboard(
    port: int,
    connection: Connection,
    configuration: KubeSchedulerConfiguration,
    options: SchedulerOptions,
    tell: Callable[[str], None],
) -> Callable[[SchedulerProcess, LiveDriver], AbstractAsyncContextManager[None]]:
    """Return the `beside` of a SchedulerProcess, which serves its dashboard on this host.

    Args:
        port: 0 for any free port.
        tell: called with the link to the dashboard.
    """
    loaded = LoadedConfiguration(configuration, options, ())

    @asynccontextmanager
    async def beside(process: SchedulerProcess, driver: LiveDriver) -> AsyncIterator[None]:
        def what_if() -> "WhatIf":
            # Imported when it is called, so that the scheduler doesn't wait for it.
            from podium.ui.dashboard.what_if import WhatIf
            from podium.whatif.plan.request import LoadedState, PlanRequest

            return WhatIf(
                lambda: PlanRequest(
                    state=LoadedState(source.state()), configuration=loaded, is_whole=True
                )
            )

        async with HttpApi(connection, Random(), requests_max=_READINGS_MAX) as api:
            metrics = ClusterMetrics(api)
            source = InformerSource(driver, lambda: process.machine, process.now_s, metrics)
            feed = LiveFeed(source, Abilities("podium scheduler", can_plan=True))
            pages = Pages(source, feed, what_if)
            async with (
                _noted(source.disruptions, connection),
                served_locally(feed, pages, port) as link,
            ):
                tell(link)
                yield

    return beside


@asynccontextmanager
async def _noted(log: DisruptionLog, connection: Connection) -> AsyncIterator[None]:
    # A driver of its own: a scheduler that may not read Events schedules all the same.
    rng = Random()
    async with (
        HttpApi(connection, rng, fields=PREEMPTIONS) as api,
        LiveDriver(api, SteadyClock(), drain_s=0.0, rng=rng) as driver,
    ):
        driver.add(EventReader(log), renew=lambda: EventReader(log))
        yield


class EventReader(Machine):
    """A state machine that shows a log the Events of preemptions, and returns no effects."""

    name = "podium-dashboard"
    kinds = frozenset({"Event"})

    def __init__(self, log: DisruptionLog) -> None:
        self._log = log

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Handle an event."""
        if isinstance(event, Change) and event.new is not None:
            self._log.event_written(event.new)
        return ()
