"""One real control plane for all tests here, and a Podium that schedules on it.

What concerns the scheduler alone is tested on the embedded cluster as well, whose server has to
answer alike: `world` takes the name of a server's fixture.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cluster.real.control_plane import ControlPlane, assets
from tests.cluster.real.embedded_server import EmbeddedServer
from tests.cluster.real.podium_process import PodiumScheduler
from tests.cluster.real.world import World

SCHEDULER, READER = "schedulertoken", "readertoken"
ACCOUNT = "system:serviceaccount:podium-system:podium-scheduler"
USERS = {
    SCHEDULER: (ACCOUNT, ("system:serviceaccounts", "system:serviceaccounts:podium-system")),
    READER: ("reader", ()),
    "nodetoken": ("system:node:machine", ("system:nodes",)),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The control plane runs by the clock on a machine that does other things too, so a test gets a
    # second try, which the summary tells as a rerun.
    for item in items:
        if {"world", "beside"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    binaries = assets()
    if binaries is None:
        pytest.skip(
            "no real control plane: neither KUBEBUILDER_ASSETS nor ../shared/reference has one"
        )
    plane = ControlPlane(binaries, tmp_path_factory.mktemp("control-plane"), USERS)
    try:
        plane.start()
        yield plane
    finally:
        plane.close()


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    server = EmbeddedServer(tmp_path_factory.mktemp("embedded"))
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """A cluster without nodes and pods, on the real API server unless another one is named."""
    found = World(request.getfixturevalue(getattr(request, "param", "control_plane")))
    found.clear()
    yield found
    found.clear()


on_both = pytest.mark.parametrize("world", ["control_plane", "embedded_server"], indirect=True)
on_both_in_soak = pytest.mark.parametrize(
    "world",
    ["control_plane", pytest.param("embedded_server", marks=pytest.mark.soak)],
    indirect=True,
)

StartPodium = Callable[..., PodiumScheduler]


@pytest.fixture
def podium(world: World, tmp_path: Path) -> Iterator[StartPodium]:
    """Starts schedulers that are stopped in the end."""
    with ExitStack() as stack:

        def start(*options: str, kubeconfig: Path | None = None) -> PodiumScheduler:
            config = kubeconfig or world.plane.kubeconfig()
            log = tmp_path / f"podium-{len(list(tmp_path.glob('podium-*')))}.log"
            return stack.enter_context(PodiumScheduler(config, log, options))

        yield start
