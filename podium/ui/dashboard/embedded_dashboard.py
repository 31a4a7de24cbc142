"""The dashboard of an embedded cluster, on the server of its API."""

from functools import partial
from typing import TYPE_CHECKING

from podium.api.process.private_files import write_private
from podium.cluster.embedded.cluster import EmbeddedCluster
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.scheduler.config.load import default_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.ui.dashboard.applier import Applier
from podium.ui.dashboard.dashboard_app import PREFIX, DashboardApp
from podium.ui.dashboard.feeds.live_feed import LiveFeed
from podium.ui.dashboard.feeds.store_source import StoreSource
from podium.ui.dashboard.local_server import link
from podium.ui.dashboard.questions import Questions
from podium.ui.dashboard.views import Abilities

if TYPE_CHECKING:
    from podium.ui.dashboard.what_if import WhatIf


def mount_dashboard(embedded: EmbeddedCluster) -> str:
    """Serve the dashboard of a cluster that runs, and return the link to it.

    Who has the link may see all of the cluster, and change nothing. Its directory keeps the link
    as long as it runs.

    Raises:
        FileError: the link can't be written.
    """
    cluster, backend, served = embedded.cluster, embedded.backend, embedded.served
    source = StoreSource(cluster, backend.hooks)
    feed = LiveFeed(source, Abilities("podium up", can_plan=True, can_apply=True))
    applier = Applier(backend.answer, cluster.server.kinds.of, source.find)
    questions = Questions(source, feed, partial(_what_if, embedded), applier)
    served.app.mount(PREFIX, DashboardApp(feed, questions, served.users))
    found = link(served.url, served.reader_token)
    write_private(embedded.directory.dashboard, f"{found}\n".encode())
    return found


def _what_if(embedded: EmbeddedCluster) -> "WhatIf":
    # Who starts a cluster needn't wait until what plays it is imported.
    from podium.ui.dashboard.what_if import WhatIf
    from podium.whatif.plan.request import LoadedState, PlanRequest

    options, configuration = embedded.options, None
    for setup in options.schedulers:
        if setup.configuration or setup.options:
            configuration = LoadedConfiguration(
                setup.configuration or default_configuration(),
                setup.options or SchedulerOptions(),
                (),
            )

    def request() -> PlanRequest:
        state = LoadedState([*InProcessClient(embedded.cluster).everything()])
        return PlanRequest(
            state=state, configuration=configuration, eviction=options.eviction, is_whole=True
        )

    return WhatIf(request)
