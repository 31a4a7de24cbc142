"""Rollouts on nodes that run their pods; recorded scenes hold sizes, times and conditions."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS
from podium.controllers.deployment.deployment_controller import DeploymentController
from podium.controllers.replica_set import ReplicaSetController
from podium.machines.effects import Create
from tests import objects
from tests.controllers.worlds import START_S, TROUBLE, World

Obj = dict[str, Any]

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


def replica_set(world: World, image: str) -> Any:
    for one in world.all("ReplicaSet"):
        if one["spec"]["template"]["spec"]["containers"][0]["image"] == image:
            return one
    raise AssertionError(f"nothing runs {image}")


def name(obj: Any) -> str:
    return str(obj["metadata"]["name"])


def quota(world: World, hard: Obj, used: Obj) -> None:
    metadata = {"name": "q", "namespace": "default"}
    found = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
    world.create({**found, "spec": {"hard": hard}})
    world.patch("ResourceQuota", "q", {"status": {"hard": hard, "used": used}}, "status")


def test_the_steps_of_a_rollout_are_events_messages_and_annotations(world: World) -> None:
    world.create(deployment(10))
    world.run_until(1)
    old = name(replica_set(world, "v1"))
    assert replica_set(world, "v1")["metadata"]["annotations"] == {
        "deployment.kubernetes.io/desired-replicas": "10",
        "deployment.kubernetes.io/max-replicas": "13",
        "deployment.kubernetes.io/revision": "1",
    }
    progress = ("True", "ReplicaSetUpdated", f'ReplicaSet "{old}" is progressing.')
    assert condition(world, "Progressing") == progress
    world.run_until(10)
    message = f'ReplicaSet "{old}" has successfully progressed.'
    assert condition(world, "Progressing") == ("True", "NewReplicaSetAvailable", message)
    roll(world, "v2")
    world.run_until(40)
    new = name(replica_set(world, "v2"))
    assert world.events("ScalingReplicaSet") == [
        f"Scaled up replica set {old} from 0 to 10",
        f"Scaled up replica set {new} from 0 to 3",
        f"Scaled down replica set {old} from 10 to 8",
        f"Scaled up replica set {new} from 3 to 5",
        f"Scaled down replica set {old} from 8 to 3",
        f"Scaled up replica set {new} from 5 to 10",
        f"Scaled down replica set {old} from 3 to 0",
    ]


def test_recreating_waits_until_the_last_old_pod_is_gone(world: World) -> None:
    world.create(deployment(3, strategy={"type": "Recreate"}))
    world.run_until(10)
    roll(world, "v2")
    world.run_until(11.5)
    assert (len(world.all("ReplicaSet")), len(world.all("Pod"))) == (1, 3)
    world.run_until(12.5)
    assert (len(world.all("ReplicaSet")), len(world.all("Pod"))) == (2, 3)


def test_going_back_reuses_the_old_replica_set_as_a_new_revision(world: World) -> None:
    world.create(deployment(1))
    for at_s, image in ((10, "v2"), (20, "v1")):
        world.run_until(at_s)
        roll(world, image)
    world.run_until(40)
    notes = replica_set(world, "v1")["metadata"]["annotations"]
    assert notes["deployment.kubernetes.io/revision"] == "3"
    assert notes["deployment.kubernetes.io/revision-history"] == "1"


def test_history_is_kept_to_its_limit(world: World) -> None:
    world.create(deployment(1, revisionHistoryLimit=1))
    for number in range(2, 6):
        world.run_until(number * 20)
        roll(world, f"v{number}")
    world.run_until(140)
    assert len(world.all("ReplicaSet")) == 2
    assert replica_set(world, "v4")


def test_a_paused_deployment_is_scaled_but_not_rolled_out(world: World) -> None:
    world.create(deployment(2))
    world.run_until(10)
    world.patch("Deployment", "d", {"spec": {"paused": True}})
    roll(world, "v2")
    world.patch("Deployment", "d", {"spec": {"replicas": 4}})
    world.run_until(20)
    assert [one["spec"]["replicas"] for one in world.all("ReplicaSet")] == [4]
    paused = ("Unknown", "DeploymentPaused", "Deployment is paused")
    assert condition(world, "Progressing") == paused
    world.patch("Deployment", "d", {"spec": {"paused": False}})
    world.run_until(60)
    assert replica_set(world, "v2")["spec"]["replicas"] == 4
    assert condition(world, "Progressing")[1] == "NewReplicaSetAvailable"


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


def test_annotations_and_minimum_are_handed_on_and_an_orphan_is_adopted(world: World) -> None:
    world.create(deployment(1))
    world.run_until(10)
    (made,) = world.all("ReplicaSet")
    world.patch("ReplicaSet", name(made), {"metadata": {"ownerReferences": None}})
    metadata = {"annotations": {"kubernetes.io/change-cause": "because"}}
    world.patch("Deployment", "d", {"metadata": metadata, "spec": {"minReadySeconds": 7}})
    world.run_until(11)
    (made,) = world.all("ReplicaSet")
    assert made["spec"]["minReadySeconds"] == 7
    assert made["metadata"]["annotations"]["kubernetes.io/change-cause"] == "because"
    assert made["metadata"]["ownerReferences"][0]["kind"] == "Deployment"


def test_a_replica_set_that_is_refused_leaves_the_status_as_it_is(world: World) -> None:
    world.create(deployment(3))
    world.run_until(10)
    before = world.get("Deployment", "d")["status"]
    hard = {"count/replicasets.apps": "1"}
    quota(world, hard, hard)
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


def test_nothing_is_written_of_a_deployment_at_rest(world: World) -> None:
    world.create(deployment(3))
    world.run_until(10)
    world.writes.clear()
    world.patch("Deployment", "d", {"metadata": {"labels": {"some": "label"}}})
    world.run_until(5_000)
    assert world.writes == []


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


def test_a_rollout_that_gets_nowhere_times_out_at_its_second(world: World) -> None:
    world.create(deployment(1, progressDeadlineSeconds=30, minReadySeconds=2))
    world.run_until(10)
    never = {"metadata": {"annotations": {"podium.dev/ready-after": "never"}}}
    world.patch("Deployment", "d", {"spec": {"template": never}})
    world.run_until(40.5)
    assert condition(world, "Progressing")[1] == "ReplicaSetUpdated"
    world.run_until(41.5)
    status, reason, message = condition(world, "Progressing")
    assert (status, reason) == ("False", "ProgressDeadlineExceeded")
    assert message.endswith(" has timed out progressing.")
