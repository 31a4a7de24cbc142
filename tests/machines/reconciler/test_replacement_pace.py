"""The pace at which pods that end at once are replaced."""

import pytest

from podium.api.values.times import timestamp
from podium.controllers.replica_set import ReplicaSetController
from podium.machines.reconciler.postponed import PACE_S, ReplacementPace, ended_at_once
from tests.controllers.worlds import START_S, World, node
from tests.objects import Obj, pod, workload


def aged(age_s: float = 0.0, *, leaves_for: str = "", phase: str = "") -> Obj:
    target = {"type": "DisruptionTarget", "status": "True", "reason": leaves_for}
    leaving = {"deletionTimestamp": timestamp(START_S)} if leaves_for else {}
    status = {"phase": phase, "conditions": [target] if leaves_for else []}
    return pod("p", created=timestamp(START_S - age_s), metadata=leaving, status=status)


@pytest.mark.parametrize(
    ("before", "after", "ends_at_once"),
    [
        (aged(phase="Running"), aged(phase="Failed"), True),
        (None, aged(phase="Failed"), True),
        (aged(), aged(leaves_for="DeletionByTaintManager"), True),
        (aged(5, phase="Running"), aged(5, phase="Failed"), False),
        (aged(), aged(phase="Running"), False),
        (aged(phase="Failed"), aged(phase="Failed"), False),
        (aged(leaves_for="DeletionByTaintManager"), aged(phase="Failed"), False),
        (aged(), aged(leaves_for="PreemptionByScheduler"), False),
        (aged(), aged(leaves_for="EvictionByEvictionAPI"), False),
    ],
)
def test_a_pod_ends_at_once_if_its_node_or_a_taint_ends_it_in_its_first_second(
    before: Obj | None, after: Obj, *, ends_at_once: bool
) -> None:
    assert ended_at_once(after, before, START_S + 0.5) is ends_at_once


def test_the_first_replacement_comes_at_once_and_others_one_after_the_other() -> None:
    pace = ReplacementPace()
    assert [pace.replaced_s(key, 10.0) for key in "aab"] == [10.0, 10 + PACE_S, 10 + 2 * PACE_S]
    assert pace.is_held("a", 10.0)
    assert not pace.is_held("a", 10.0 + PACE_S)
    assert pace.is_held("b", 10.0 + PACE_S)
    assert not pace.is_held("c", 10.0)
    assert pace.replaced_s("a", 60.0) == 60.0


def pinned(replicas: int) -> Obj:
    return workload("ReplicaSet", "r", "200", replicas=replicas, template={"nodeName": "n1"})


@pytest.mark.parametrize("replicas", [1, 8])
def test_an_owner_replaces_what_a_node_rejects_at_that_pace(replicas: int) -> None:
    world = World(ReplicaSetController)
    world.create(pinned(replicas))
    world.run_until(20.0)
    rejected = [one for one in world.all("Pod") if one["status"].get("reason") == "OutOfcpu"]
    assert abs(len(rejected) - 20.0 / PACE_S) <= replicas + 1


def test_an_owner_that_changes_is_not_held() -> None:
    world = World(ReplicaSetController)
    world.create(pinned(100))
    world.run_until(1.0)
    assert len(world.all("Pod")) == 100
    world.create(node("n2"))
    world.patch("ReplicaSet", "r", {"spec": {"replicas": 101}})
    world.run_until(1.0)
    assert len(world.all("Pod")) == 201
