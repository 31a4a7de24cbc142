"""Servers that the tests of a module share."""

from collections.abc import Iterator

import httpx
import pytest

from tests.apiserver.http.running import Running, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with TLS and the usual limits."""
    with running(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Running) -> Iterator[httpx.Client]:
    """The admin's client."""
    with server.client() as client:
        yield client
