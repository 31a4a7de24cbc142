"""StatefulSets over a real API server: order, updates, claims and what is told."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.stateful_set import StatefulSetController
from tests.controllers.worlds import START_S, World

Obj = dict[str, Any]
CLAIMS = {
    "volumeClaimTemplates": [
        {
            "metadata": {"name": "data"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    ]
}


def stateful_set(replicas: int = 3, **spec: Any) -> Obj:
    script = {
        "podium.dev/startup": "1s",
        "podium.dev/ready-after": "4s",
        "podium.dev/termination": "2s",
    }
    template = {
        "metadata": {"labels": {"app": "s"}, "annotations": script},
        "spec": {"containers": [{"name": "c", "image": "v1"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "s", "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "s"}},
            "template": template,
            **spec,
        },
    }


def world_with(one: Obj, *machines: Any, **options: Any) -> World:
    world = World(StatefulSetController, *machines, **options)
    world.create(one)
    return world


def roll(world: World, image: str) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": image}]}}
    world.patch("StatefulSet", "s", {"spec": {"template": template}})


def images(world: World) -> dict[str, str]:
    return {
        pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"]
        for pod in sorted(world.all("Pod"), key=lambda pod: str(pod["metadata"]["name"]))
    }


def names(world: World) -> list[str]:
    return [*images(world)]


def status(world: World) -> Obj:
    found: Obj = world.get("StatefulSet", "s")["status"]
    return found


def moves(world: World) -> list[tuple[float, str, str]]:
    """When which pods were created and deleted."""
    found = []
    for call in world.writes:
        verb = type(call.effect).__name__
        if call.who == "statefulset-controller" and verb in ("Create", "Delete"):
            effect: Any = call.effect
            called = effect.obj["metadata"]["name"] if verb == "Create" else effect.name
            if effect.kind == "Pod":
                found.append((call.at_s - START_S, verb, called))
    return found


def doomed_claims(world: World) -> list[str]:
    """Claims that are deleted, as far as nobody protects them."""
    found = (claim["metadata"] for claim in world.all("PersistentVolumeClaim"))
    return sorted(metadata["name"] for metadata in found if "deletionTimestamp" in metadata)


def test_pods_come_one_after_the_other_and_go_the_other_way_round() -> None:
    world = world_with(stateful_set())
    world.run_until(30)
    assert moves(world) == [(0, "Create", "s-0"), (5, "Create", "s-1"), (10, "Create", "s-2")]
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
    world.writes.clear()
    world.patch("StatefulSet", "s", {"spec": {"replicas": 1}})
    world.run_until(60)
    assert moves(world) == [(30, "Delete", "s-2"), (32, "Delete", "s-1")]
    assert "create Pod s-0 in StatefulSet s successful" in world.events("SuccessfulCreate")
    assert "delete Pod s-2 in StatefulSet s successful" in world.events("SuccessfulDelete")


def test_in_parallel_they_come_and_go_at_once() -> None:
    world = world_with(stateful_set(podManagementPolicy="Parallel"))
    world.run_until(10)
    assert [at for at, *_ in moves(world)] == [0, 0, 0]
    world.patch("StatefulSet", "s", {"spec": {"replicas": 0}})
    world.run_until(20)
    assert names(world) == []


def test_pods_know_who_they_are() -> None:
    world = world_with(stateful_set(1, ordinals={"start": 5}))
    world.run_until(10)
    (pod,) = world.all("Pod")
    assert pod["metadata"]["labels"] == {
        "app": "s",
        "apps.kubernetes.io/pod-index": "5",
        "statefulset.kubernetes.io/pod-name": "s-5",
        "controller-revision-hash": status(world)["updateRevision"],
    }
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("s-5", "web")


def test_an_update_goes_from_the_last_to_the_first() -> None:
    world = world_with(stateful_set())
    world.run_until(30)
    world.writes.clear()
    before = status(world)["updateRevision"]
    roll(world, "v2")
    world.run_until(36)
    assert (status(world)["currentRevision"], status(world)["currentReplicas"]) == (before, 2)
    assert status(world)["updateRevision"] != before
    world.run_until(100)
    deleted = [called for _, verb, called in moves(world) if verb == "Delete"]
    assert deleted == ["s-2", "s-1", "s-0"]
    assert set(images(world).values()) == {"v2"}
    assert status(world)["currentRevision"] == status(world)["updateRevision"] != before


def test_a_partition_keeps_the_first_as_they_are_even_when_they_are_made_anew() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    world = world_with(stateful_set(updateStrategy=rolling))
    world.run_until(30)
    roll(world, "v2")
    world.run_until(60)
    world.delete("Pod", "s-0")
    world.run_until(90)
    assert images(world) == {"s-0": "v1", "s-1": "v1", "s-2": "v2"}
    assert (status(world)["currentReplicas"], status(world)["updatedReplicas"]) == (2, 1)


def test_a_partition_counts_from_the_first_number() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    world = world_with(stateful_set(2, updateStrategy=rolling, ordinals={"start": 3}))
    world.run_until(30)
    roll(world, "v2")
    world.run_until(60)
    assert images(world) == {"s-3": "v1", "s-4": "v2"}


@pytest.mark.parametrize("policy", ["Parallel", "OrderedReady"])
def test_one_pod_at_a_time_is_updated_whatever_is_allowed(policy: str) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "70%"}}
    world = world_with(stateful_set(updateStrategy=rolling, podManagementPolicy=policy))
    world.run_until(30)
    assert world.all("StatefulSet")[0]["spec"]["updateStrategy"]["rollingUpdate"] == {
        "partition": 0
    }
    world.writes.clear()
    roll(world, "v2")
    world.run_until(31)
    assert moves(world) == [(30, "Delete", "s-2")]
    world.run_until(100)
    assert set(images(world).values()) == {"v2"}


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


def test_old_pods_that_never_serve_wait_for_the_last_one_to_serve() -> None:
    """As the real controller has it; nobody's turn comes before those after it serve."""
    never = stateful_set(podManagementPolicy="Parallel")
    never["spec"]["template"]["metadata"]["annotations"]["podium.dev/ready-after"] = "never"
    world = world_with(never)
    world.run_until(30)
    world.writes.clear()
    roll(world, "v2")
    world.run_until(100)
    assert [called for _, verb, called in moves(world) if verb == "Delete"] == ["s-2"]


