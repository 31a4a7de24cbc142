"""What tests of requests share."""

import pytest

from tests.apiserver.requests.client import Client


@pytest.fixture
def client() -> Client:
    return Client()
