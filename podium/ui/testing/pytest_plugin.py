"""For pytest: the fixture `podium_cluster`, a cluster for one test.

pytest imports this everywhere the package is installed, so that it imports nothing by itself.
"""

from collections.abc import Iterator
from typing import Any

import pytest

_MARKER = (
    "podium_cluster(**options): what the fixture's cluster consists of, as podium.Cluster has it"
)


def pytest_configure(config: Any) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def podium_cluster(request: Any) -> Iterator[Any]:
    """A `podium.Cluster` for one test, set up by the marker of the same name."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.testing.threaded_cluster import Cluster

    marker = request.node.get_closest_marker("podium_cluster")
    with Cluster(**(marker.kwargs if marker else {})) as cluster:
        yield cluster
