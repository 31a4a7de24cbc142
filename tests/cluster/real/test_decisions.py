"""Random clusters on the real API server: what kube-scheduler does, Podium would do as well."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.real.beside_scheduler import BesideScheduler
from tests.cluster.real.control_plane import ControlPlane
from tests.cluster.real.drawn_clusters import drawn_cluster
from tests.cluster.real.world import World


@pytest.fixture(scope="module")
def running(control_plane: ControlPlane) -> Iterator[BesideScheduler]:
    if not (control_plane.binaries / "kube-scheduler").exists():
        pytest.skip("no kube-scheduler beside the API server")
    World(control_plane).clear()
    beside = BesideScheduler(control_plane)
    try:
        beside.start()
        yield beside
    finally:
        beside.stop()


@pytest.fixture
def beside(running: BesideScheduler) -> Iterator[BesideScheduler]:
    """It, with nothing in the cluster."""
    yield running
    running.clear()


@pytest.mark.seeds(2, 200)
def test_they_agree_about_clusters(beside: BesideScheduler, seed: int, tmp_path: Path) -> None:
    told = beside.differences(drawn_cluster(seed), tmp_path)
    assert not told, "\n".join([f"seed {seed}", *told])
