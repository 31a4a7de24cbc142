"""A cluster with a real node, shared by the tests of a module."""

from collections.abc import Iterator

import pytest

from podium import Cluster
from tests.kubelet.real.host.machines import Machine, joined


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    root = tmp_path_factory.mktemp("node")
    with Cluster(nodes=0, speed="1x") as cluster, joined(cluster, "worker-1", root) as found:
        yield found
