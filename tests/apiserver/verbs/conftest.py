"""A server with nothing in it but what every cluster has."""

from random import Random

import pytest

from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from tests.apiserver.verbs.helpers import NOW_S


@pytest.fixture
def server() -> ApiServer:
    server = ApiServer(Store(), Random(7))
    server.bootstrap(NOW_S)
    return server
