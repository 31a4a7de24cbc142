"""The snapshot: rows of nodes, the pods on them, and what is written down of changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import InvalidValueError
from podium.scheduler.snapshot.pod_info import UNPLACED, PodInfo, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.cluster.virtual.sizes import sizes
from tests.objects import Obj, node, pod


def snapshot_of(*names: str) -> Snapshot:
    snapshot = Snapshot()
    snapshot.set_nodes(map(node, names))
    return snapshot


def put(snapshot: Snapshot, name: str, node_name: str, cpu: str = "1") -> PodInfo:
    info = placed_pod(pod(name, cpu), snapshot.classes)
    snapshot.add_pod(info, node_name)
    return info


def on(snapshot: Snapshot, node_name: str) -> list[str]:
    return [info.name for info in snapshot.pods_on[snapshot.row_of[node_name]]]


class TestNodes:
    def test_the_ports_of_a_row_that_moves_stay_as_they_are(self) -> None:
        snapshot = snapshot_of("a", "b")
        containers = [{"name": "c", "ports": [{"hostPort": 80}]}]
        named = (pod(name, containers=containers) for name in ("one", "two"))
        pods = [placed_pod(obj, snapshot.classes) for obj in named]
        for info in pods:
            snapshot.add_pod(info, "b")
        snapshot.remove_pod(pods[0])
        freed = snapshot.freed_ports[1]
        snapshot.remove_node("a")
        assert snapshot.freed_ports == {0: freed}

    @pytest.mark.parametrize(
        ("change", "matters"),
        [
            ({"metadata": {"name": "a", "labels": {"zone": "x"}}}, True),
            ({"spec": {"unschedulable": True}}, True),
            ({"status": {"allocatable": {"cpu": "5"}}}, True),
            ({"metadata": {"annotations": {"seen": "today"}}}, False),
            ({"status": {"conditions": [{"type": "Ready"}]}}, False),
        ],
    )
    def test_only_what_matters_is_a_change(self, change: Obj, matters: bool) -> None:
        snapshot, old = snapshot_of("a"), node("a")
        new = {**old, **{field: {**old[field], **part} for field, part in change.items()}}
        epoch = snapshot.node_epoch
        assert snapshot.set_node(new) is matters
        assert snapshot.node_epoch == epoch + matters
        assert snapshot.nodes[0] == new

    def test_a_bad_amount_changes_nothing(self) -> None:
        snapshot = snapshot_of("a")
        for bad in (node("a", cpu="many"), node("b", cpu="many")):
            with pytest.raises(InvalidValueError):
                snapshot.set_node(bad)
        assert snapshot.nodes == [node("a")]
        assert snapshot.row_of == {"a": 0}

    def test_ranks_are_places_among_the_names(self) -> None:
        snapshot = snapshot_of("b", "c", "a")
        assert snapshot.ranks.tolist() == [1, 2, 0]
        snapshot.remove_node("b")
        assert snapshot.ranks.tolist() == [0, 1]


class TestPods:
    def test_the_last_takes_the_place_of_one_that_left(self) -> None:
        """As in kube-scheduler's NodeInfo: the order decides between equal victims."""
        snapshot = snapshot_of("a")
        infos = [put(snapshot, name, "a") for name in ("p0", "p1", "p2", "p3")]
        snapshot.remove_pod(infos[1])
        assert on(snapshot, "a") == ["p0", "p3", "p2"]
        assert [int(snapshot.pods.positions[info.slot]) for info in infos if info.slot >= 0] == [
            0,
            2,
            1,
        ]
        assert (infos[1].row, infos[1].slot) == (UNPLACED, UNPLACED)

    def test_removing_one_that_is_nowhere_is_nothing(self) -> None:
        snapshot = snapshot_of("a")
        snapshot.remove_pod(placed_pod(pod("p"), snapshot.classes))
        assert snapshot.log.end == 0


class TestLog:
    def test_nothing_is_kept_of_a_node_that_went_and_of_its_pods_that_went_after_it(self) -> None:
        snapshot = snapshot_of("a", "b")
        before = sizes(snapshot)
        pods = [put(snapshot, f"p{index}", "a") for index in range(3)]
        snapshot.remove_node("a")
        for info in pods:
            snapshot.remove_pod(info)
        snapshot.set_node(node("a"))
        assert sizes(snapshot)["Snapshot._homeless"] == before["Snapshot._homeless"] == 0


