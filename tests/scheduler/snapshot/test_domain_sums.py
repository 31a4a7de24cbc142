"""Sums by domain are what counting all pods anew says, whatever has come and gone."""

from random import Random

import numpy as np
import pytest

from podium.api.selectors.labels import label_selector
from podium.scheduler.snapshot.affinity_terms import PeerGroup
from podium.scheduler.snapshot.domain_sums import DomainSum, DomainSums, label_marks, selector_marks
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import ZONE, node, pod

APPS = ("web", "db", "job")
SELECTORS = (
    {"matchLabels": {"app": "web"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]},
    {},
    None,
)


def snapshot_of_zones() -> Snapshot:
    snapshot = Snapshot()
    nodes = [node(f"n{number}", zone=f"z{number % 3}") for number in range(7)]
    snapshot.set_nodes([*nodes, node("nowhere")])
    return snapshot


def asked(sums: DomainSums, snapshot: Snapshot, number: int) -> DomainSum:
    selector = label_selector(SELECTORS[number])

    def weigh(peer_group: PeerGroup) -> int:
        return int(selector.matches(peer_group.labels))

    return sums.of(number, snapshot.columns.label(ZONE), weigh, selector_marks(selector))


def counted(snapshot: Snapshot, number: int) -> dict[str, int]:
    selector, found = label_selector(SELECTORS[number]), dict.fromkeys(("z0", "z1", "z2"), 0)
    for row, pods in enumerate(snapshot.pods_on):
        zone = snapshot.labels_of(row).get(ZONE)
        if zone is not None:
            found[zone] += sum(selector.matches(one.cls.labels) for one in pods)
    return found


def told(one: DomainSum, snapshot: Snapshot) -> dict[str, int]:
    values = snapshot.columns.label(ZONE).values
    assert one.sums[-1] == 0
    assert one.nonzero == np.count_nonzero(one.sums)
    return dict(zip(values, one.sums[:-1].tolist(), strict=True))


def let_happen(snapshot: Snapshot, dice: Random, number: int) -> None:
    here = [one for pods in snapshot.pods_on for one in pods]
    if here and dice.random() < 0.4:
        snapshot.remove_pod(dice.choice(here))
    else:
        coming = pod(f"{dice.choice(APPS)}-{number}")
        coming["metadata"]["labels"]["own"] = f"{number % 50}"
        snapshot.add_pod(pending_pod(coming, snapshot.classes), dice.choice([*snapshot.row_of]))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kept", [1, 512])
def test_sums_follow(seed: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.scheduler.snapshot.domain_sums.SUMS_MIN", kept)
    dice, snapshot = Random(seed), snapshot_of_zones()
    sums = DomainSums(snapshot, label_marks)
    held: dict[int, DomainSum] = {}
    for number in range(120):
        let_happen(snapshot, dice, number)
        asking = dice.randrange(len(SELECTORS))
        if dice.random() < 0.5:
            held[asking] = asked(sums, snapshot, asking)
        elif held:
            held.pop(dice.choice([*held]))
        sums.follow()
        for which, one in held.items():
            assert told(one, snapshot) == counted(snapshot, which)


def test_a_crossing_is_a_sum_that_becomes_positive_or_ceases_to_be() -> None:
    snapshot = snapshot_of_zones()
    sums = DomainSums(snapshot, label_marks)
    one = asked(sums, snapshot, 0)
    pods: list[PodInfo] = []
    steps = []
    for name in ("web-a", "web-b"):
        pods.append(pending_pod(pod(name), snapshot.classes))
        snapshot.add_pod(pods[-1], "n0")
        sums.follow()
        steps.append((one.changes, one.crossings))
    for leaving in pods:
        snapshot.remove_pod(leaving)
        sums.follow()
        steps.append((one.changes, one.crossings))
    assert steps == [(1, 1), (2, 1), (3, 1), (4, 2)]


def test_all_begins_anew_when_nodes_change() -> None:
    snapshot = snapshot_of_zones()
    sums = DomainSums(snapshot, label_marks)
    snapshot.add_pod(pending_pod(pod("web-a"), snapshot.classes), "n0")
    assert told(asked(sums, snapshot, 0), snapshot) == {"z0": 1, "z1": 0, "z2": 0}
    peer_groups = sums.peer_groups.cursor()
    snapshot.set_node(node("n0", zone="z1"))
    one = asked(sums, snapshot, 0)
    assert peer_groups.new() is None
    assert told(one, snapshot) == {"z1": 1, "z2": 0, "z0": 0}
