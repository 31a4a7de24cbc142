"""Rollouts whose ReplicaSets are refused or have a name that is taken, and in spite of faults."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS
from podium.controllers.deployment.deployment_controller import DeploymentController
from podium.controllers.replica_set import ReplicaSetController
from podium.machines.effects import Create
from tests import objects
from tests.controllers.worlds import START_S, TROUBLE, World
from tests.objects import Obj

SCRIPT = {"podium.dev/ready-after": "5s", "podium.dev/termination": "2s"}


def deployment(replicas: int = 3, image: str = "v1", **spec: Any) -> Obj:
    made = objects.workload("Deployment", "d", replicas=replicas, **spec)
    made["spec"]["template"]["metadata"]["annotations"] = SCRIPT
    made["spec"]["template"]["spec"]["containers"] = [{"name": "c", "image": image}]
    return made


@pytest.fixture
def world() -> World:
    return World(DeploymentController, ReplicaSetController)


def roll(world: World, image: str) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": image}]}}
    world.patch("Deployment", "d", {"spec": {"template": template}})


def condition(world: World, kind: str) -> tuple[str, str, str]:
    conditions = world.get("Deployment", "d")["status"]["conditions"]
    found = next(one for one in conditions if one["type"] == kind)
    return found["status"], found["reason"], found["message"]


def name(obj: Any) -> str:
    return str(obj["metadata"]["name"])


def test_a_replica_set_of_another_owner_makes_for_another_name(world: World) -> None:
    world.create(deployment(1))
    world.run_until(1)
    (made,) = world.all("ReplicaSet")
    world.delete("Deployment", "d")
    world.run_until(2)
    world.delete("ReplicaSet", name(made))
    world.run_until(3)
    other = objects.workload("ReplicaSet", "b", replicas=0)
    other["metadata"]["name"] = name(made)
    world.create(other)
    world.create(deployment(1))
    world.run_until(10)
    status = world.get("Deployment", "d")["status"]
    assert (status["collisionCount"], status["availableReplicas"]) == (1, 1)
    assert len(world.all("ReplicaSet")) == 2


def test_a_replica_set_that_is_refused_leaves_the_status_as_it_is(world: World) -> None:
    world.create(deployment(3))
    world.run_until(10)
    before = world.get("Deployment", "d")["status"]
    hard = {"count/replicasets.apps": "1"}
    metadata = {"name": "q", "namespace": "default"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
    world.create({**quota, "spec": {"hard": hard}})
    world.patch("ResourceQuota", "q", {"status": {"hard": hard, "used": hard}}, "status")
    roll(world, "v2")
    world.run_until(11)
    status, reason, message = condition(world, "Progressing")
    assert (status, reason) == ("False", "ReplicaSetCreateError")
    assert message.startswith('Failed to create new replica set "d-')
    after = world.get("Deployment", "d")["status"]
    assert {**after, "conditions": ()} == {**before, "conditions": ()}
    # It is tried again, sixteen times in 164 s, and then given up until something happens to it.
    world.run_until(1_000)
    tries = [
        round(call.at_s - START_S - 10, 3)
        for call in world.writes
        if isinstance(call.effect, Create) and call.at_s > START_S + 5
    ]
    assert tries == pytest.approx([0.005 * (2**number - 1) for number in range(16)], abs=0.02)
    world.delete("ResourceQuota", "q")
    world.run_until(2_000)
    assert len(world.all("ReplicaSet")) == 1
    world.patch("Deployment", "d", {"metadata": {"labels": {"some": "label"}}})
    world.run_until(2_060)
    assert condition(world, "Progressing")[:2] == ("True", "NewReplicaSetAvailable")
    assert world.get("Deployment", "d")["status"]["observedGeneration"] == 2


@pytest.mark.parametrize("seed", range(4))
def test_rollouts_end_well_whatever_becomes_of_calls_and_machines(seed: int) -> None:
    world = World(DeploymentController, ReplicaSetController, faults=TROUBLE, seed=seed)
    world.create(deployment(6))
    for number in range(2, 5):
        world.run_until(number * 7)
        roll(world, f"v{number}")
    world.run_until(100)
    world.driver.faults = NO_FAULTS
    world.run_until(1_000)
    images = [pod["spec"]["containers"][0]["image"] for pod in world.all("Pod")]
    assert images == ["v4"] * 6
    assert world.get("Deployment", "d")["status"]["availableReplicas"] == 6
