"""The dashboard of a scheduler of a real cluster."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from podium.cluster.drivers.live import LiveDriver
from podium.cluster.real.scheduler_process import SchedulerProcess
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.ui.dashboard.dashboard_app import served_locally
from podium.ui.dashboard.feeds.feed import LiveFeed
from podium.ui.dashboard.feeds.informer_source import InformerSource
from podium.ui.dashboard.pages import Pages
from podium.ui.dashboard.views import Abilities

if TYPE_CHECKING:
    from podium.ui.dashboard.what_if import WhatIf


def scheduler_dashboard(
    port: int,
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
        source = InformerSource(driver, lambda: process.machine, process.now_s)

        def what_if() -> "WhatIf":
            # Imported when it is called, so that the scheduler doesn't wait for it.
            from podium.ui.dashboard.what_if import WhatIf
            from podium.whatif.plan.request import LoadedState, PlanRequest

            return WhatIf(
                lambda: PlanRequest(
                    state=LoadedState(source.state()), configuration=loaded, is_whole=True
                )
            )

        feed = LiveFeed(source, Abilities("podium scheduler", can_plan=True))
        async with served_locally(feed, Pages(source, feed, what_if), port) as link:
            tell(link)
            yield

    return beside
