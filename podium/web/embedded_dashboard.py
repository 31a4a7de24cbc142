"""The dashboard of an embedded cluster, on the server of its API."""

from podium.embedded.cluster import EmbeddedCluster
from podium.web.app import PREFIX, DashboardApp
from podium.web.live_answers import LiveAnswers
from podium.web.live_feed import Abilities, LiveFeed
from podium.web.store_source import StoreSource


def mount_dashboard(embedded: EmbeddedCluster) -> str:
    """Serve the dashboard of a cluster that runs, and return the link to it.

    Who has the link may see all of the cluster, and change nothing.
    """
    source = StoreSource(embedded.cluster, embedded.backend.hooks)
    feed = LiveFeed(source, Abilities("podium up", can_plan=True, can_apply=True))
    served = embedded.served
    app = DashboardApp(feed, LiveAnswers(source, feed), served.users)
    served.app.mount(PREFIX, app)
    return link(served.url, served.reader_token)


def link(url: str, token: str) -> str:
    """The page's address; what follows the # stays in the browser."""
    return f"{url}{PREFIX}/#token={token}"
