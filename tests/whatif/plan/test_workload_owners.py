"""Who pods belong to, also where controllers own each other."""

from typing import Any

import pytest

from podium.whatif.plan.workload_owners import WorkloadOwners
from tests.objects import node, reference, workload
from tests.whatif.plan.plans import places, planned


def owned_by(name: str, above: str) -> Any:
    one = workload("ReplicaSet", name, uid=name, replicas=1)
    one["metadata"]["ownerReferences"] = [
        {**reference(workload("ReplicaSet", above, uid=above)), "controller": True}
    ]
    return one


def test_the_topmost_controller_is_the_workload() -> None:
    owners = WorkloadOwners([owned_by("c", "b"), owned_by("b", "a")])
    found = owners.workload("default/pod", ("ReplicaSet", "default", "c"))
    assert found == "ReplicaSet default/a"


@pytest.mark.parametrize("below", ["a", "b", "c"])
def test_of_controllers_in_a_circle_it_is_the_first_by_name(below: str) -> None:
    circle = [owned_by("b", "a"), owned_by("a", "b"), owned_by("c", "b")]
    owner = ("ReplicaSet", "default", below)
    assert WorkloadOwners(circle).workload("default/pod", owner) == "ReplicaSet default/a"


def test_a_controller_that_owns_itself_is_planned() -> None:
    outcome = planned([node("n")], owned_by("a", "a"))
    assert [*places(outcome).values()] == ["n"]
    assert outcome.placements[0].workload == "ReplicaSet default/a"
