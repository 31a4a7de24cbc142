"""Serves a dashboard on this machine alone, to browsers that have the link."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from podium.apiserver.authentication.users import READER
from podium.apiserver.http.http_server import Serving
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.users import Tokens, new_token
from podium.ui.dashboard.dashboard_app import PREFIX, DashboardApp
from podium.ui.dashboard.feeds.event_stream import Feed
from podium.ui.dashboard.questions import Questions


@asynccontextmanager
async def served_locally(feed: Feed, questions: Questions, port: int = 0) -> AsyncIterator[str]:
    """Serve a dashboard at the loopback interface until the end of `async with`.

    Yields the link, with a token that lets its owner look. Raises CannotListenError if the port is
    in use; port 0 is any that is free.
    """
    token = new_token()
    app = DashboardApp(feed, questions, Tokens({token: READER}))
    serving = await Serving.start(app, Limits(), port=port, certificates=None)
    try:
        yield link(serving.url, token)
    finally:
        await serving.stop()


def link(url: str, token: str) -> str:
    """The page's address; what follows the # stays in the browser."""
    return f"{url}{PREFIX}/#token={token}"
