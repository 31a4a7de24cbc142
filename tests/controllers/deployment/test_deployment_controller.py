"""Rollouts from the first pod to the last, on nodes that run them."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.deployment.deployment_controller import DeploymentController
from podium.controllers.replica_set import ReplicaSetController
from podium.machines.effects import Create
from tests.controllers.worlds import START_S, World

Obj = dict[str, Any]

RECREATE = {"type": "Recreate"}


def deployment(replicas: int = 3, image: str = "v1", **spec: Any) -> Obj:
    scripted = {"podium.dev/ready-after": "5s", "podium.dev/termination": "2s"}
    template = {
        "metadata": {"labels": {"app": "a"}, "annotations": scripted},
        "spec": {"containers": [{"name": "c", "image": image}]},
    }
    selector = {"matchLabels": {"app": "a"}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "default"},
        "spec": {"replicas": replicas, "selector": selector, "template": template, **spec},
    }


@pytest.fixture
def world() -> World:
    return World(DeploymentController, ReplicaSetController)


def roll(world: World, image: str, **annotations: str) -> None:
    template = {
        "metadata": {"annotations": annotations},
        "spec": {"containers": [{"name": "c", "image": image}]},
    }
    world.patch("Deployment", "d", {"spec": {"template": template}})


def sizes(world: World) -> list[int]:
    """Of all ReplicaSets, the oldest first."""
    found = world.all("ReplicaSet")
    order = sorted(found, key=lambda one: int(one["metadata"]["resourceVersion"]))
    order.sort(key=lambda one: one["metadata"]["creationTimestamp"])
    return [one["spec"]["replicas"] for one in order]


def condition(world: World, kind: str) -> tuple[str, str, str]:
    conditions = world.get("Deployment", "d")["status"]["conditions"]
    found = next(one for one in conditions if one["type"] == kind)
    return found["status"], found["reason"], found["message"]


def set_name(world: World, image: str) -> str:
    for one in world.all("ReplicaSet"):
        if one["spec"]["template"]["spec"]["containers"][0]["image"] == image:
            return str(one["metadata"]["name"])
    raise AssertionError(f"nothing runs {image}")


def test_a_first_rollout(world: World) -> None:
    world.create(deployment(3))
    world.run_until(1)
    (made,) = world.all("ReplicaSet")
    called = made["metadata"]["name"]
    assert made["metadata"]["annotations"] == {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
    }
    assert made["spec"]["selector"]["matchLabels"]["pod-template-hash"] in called
    assert condition(world, "Available")[:2] == ("False", "MinimumReplicasUnavailable")
    progress = ("True", "ReplicaSetUpdated", f'ReplicaSet "{called}" is progressing.')
    assert condition(world, "Progressing") == progress
    world.run_until(6)
    message = f'ReplicaSet "{called}" has successfully progressed.'
    assert condition(world, "Progressing") == ("True", "NewReplicaSetAvailable", message)
    assert condition(world, "Available")[:2] == ("True", "MinimumReplicasAvailable")
    status = world.get("Deployment", "d")["status"]
    assert (status["availableReplicas"], status["observedGeneration"]) == (3, 1)
    assert world.events("ScalingReplicaSet") == [f"Scaled up replica set {called} from 0 to 3"]


def test_a_rolling_update_keeps_its_bounds_and_tells_its_steps(world: World) -> None:
    world.create(deployment(10))
    world.run_until(10)
    roll(world, "v2")
    for at_s in range(10, 40):
        world.run_until(at_s)
        status = world.get("Deployment", "d")["status"]
        assert sum(sizes(world)) <= 13
        assert status["availableReplicas"] >= 8
    old, new = set_name(world, "v1"), set_name(world, "v2")
    assert world.events("ScalingReplicaSet")[1:] == [
        f"Scaled up replica set {new} from 0 to 3",
        f"Scaled down replica set {old} from 10 to 8",
        f"Scaled up replica set {new} from 3 to 5",
        f"Scaled down replica set {old} from 8 to 3",
        f"Scaled up replica set {new} from 5 to 10",
        f"Scaled down replica set {old} from 3 to 0",
    ]
    assert {pod["spec"]["containers"][0]["image"] for pod in world.all("Pod")} == {"v2"}
    notes = world.get("Deployment", "d")["metadata"]["annotations"]
    assert notes["deployment.kubernetes.io/revision"] == "2"


def test_recreating_waits_until_the_last_old_pod_is_gone(world: World) -> None:
    world.create(deployment(3, strategy=RECREATE))
    world.run_until(10)
    roll(world, "v2")
    world.run_until(11.5)
    assert sizes(world) == [0]
    assert len(world.all("Pod")) == 3
    world.run_until(12.5)
    assert sizes(world) == [0, 3]
    assert len(world.all("Pod")) == 3


def test_going_back_reuses_the_old_replica_set_as_a_new_revision(world: World) -> None:
    world.create(deployment(1))
    world.run_until(10)
    roll(world, "v2")
    world.run_until(20)
    roll(world, "v1")
    world.run_until(40)
    assert sorted(sizes(world)) == [0, 1]
    back = world.get("ReplicaSet", set_name(world, "v1"))
    assert back["spec"]["replicas"] == 1
    notes = back["metadata"]["annotations"]
    assert notes["deployment.kubernetes.io/revision"] == "3"
    assert notes["deployment.kubernetes.io/revision-history"] == "1"


def test_history_is_kept_to_its_limit(world: World) -> None:
    world.create(deployment(1, revisionHistoryLimit=1))
    for number in range(2, 6):
        world.run_until(number * 20)
        roll(world, f"v{number}")
    world.run_until(140)
    assert sorted(sizes(world)) == [0, 1]
    assert set_name(world, "v4")


def test_a_paused_deployment_is_scaled_but_not_rolled_out(world: World) -> None:
    world.create(deployment(2))
    world.run_until(10)
    world.patch("Deployment", "d", {"spec": {"paused": True}})
    roll(world, "v2")
    world.patch("Deployment", "d", {"spec": {"replicas": 4}})
    world.run_until(20)
    assert sizes(world) == [4]
    assert condition(world, "Progressing") == (
        "Unknown",
        "DeploymentPaused",
        "Deployment is paused",
    )
    world.patch("Deployment", "d", {"spec": {"paused": False}})
    world.run_until(60)
    assert sizes(world) == [0, 4]
    assert condition(world, "Progressing")[1] == "NewReplicaSetAvailable"


def test_scaling_amid_a_rollout_shares_the_change(world: World) -> None:
    bounds = {"maxSurge": 3, "maxUnavailable": 2}
    strategy = {"type": "RollingUpdate", "rollingUpdate": bounds}
    world.create(deployment(10, strategy=strategy))
    world.run_until(10)
    roll(world, "v2", **{"podium.dev/ready-after": "never"})
    world.run_until(20)
    assert sizes(world) == [8, 5]
    world.patch("Deployment", "d", {"spec": {"replicas": 15}})
    world.run_until(20.5)
    assert sizes(world) == [11, 7]


def test_a_rollout_stays_complete_while_pods_of_its_template_come_and_go(world: World) -> None:
    world.create(deployment(2))
    world.run_until(10)
    complete = condition(world, "Progressing")
    assert complete[1] == "NewReplicaSetAvailable"
    world.patch("Deployment", "d", {"spec": {"replicas": 4}})
    for at_s in range(11, 20):
        world.run_until(at_s)
        assert condition(world, "Progressing") == complete
    assert world.get("Deployment", "d")["status"]["availableReplicas"] == 4
    world.delete("Pod", world.all("Pod")[0]["metadata"]["name"])
    for at_s in range(20, 30):
        world.run_until(at_s)
        assert condition(world, "Progressing") == complete


def test_a_rollout_that_gets_nowhere_times_out_at_its_second(world: World) -> None:
    world.create(deployment(1, progressDeadlineSeconds=30, minReadySeconds=2))
    world.run_until(10)
    roll(world, "v2", **{"podium.dev/ready-after": "never"})
    world.run_until(40.5)
    assert condition(world, "Progressing")[1] == "ReplicaSetUpdated"
    world.run_until(41.5)
    message = f'ReplicaSet "{set_name(world, "v2")}" has timed out progressing.'
    assert condition(world, "Progressing") == ("False", "ProgressDeadlineExceeded", message)
    assert condition(world, "Available")[0] == "True"


def test_a_replica_set_that_is_in_the_way_makes_for_another_name(world: World) -> None:
    world.create(deployment(1))
    world.run_until(1)
    (made,) = world.all("ReplicaSet")
    world.delete("Deployment", "d")
    other = {key: value for key, value in made.items() if key != "status"}
    world.run_until(2)
    world.delete("ReplicaSet", made["metadata"]["name"])
    world.run_until(3)
    metadata = {"name": made["metadata"]["name"], "namespace": "default", "labels": {"app": "b"}}
    template = {"metadata": {"labels": {"app": "b"}}, "spec": made["spec"]["template"]["spec"]}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "b"}}, "template": template}
    world.create({**other, "metadata": metadata, "spec": spec})
    world.create(deployment(1))
    world.run_until(10)
    assert world.get("Deployment", "d")["status"]["collisionCount"] == 1
    assert world.get("Deployment", "d")["status"]["availableReplicas"] == 1
    assert len(world.all("ReplicaSet")) == 2


def test_annotations_and_minimum_are_handed_on(world: World) -> None:
    world.create(deployment(1))
    world.run_until(10)
    metadata = {"annotations": {"kubernetes.io/change-cause": "because"}}
    world.patch("Deployment", "d", {"metadata": metadata, "spec": {"minReadySeconds": 7}})
    world.run_until(11)
    (made,) = world.all("ReplicaSet")
    assert made["spec"]["minReadySeconds"] == 7
    assert made["metadata"]["annotations"]["kubernetes.io/change-cause"] == "because"


def test_an_orphan_is_adopted(world: World) -> None:
    world.create(deployment(1))
    world.run_until(10)
    (made,) = world.all("ReplicaSet")
    world.patch("ReplicaSet", made["metadata"]["name"], {"metadata": {"ownerReferences": None}})
    world.run_until(11)
    (adopted,) = world.all("ReplicaSet")
    assert adopted["metadata"]["ownerReferences"][0]["kind"] == "Deployment"


def test_pods_that_are_refused_show_in_the_conditions(world: World) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"pods": "0"}},
    }
    world.create(quota)
    world.patch("ResourceQuota", "q", {"status": {"hard": {"pods": "0"}}}, "status")
    world.create(deployment(1))
    world.run_until(1)
    assert condition(world, "ReplicaFailure")[:2] == ("True", "FailedCreate")
    world.delete("ResourceQuota", "q")
    world.run_until(120)
    kinds = {one["type"] for one in world.get("Deployment", "d")["status"]["conditions"]}
    assert kinds == {"Available", "Progressing"}


def test_a_replica_set_that_is_refused_leaves_the_status_as_it_is(world: World) -> None:
    world.create(deployment(3))
    world.run_until(10)
    before = world.get("Deployment", "d")["status"]
    hard = {"count/replicasets.apps": "1"}
    metadata = {"name": "q", "namespace": "default"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
    world.create({**quota, "spec": {"hard": hard}})
    world.patch("ResourceQuota", "q", {"status": {"hard": hard, "used": hard}}, "status")
    template = {"metadata": {"annotations": {"version": "2"}}}
    world.patch("Deployment", "d", {"spec": {"template": template}})
    world.run_until(11)
    status, reason, message = condition(world, "Progressing")
    assert (status, reason) == ("False", "ReplicaSetCreateError")
    assert message.startswith('Failed to create new replica set "d-')
    after = world.get("Deployment", "d")["status"]
    assert {**after, "conditions": ()} == {**before, "conditions": ()}
    assert after["updatedReplicas"] == 3
    assert after["observedGeneration"] == world.get("Deployment", "d")["metadata"]["generation"] - 1
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
    faults = Faults(
        refused=0.1,
        unanswered=0.1,
        slow=0.1,
        repeated=0.1,
        broken_watches=0.05,
        slow_watches=0.1,
        restarts=0.01,
    )
    world = World(DeploymentController, ReplicaSetController, faults=faults, seed=seed)
    world.create(deployment(6))
    for number in range(2, 5):
        world.run_until(number * 7)
        roll(world, f"v{number}")
    world.run_until(100)
    world.driver.faults = NO_FAULTS
    world.run_until(1_000)
    pods = [pod["spec"]["containers"][0]["image"] for pod in world.all("Pod")]
    assert pods == ["v4"] * 6
    assert world.get("Deployment", "d")["status"]["availableReplicas"] == 6
