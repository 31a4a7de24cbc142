"""The dashboard of an embedded cluster, served by the HTTP server of its API."""

from typing import TYPE_CHECKING

from podium.api.process.private_files import write_private
from podium.cluster.embedded.cluster import EmbeddedCluster
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.scheduler.config.load import default_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.ui.dashboard.applier import Applier
from podium.ui.dashboard.dashboard_app import PREFIX, DashboardApp, link
from podium.ui.dashboard.feeds.feed import LiveFeed
from podium.ui.dashboard.feeds.store_source import StoreSource
from podium.ui.dashboard.pages import Pages
from podium.ui.dashboard.views import Abilities

if TYPE_CHECKING:
    from podium.ui.dashboard.what_if import WhatIf


def mount_dashboard(embedded: EmbeddedCluster) -> str:
    """Serve the dashboard of a running cluster, and return the link to it.

    The link has a token for read access to the whole cluster. While the cluster runs, the link is
    in the data directory.

    Raises:
        FileError: the link or the disruptions can't be written.
    """
    cluster, backend, served = embedded.cluster, embedded.backend, embedded.served
    options, configuration = embedded.options, None
    for setup in options.schedulers:
        if setup.configuration or setup.options:
            configuration = LoadedConfiguration(
                setup.configuration or default_configuration(),
                setup.options or SchedulerOptions(),
                (),
            )

    def what_if() -> "WhatIf":
        # Imported when it is called, so that the start of a cluster doesn't wait for it.
        from podium.ui.dashboard.what_if import WhatIf
        from podium.whatif.plan.request import LoadedState, PlanRequest

        def request() -> PlanRequest:
            state = LoadedState([*InProcessClient(embedded.cluster).everything()])
            return PlanRequest(
                state=state, configuration=configuration, eviction=options.eviction, is_whole=True
            )

        return WhatIf(request)

    path, revision = embedded.directory.path / "disruptions.db", embedded.first_revision
    source = StoreSource(cluster, backend.hooks, path, revision)
    feed = LiveFeed(source, Abilities("podium up", can_plan=True, can_apply=True))
    applier = Applier(backend.answer, cluster.server.kinds.of, source.find)
    pages = Pages(source, feed, what_if, applier)
    served.app.mount(PREFIX, DashboardApp(feed, pages, served.users))
    address = link(served.url, served.reader_token)
    write_private(embedded.directory.dashboard, f"{address}\n".encode())
    return address