def test_on_delete_waits_for_the_user() -> None:
    world = world_with(stateful_set(2, updateStrategy={"type": "OnDelete"}))
    world.run_until(30)
    roll(world, "v2")
    world.run_until(60)
    assert images(world) == {"s-0": "v1", "s-1": "v1"}
    world.delete("Pod", "s-0")
    world.run_until(90)
    assert images(world) == {"s-0": "v2", "s-1": "v1"}


def test_a_broken_update_stops_at_the_first_pod() -> None:
    world = world_with(stateful_set())
    world.run_until(30)
    never = {"metadata": {"annotations": {"podium.dev/ready-after": "never"}}}
    world.patch("StatefulSet", "s", {"spec": {"template": never}})
    world.run_until(300)
    stopped = [called for at, verb, called in moves(world) if verb == "Delete"]
    assert stopped == ["s-2"]
    assert status(world)["readyReplicas"] == 2


def test_pods_that_end_are_made_anew() -> None:
    world = world_with(stateful_set(1))
    world.run_until(30)
    world.patch("Pod", "s-0", {"status": {"phase": "Failed"}}, "status")
    before = world.get("Pod", "s-0")["metadata"]["uid"]
    world.run_until(60)
    assert world.get("Pod", "s-0")["metadata"]["uid"] != before
    assert world.events("RecreatingFailedPod") == [
        "StatefulSet default/s is recreating failed Pod s-0"
    ]


def test_the_next_waits_until_a_pod_has_been_ready_for_long_enough() -> None:
    world = world_with(stateful_set(2, minReadySeconds=10))
    world.run_until(14)
    assert (status(world)["readyReplicas"], status(world)["availableReplicas"]) == (1, 0)
    world.run_until(60)
    assert moves(world) == [(0, "Create", "s-0"), (15, "Create", "s-1")]


def test_claims_come_before_pods_and_stay() -> None:
    world = world_with(stateful_set(2, **CLAIMS), GarbageCollector)
    world.run_until(30)
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
    world.run_until(30)
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
    world.run_until(60)
    world.writes.clear()
    world.run_until(600)
    assert not [call for call in world.writes if call.who == "statefulset-controller"]


@pytest.mark.parametrize("seed", range(4))
def test_faults_and_restarts_leave_what_is_wanted(seed: int) -> None:
    trouble = Faults(
        refused=0.1,
        unanswered=0.1,
        slow=0.1,
        repeated=0.1,
        broken_watches=0.05,
        slow_watches=0.1,
        restarts=0.01,
    )
    world = world_with(stateful_set(**CLAIMS), faults=trouble, seed=seed)
    world.run_until(30)
    roll(world, "v2")
    world.run_until(100)
    world.driver.faults = NO_FAULTS
    world.run_until(600)
    assert images(world) == {"s-0": "v2", "s-1": "v2", "s-2": "v2"}
    assert status(world)["availableReplicas"] == 3
