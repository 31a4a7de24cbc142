"""A cluster for clients that are written in Python."""

from collections.abc import Iterator

import pytest

from podium import Cluster
from tests import objects
from tests.objects import Obj


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster whose time passes ten times as fast."""
    with Cluster(nodes=2, speed="10x") as running:
        yield running


def pod(name: str) -> Obj:
    """A pod that asks for little and ends quickly."""
    return objects.pod(name, "10m", terminationGracePeriodSeconds=1)
