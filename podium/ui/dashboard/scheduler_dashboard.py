"""The dashboard of a scheduler of a real cluster."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from podium.cluster.drivers.live import LiveDriver
from podium.cluster.real.scheduler_process import SchedulerProcess
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.ui.dashboard.feeds.informer_source import InformerSource
from podium.ui.dashboard.feeds.live_feed import LiveFeed
from podium.ui.dashboard.local_server import served_locally
from podium.ui.dashboard.questions import Questions
from podium.ui.dashboard.views import Abilities

if TYPE_CHECKING:
    from podium.ui.dashboard.what_if import WhatIf


def scheduler_dashboard(
    port: int,
    configuration: KubeSchedulerConfiguration,
    options: SchedulerOptions,
    tell: Callable[[str], None],
) -> Callable[[SchedulerProcess, LiveDriver], AbstractAsyncContextManager[None]]:
    """Serves the dashboard beside a scheduler, on this machine alone; at any free port for 0."""
    loaded = LoadedConfiguration(configuration, options, ())

    @asynccontextmanager
    async def beside(process: SchedulerProcess, driver: LiveDriver) -> AsyncIterator[None]:
        source = InformerSource(driver, lambda: process.machine, process.now_s)

        def what_if() -> "WhatIf":
            # A scheduler doesn't wait until what plays its cluster is imported.
            from podium.ui.dashboard.what_if import WhatIf
            from podium.whatif.plan.request import LoadedState, PlanRequest

            return WhatIf(
                lambda: PlanRequest(
                    state=LoadedState(source.state()), configuration=loaded, is_whole=True
                )
            )

        feed = LiveFeed(source, Abilities("podium scheduler", can_plan=True))
        questions = Questions(source, feed, what_if)
        async with served_locally(feed, questions, port) as link:
            tell(link)
            yield

    return beside