@given(st.lists(st.integers(0, 11), max_size=60), st.integers())
def test_columns_of_pods_are_those_of_the_pods(choices: list[int], seed: int) -> None:
    """Pods come to one of four nodes, which come and go as well, and leave again."""
    snapshot = snapshot_of("n0", "n1", "n2")
    infos: dict[PodInfo, str] = {}
    for number, choice in enumerate(choices):
        if choice < 4:
            infos[put(snapshot, f"{choice}-{number}", f"n{choice}")] = f"n{choice}"
        elif choice < 8 and infos:
            gone = [*infos][(seed + choice) % len(infos)]
            snapshot.remove_pod(gone)
            del infos[gone]
        elif choice >= 8 and f"n{choice - 8}" in snapshot.row_of:
            snapshot.remove_node(f"n{choice - 8}")
        elif choice >= 8:
            snapshot.set_node(node(f"n{choice - 8}"))
    placed = {info for pods in snapshot.pods_on for info in pods}
    assert placed == {info for info in infos if info.row != UNPLACED}
    columns = snapshot.pods
    assert {columns.pods[slot] for slot in np.flatnonzero(columns.rows >= 0)} == placed
    for info in placed:
        assert snapshot.pods_on[info.row][columns.positions[info.slot]] is info
        assert columns.rows[info.slot] == info.row
        assert columns.classes[info.slot] == info.cls.id
    assert snapshot.resources.pods.tolist() == [len(pods) for pods in snapshot.pods_on]
    fresh = snapshot_of(*snapshot.row_of)
    for info, node_name in infos.items():
        put(fresh, info.name, node_name)
    assert by_name(snapshot) == by_name(fresh)


def by_name(snapshot: Snapshot) -> dict[str, list[int]]:
    """All amounts of each node."""
    resources = snapshot.resources
    columns = (*resources.allocatable, *resources.requested, *resources.free, resources.free_pods)
    assert {len(column) for column in columns} == {len(snapshot.names)} == {len(snapshot.nodes)}
    assert [snapshot.names[row] for row in snapshot.row_of.values()] == [*snapshot.row_of]
    return {name: [int(column[row]) for column in columns] for name, row in snapshot.row_of.items()}


class TestStarts:
    @staticmethod
    def started(snapshot: Snapshot, name: str, start: str) -> PodInfo:
        info = placed_pod(pod(name, start=start), snapshot.classes)
        snapshot.add_pod(info, "a")
        return info

    def test_a_pod_that_has_not_started_comes_before_those_that_start_later_than_now(self) -> None:
        snapshot = snapshot_of("a")
        starts = ("2026-01-01T00:02:00Z", "", "2026-01-01T00:01:00Z", "2025-01-01T00:00:00Z")
        names = ("second", "none", "first", "past")
        infos = [self.started(snapshot, *pair) for pair in zip(names, starts, strict=True)]

        def order() -> list[str]:
            orders = {info.name: info.start_order for info in infos}
            assert orders == {i.name: snapshot.pods.starts[i.slot] for i in infos}
            return sorted(orders, key=orders.__getitem__)

        assert order() == ["past", "first", "second", "none"]
        restarts = snapshot.restarts.cursor()
        began_ns = 1_767_225_600 * 10**9
        snapshot.pass_time(began_ns)
        assert order() == ["past", "none", "first", "second"]
        snapshot.pass_time(began_ns + 60 * 10**9)
        assert order() == ["past", "first", "none", "second"]
        assert restarts.new() == [0, 0, 0]
        snapshot.remove_node("a")
        snapshot.set_node(node("a"))
        assert order() == ["past", "first", "none", "second"]
        snapshot.pass_time(began_ns + 120 * 10**9)
        assert order() == ["past", "first", "second", "none"]

    def test_of_pods_that_went_nothing_is_kept(self) -> None:
        snapshot = snapshot_of("a")
        snapshot.pass_time(0)
        before = sizes(snapshot)
        snapshot.remove_pod(self.started(snapshot, "later", "2026-01-01T00:02:00Z"))
        assert sizes(snapshot)["Snapshot._ahead"] == before["Snapshot._ahead"] == 0
