"""StatefulSets over a real API server: what recorded scenes don't show, such as claims."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.stateful_set import StatefulSetController
from tests import objects
from tests.controllers.worlds import TROUBLE, World

Obj = dict[str, Any]

RESOURCES = {"requests": {"storage": "1Gi"}}
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": RESOURCES},
}
CLAIMS: Obj = {"volumeClaimTemplates": [CLAIM]}
SCRIPT = {
    "podium.dev/startup": "1s",
    "podium.dev/ready-after": "4s",
    "podium.dev/termination": "2s",
}


def stateful_set(replicas: int = 3, **spec: Any) -> Obj:
    made = objects.workload("StatefulSet", "s", replicas=replicas, serviceName="web", **spec)
    made["spec"]["template"]["metadata"]["annotations"] = dict(SCRIPT)
    made["spec"]["template"]["spec"]["containers"] = [{"name": "c", "image": "v1"}]
    return made


def world_with(one: Obj, *machines: Any, **options: Any) -> World:
    world = World(StatefulSetController, *machines, **options)
    world.create(one)
    world.run_until(30)
    return world


def roll(world: World, image: str) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": image}]}}
    world.patch("StatefulSet", "s", {"spec": {"template": template}})


def images(world: World) -> dict[str, str]:
    return {
        pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"]
        for pod in sorted(world.all("Pod"), key=lambda pod: str(pod["metadata"]["name"]))
    }


def status(world: World) -> Obj:
    found: Obj = world.get("StatefulSet", "s")["status"]
    return found


def deleted(world: World) -> list[str]:
    """The pods that the controller has deleted."""
    own = (call.effect for call in world.writes if call.who == "statefulset-controller")
    return [one.name for one in own if type(one).__name__ == "Delete" and one.kind == "Pod"]


def doomed_claims(world: World) -> list[str]:
    """Claims that are deleted, as far as no finalizer protects them."""
    found = (claim["metadata"] for claim in world.all("PersistentVolumeClaim"))
    return sorted(metadata["name"] for metadata in found if "deletionTimestamp" in metadata)


def test_pods_come_one_after_the_other_and_go_the_other_way_round() -> None:
    world = world_with(stateful_set())
    assert status(world) == {
        "observedGeneration": 1,
        "replicas": 3,
        "readyReplicas": 3,
        "currentReplicas": 3,
        "updatedReplicas": 3,
        "availableReplicas": 3,
        "collisionCount": 0,
        "currentRevision": status(world)["updateRevision"],
        "updateRevision": status(world)["updateRevision"],
    }
    world.patch("StatefulSet", "s", {"spec": {"replicas": 1}})
    world.run_until(60)
    assert deleted(world) == ["s-2", "s-1"]
    assert "create Pod s-0 in StatefulSet s successful" in world.events("SuccessfulCreate")
    assert "delete Pod s-2 in StatefulSet s successful" in world.events("SuccessfulDelete")


def test_in_parallel_they_come_and_go_at_once() -> None:
    world = world_with(stateful_set(podManagementPolicy="Parallel"))
    assert {pod["metadata"]["creationTimestamp"] for pod in world.all("Pod")} == {
        "2026-01-01T00:00:00Z"
    }
    world.patch("StatefulSet", "s", {"spec": {"replicas": 0}})
    world.run_until(40)
    assert images(world) == {}


def test_pods_know_who_they_are() -> None:
    world = world_with(stateful_set(1, ordinals={"start": 5}))
    (pod,) = world.all("Pod")
    assert pod["metadata"]["labels"] == {
        "app": "s",
        "apps.kubernetes.io/pod-index": "5",
        "statefulset.kubernetes.io/pod-name": "s-5",
        "controller-revision-hash": status(world)["updateRevision"],
    }
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("s-5", "web")


def test_a_partition_counts_from_the_first_number_and_keeps_pods_that_are_recreated() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    world = world_with(stateful_set(2, updateStrategy=rolling, ordinals={"start": 3}))
    roll(world, "v2")
    world.run_until(60)
    world.delete("Pod", "s-3")
    world.run_until(90)
    assert images(world) == {"s-3": "v1", "s-4": "v2"}
    assert (status(world)["currentReplicas"], status(world)["updatedReplicas"]) == (1, 1)


@pytest.mark.parametrize("policy", ["Parallel", "OrderedReady"])
def test_one_pod_at_a_time_is_updated_whatever_is_allowed(policy: str) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "70%"}}
    world = world_with(stateful_set(updateStrategy=rolling, podManagementPolicy=policy))
    strategy = world.get("StatefulSet", "s")["spec"]["updateStrategy"]
    assert strategy["rollingUpdate"] == {"partition": 0}
    roll(world, "v2")
    world.run_until(31)
    assert deleted(world) == ["s-2"]


def test_what_is_allowed_is_dropped_only_where_it_was_not_before() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 2}}
    world = world_with(stateful_set())
    allowed = {"spec": {"updateStrategy": rolling}}
    world.patch("StatefulSet", "s", allowed)
    (dropped,) = world.all("StatefulSet")
    assert dropped["spec"]["updateStrategy"]["rollingUpdate"] == {"partition": 0}
    kept = {**dropped, "spec": {**dropped["spec"], **allowed["spec"]}}
    world.server.store.update("StatefulSet", kept)
    world.patch("StatefulSet", "s", {"spec": {"replicas": 2}})
    assert world.all("StatefulSet")[0]["spec"]["updateStrategy"] == rolling


@pytest.mark.parametrize("never_ready_from", ["v1", "v2"])
def test_an_update_stops_at_the_last_pod_while_that_does_not_serve(never_ready_from: str) -> None:
    """In parallel, too: the turn of a pod comes once those after it serve."""
    never = {"podium.dev/ready-after": "never"}
    one = stateful_set(podManagementPolicy="Parallel")
    if never_ready_from == "v1":
        one["spec"]["template"]["metadata"]["annotations"] |= never
    world = world_with(one)
    world.patch("StatefulSet", "s", {"spec": {"template": {"metadata": {"annotations": never}}}})
    roll(world, "v2")
    world.run_until(300)
    assert deleted(world) == ["s-2"]


def test_pods_that_end_are_recreated() -> None:
    world = world_with(stateful_set(1))
    world.patch("Pod", "s-0", {"status": {"phase": "Failed"}}, "status")
    before = world.get("Pod", "s-0")["metadata"]["uid"]
    world.run_until(60)
    assert world.get("Pod", "s-0")["metadata"]["uid"] != before
    note = "StatefulSet default/s is recreating failed Pod s-0"
    assert world.events("RecreatingFailedPod") == [note]


def test_claims_come_before_pods_and_stay() -> None:
    world = world_with(stateful_set(2, **CLAIMS), GarbageCollector)
    (volume,) = [one for one in world.get("Pod", "s-1")["spec"]["volumes"] if "data" in one["name"]]
    assert volume["persistentVolumeClaim"] == {"claimName": "data-s-1"}
    assert world.get("PersistentVolumeClaim", "data-s-1")["metadata"]["labels"] == {"app": "s"}
    world.patch("StatefulSet", "s", {"spec": {"replicas": 0}})
    world.run_until(60)
    assert len(world.all("PersistentVolumeClaim")) == 2
    assert "create Claim data-s-0 in StatefulSet s successful" in world.events("SuccessfulCreate")


def test_claims_go_with_their_pods_or_the_set_if_it_says_so() -> None:
    policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
    one = stateful_set(2, persistentVolumeClaimRetentionPolicy=policy, **CLAIMS)
    world = world_with(one, GarbageCollector)
    world.patch("StatefulSet", "s", {"spec": {"replicas": 1}})
    world.run_until(60)
    assert doomed_claims(world) == ["data-s-1"]
    world.delete("StatefulSet", "s")
    world.run_until(120)
    assert doomed_claims(world) == ["data-s-0", "data-s-1"]


def test_old_revisions_are_cleaned_up() -> None:
    world = world_with(stateful_set(1, revisionHistoryLimit=1))
    for number in range(2, 6):
        world.run_until(number * 30)
        roll(world, f"v{number}")
    world.run_until(300)
    assert sorted(one["revision"] for one in world.all("ControllerRevision")) == [4, 5]


def test_nothing_is_written_while_nothing_happens() -> None:
    world = world_with(stateful_set())
    world.writes.clear()
    world.run_until(600)
    assert not [call for call in world.writes if call.who == "statefulset-controller"]


@pytest.mark.parametrize("seed", range(4))
def test_faults_and_restarts_leave_what_is_wanted(seed: int) -> None:
    world = world_with(stateful_set(**CLAIMS), faults=TROUBLE, seed=seed)
    roll(world, "v2")
    world.run_until(100)
    world.driver.faults = NO_FAULTS
    world.run_until(600)
    assert images(world) == {"s-0": "v2", "s-1": "v2", "s-2": "v2"}
    assert status(world)["availableReplicas"] == 3
