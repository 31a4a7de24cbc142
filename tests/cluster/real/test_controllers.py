"""Random operations on workloads: what the real controllers make of them, Podium's make as well."""

from collections.abc import Iterator

import pytest

from tests.cluster.real.beside_controllers import BesideControllers
from tests.cluster.real.control_plane import ControlPlane
from tests.cluster.real.drawn_operations import WORKLOADS, drawn_operation, drawn_start
from tests.cluster.real.embedded_server import EmbeddedServer
from tests.cluster.real.world import World
from tests.properties.volume_clusters import Dice

CONTROLLERS = (
    "deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller,"
    "job-controller,disruption-controller,garbage-collector-controller"
)
MANAGER = "kube-controller-manager"
STEPS = 12


@pytest.fixture(scope="module")
def running(
    control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BesideControllers]:
    if not (control_plane.binaries / MANAGER).exists():
        pytest.skip(f"no {MANAGER} beside the API server")
    World(control_plane).clear()
    options = (f"--controllers={CONTROLLERS}", "--leader-elect=false", "--secure-port=0")
    podium = EmbeddedServer(tmp_path_factory.mktemp("controllers"), CONTROLLERS)
    try:
        podium.start()
        control_plane.launch(MANAGER, *options)
        yield BesideControllers(control_plane, podium)
    finally:
        control_plane.stop(MANAGER)
        podium.close()


@pytest.fixture
def beside(running: BesideControllers) -> Iterator[BesideControllers]:
    """They, with nothing in the clusters."""
    yield running
    running.clear()


@pytest.mark.seeds(0, 12)
@pytest.mark.parametrize("kind", WORKLOADS)
def test_they_agree_about_workloads(beside: BesideControllers, kind: str, seed: int) -> None:
    dice = Dice(seed)
    is_bound = dice.chance(50)
    for operation in drawn_start(dice, kind):
        beside.do(operation, dice)
    for _ in range(STEPS):
        told = beside.differences()
        assert not told, "\n".join([f"{kind}, seed {seed}, after", *beside.log, "", *told])
        beside.do(drawn_operation(dice, kind, is_bound=is_bound), dice)
