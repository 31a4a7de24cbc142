"""The dashboard of a scheduler of a real cluster."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from podium.cluster.drivers.live import LiveDriver
from podium.cluster.real.scheduler_process import SchedulerProcess
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.config.types import SchedulerConfiguration
from podium.ui.dashboard.feeds.informer_source import InformerSource
from podium.ui.dashboard.feeds.live_feed import LiveFeed
from podium.ui.dashboard.local_server import served_locally
from podium.ui.dashboard.past_preemptions import past_preemption
from podium.ui.dashboard.questions import Questions
from podium.ui.dashboard.views import Abilities

if TYPE_CHECKING:
    from podium.ui.dashboard.what_if import WhatIf


def scheduler_dashboard(
    port: int,
    configuration: SchedulerConfiguration,
    options: SchedulerOptions,
    tell: Callable[[str], None],
) -> Callable[[SchedulerProcess, LiveDriver], AbstractAsyncContextManager[None]]:
    """Serves the dashboard beside a scheduler, on this machine alone.

    Args:
        port: where to listen; 0 for any that is free.
    """
    loaded = LoadedConfiguration(configuration, options, ())

    @asynccontextmanager
    async def beside(process: SchedulerProcess, driver: LiveDriver) -> AsyncIterator[None]:
        source = InformerSource(driver, lambda: process.machine, process.now_s)
        feed = LiveFeed(source, Abilities("podium scheduler", can_plan=True))
        questions = Questions(
            source.find,
            feed,
            partial(_what_if, source, loaded),
            preempted=lambda *pod: past_preemption([process.machine], *pod),
        )
        async with served_locally(feed, questions, port) as link:
            tell(link)
            yield

    return beside


def _what_if(source: InformerSource, configuration: LoadedConfiguration) -> "WhatIf":
    from podium.ui.dashboard.what_if import WhatIf
    from podium.whatif.plan.loaded_state import LoadedState
    from podium.whatif.plan.request import PlanRequest

    def request() -> PlanRequest:
        state = LoadedState(source.state())
        return PlanRequest(state=state, configuration=configuration, is_whole=True)

    return WhatIf(request)
