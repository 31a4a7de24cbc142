"""percentageOfNodesToScore: how many nodes are enough, in which order, and where to go on."""

import numpy as np
import pytest

from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND
from podium.scheduler.config.load import load_configuration
from podium.scheduler.framework.sampling import NodeSampling, feasible_nodes_to_find, search_order
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import Obj, node, pod

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"


def snapshot_of(*nodes: Obj) -> Snapshot:
    snapshot = Snapshot()
    snapshot.set_nodes(nodes)
    return snapshot


def order(snapshot: Snapshot) -> list[str]:
    return [snapshot.names[row] for row in search_order(snapshot)]


@pytest.mark.parametrize(
    ("percentage", "nodes", "enough"),
    [
        *((percentage, nodes, nodes) for percentage in (0, 1, 50) for nodes in (0, 1, 99)),
        (50, 100, 100),
        (50, 250, 125),
        (1, 5_000, 100),
        (33, 301, 100),
        (34, 301, 102),
        (100, 5_000, 5_000),
        # By itself 50 % less 1 % for every 125 nodes, at least 5 %.
        (0, 124, 100),
        (0, 250, 120),
        (0, 5_000, 500),
        (0, 5_625, 281),
        (0, 6_000, 300),
    ],
)
def test_how_many_feasible_nodes_are_enough(percentage: int, nodes: int, enough: int) -> None:
    assert feasible_nodes_to_find(percentage, nodes) == enough


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        # The documentation's example: nodes 1 to 4 in one zone, 5 and 6 in another.
        ([node(name, zone="z1" if name < "5" else "z2") for name in "123456"], "152634"),
        # A zone is one within its region.
        ([*(node(n, zone="z") for n in "12"), node("3", zone="z", labels={REGION: "r2"})], "132"),
        ([node("1"), node("2"), node("3", zone="z"), node("4")], "1324"),
        ([node("1", labels={BETA_ZONE: "z"}), node("2", zone="z"), node("3")], "132"),
        ([], ""),
    ],
)
def test_zones_take_turns(nodes: list[Obj], expected: str) -> None:
    assert order(snapshot_of(*nodes)) == [*expected]


def test_nodes_that_come_back_come_last() -> None:
    snapshot = snapshot_of(node("1"), node("2"), node("3"))
    snapshot.remove_node("1")
    snapshot.set_node(node("1"))
    assert order(snapshot) == ["2", "3", "1"]


class TestSearch:
    NAMES = tuple(f"n{index:03}" for index in range(300))

    @pytest.fixture
    def snapshot(self) -> Snapshot:
        return snapshot_of(*map(node, self.NAMES))

    def searched(
        self, sampling: NodeSampling, snapshot: Snapshot, feasible: list[str]
    ) -> list[str]:
        """The names that a search looks at, in the order of names."""
        fits = np.zeros(snapshot.node_count, bool)
        fits[[snapshot.row_of[name] for name in feasible]] = True
        visited = sampling.visited(snapshot, fits)
        return sorted(snapshot.names[row] for row in np.flatnonzero(visited))

    def test_goes_round(self, snapshot: Snapshot) -> None:
        """Each search begins where the one before stopped."""
        sampling, everywhere = NodeSampling(40), list(self.NAMES)
        found = [self.searched(sampling, snapshot, everywhere) for _ in range(3)]
        assert found[0] == everywhere[:120]
        assert found[1] == everywhere[120:240]
        assert found[2] == [*everywhere[:60], *everywhere[240:]]
        assert sampling.next_start == 60

    def test_goes_on_until_enough_are_feasible(self, snapshot: Snapshot) -> None:
        sampling = NodeSampling(40)
        assert self.searched(sampling, snapshot, list(self.NAMES[100:])) == [*self.NAMES[:220]]
        assert sampling.next_start == 220

    def test_looks_everywhere_if_there_never_are(self, snapshot: Snapshot) -> None:
        sampling = NodeSampling(40)
        for feasible in ([], ["n007"], list(self.NAMES[:119])):
            assert self.searched(sampling, snapshot, feasible) == [*self.NAMES]
            assert sampling.next_start == 0

    def test_survives_that_nodes_go(self, snapshot: Snapshot) -> None:
        sampling = NodeSampling(50)
        self.searched(sampling, snapshot, list(self.NAMES))
        for name in self.NAMES[100:]:
            snapshot.remove_node(name)
        assert self.searched(sampling, snapshot, ["n000"]) == [*self.NAMES[:100]]

    def test_without_nodes(self) -> None:
        assert not NodeSampling(0).visited(Snapshot(), np.zeros(0, bool)).any()


def scheduler_of(nodes: int, **options: bool) -> Scheduler:
    document = {"apiVersion": API_VERSION, "kind": KIND, "percentageOfNodesToScore": 40}
    scheduler = Scheduler(load_configuration([document], ()).configuration, **options)
    scheduler.load([node(f"n{index:03}") for index in range(nodes)], [])
    return scheduler


def test_decisions_take_the_best_of_the_nodes_that_were_looked_at() -> None:
    scheduler = scheduler_of(300)
    found = [scheduler.decide(scheduler.pending(pod(f"p-{n}"))).node_name for n in range(4)]
    assert found == ["n000", "n120", "n000", "n060"]


def test_all_nodes_are_looked_at_if_asked_to() -> None:
    scheduler = scheduler_of(300, every_node=True)
    found = [scheduler.decide(scheduler.pending(pod(f"p-{n}"))).node_name for n in range(4)]
    assert found == ["n000"] * 4
