"""The pytest fixture `podium_cluster`.

pytest always imports this module if Podium is installed, so the module imports nothing slow.
"""

from collections.abc import Iterator
from typing import Any

import pytest

_MARKER = (
    "podium_cluster(**options): what the fixture's cluster consists of, as podium.Cluster has it"
)


def pytest_configure(config: Any) -> None:
    """Register the marker `podium_cluster`."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def podium_cluster(request: Any) -> Iterator[Any]:
    """Provide a `podium.Cluster`, with the arguments of the marker `podium_cluster`."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.testing.threaded_cluster import Cluster

    marker = request.node.get_closest_marker("podium_cluster")
    with Cluster(**(marker.kwargs if marker else {})) as cluster:
        yield cluster
