"""A cluster that runs for long keeps no more than one that doesn't."""

import gc
from collections import Counter

import pytest

from tests.cluster.virtual.busy_cluster import BusyCluster
from tests.cluster.virtual.sizes import sizes

HOUR_S, DAY_S = 3600.0, 86_400.0
# Whatever else it is: what goes on keeping things grows by more than that from window to window.
GROWTH_MAX, SLACK = 1.5, 60


@pytest.fixture(autouse=True)
def _short_memories(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept up to a number is full soon."""
    monkeypatch.setattr("podium.scheduler.snapshot.pod_classes.CROWD_MIN", 64)
    monkeypatch.setattr("podium.scheduler.snapshot.log.LENGTH_MAX", 20)
    monkeypatch.setattr("podium.scheduler.framework.cycle.scheduling_cycle._EVALUATIONS_MAX", 8)
    monkeypatch.setattr("podium.scheduler.snapshot.snapshot._PER_NODES_MAX", 8)
    monkeypatch.setattr("podium.machines.reconciler.indexer._GONE_MAX", 32)
    monkeypatch.setattr("podium.controllers.volumes.persistent_volumes._ABSENT_MAX", 32)
    monkeypatch.setattr("podium.controllers.garbage_collector._ABSENT_MAX", 32)
    monkeypatch.setattr("podium.apiserver.verbs.writing._NAMED_MAX", 32)
    monkeypatch.setattr("podium.controllers.event_expiry.TTL_S", 900.0)


def kept_by(busy: BusyCluster, rounds: int, looks: int) -> Counter[str]:
    """What was kept in a window, at so many looks, all in all."""
    total: Counter[str] = Counter()
    for _ in range(looks):
        busy.play(rounds // looks)
        gc.collect()
        total += sizes(busy.cluster)
    return total


def assert_flat(busy: BusyCluster, warm_up: int, rounds: int, looks: int) -> None:
    busy.play(warm_up)
    first, second = (kept_by(busy, rounds, looks) for _ in range(2))
    grown = {
        path: (first[path], count)
        for path, count in second.items()
        if count > GROWTH_MAX * first[path] + SLACK * looks
    }
    assert grown == {}


def test_hours_leave_nothing_behind() -> None:
    assert_flat(BusyCluster(1), warm_up=6, rounds=8, looks=8)


@pytest.mark.soak
def test_a_week_leaves_nothing_behind() -> None:
    rounds = int(7 * DAY_S / HOUR_S)
    assert_flat(BusyCluster(2, HOUR_S), warm_up=8, rounds=rounds // 2, looks=28)


@pytest.mark.soak
def test_a_year_leaves_nothing_behind() -> None:
    weekly = BusyCluster(3, 7 * DAY_S, fails=False)
    assert_flat(weekly, warm_up=4, rounds=24, looks=12)
