"""As many pods as are wanted, no more, no less."""

from functools import partial
from typing import Any

import pytest

from podium.controllers.replica_set import ReplicaSetController
from podium.machines.effects import Create, Patch
from podium.machines.events import Change
from tests import objects
from tests.controllers.builders import Hand, Obj, pod
from tests.controllers.worlds import World
from tests.objects import workload


def replica_set(replicas: int = 2, **fields: Any) -> Obj:
    made = workload("ReplicaSet", "a", uid="uid-r", replicas=replicas, **fields)
    made["metadata"] |= {"name": "r", "generation": 1}
    return made


def owned(name: str, **fields: Any) -> Obj:
    reference = {"kind": "ReplicaSet", "name": "r", "uid": "uid-r", "controller": True}
    return pod(name, labels={"app": "a"}, ownerReferences=[reference], **fields)


@pytest.fixture
def hand() -> Hand:
    return Hand(ReplicaSetController())


def test_nothing_is_created_twice_while_outcomes_are_outstanding(hand: Hand) -> None:
    hand.start(replica_set(2))
    creates = [e for e in hand.wake() if isinstance(e, Create)]
    hand.tell(replica_set(2))
    assert hand.wake() == []
    hand.carry_out(creates[0])
    assert not any(isinstance(e, Create) for e in hand.wake())


def test_orphans_are_adopted_and_strangers_released(hand: Hand) -> None:
    orphan = pod("orphan", labels={"app": "a"})
    stranger = owned("stranger")
    stranger["metadata"]["labels"] = {"app": "b"}
    hand.start(replica_set(1), orphan, stranger)
    patches = [e for e in hand.wake() if isinstance(e, Patch) and e.kind == "Pod"]
    by_name = {e.name: e.body["metadata"]["ownerReferences"][0] for e in patches}
    assert by_name["orphan"]["uid"] == "uid-r"
    assert by_name["stranger"] == {"$patch": "delete", "uid": "uid-r"}


def test_a_refusal_is_told_and_tried_again_with_one_pod(hand: Hand) -> None:
    hand.start(replica_set(3))
    for effect in hand.wake():
        (hand.refuse if isinstance(effect, Create) else hand.carry_out)(effect)
    assert hand.events == ["Error creating: Forbidden happened"] * 3
    again = hand.wake(60)
    assert sum(isinstance(e, Create) for e in again) == 1


def test_news_of_a_pod_that_counts_as_before_concern_no_replica_set(hand: Hand) -> None:
    hand.start(replica_set(1), owned("a"))
    hand.run()
    before = hand.objects["Pod", "a"]
    annotated = owned("a", annotations={"note": "new"})
    controller = hand.machine
    assert isinstance(controller, ReplicaSetController)
    assert [*controller.keys_of(Change("Pod", before, annotated), before)] == []
    ready = owned("a", ready=True)
    assert {*controller.keys_of(Change("Pod", before, ready), before)} == {("default", "r")}


def test_a_loaded_replica_set_rests_while_another_of_its_selector_comes() -> None:
    controller = ReplicaSetController()
    controller.leave({"uid-r"})
    hand = Hand(controller)
    hand.start(replica_set(1))
    assert hand.run() == []
    other = replica_set(1)
    other["metadata"] |= {"name": "other", "uid": "uid-other", "labels": {"app": "a"}}
    hand.tell(other)
    owners = [e.obj["metadata"]["ownerReferences"] for e in hand.run() if isinstance(e, Create)]
    assert [owner["name"] for (owner,) in owners] == ["other"]


def test_a_replication_controller_does_the_same() -> None:
    world = World(partial(ReplicaSetController, "ReplicationController"))
    made = workload("ReplicationController", "r", replicas=2, selector=None)
    world.create({**made, "apiVersion": "v1"})
    world.run_until(1)
    assert len(world.all("Pod")) == 2
    status = world.get("ReplicationController", "r")["status"]
    assert (status["availableReplicas"], status["observedGeneration"]) == (2, 1)
    assert "terminatingReplicas" not in status
    world.patch("ReplicationController", "r", {"spec": {"replicas": 0}})
    world.run_until(60)
    assert world.all("Pod") == []
    notes = world.events("SuccessfulCreate", "SuccessfulDelete")
    assert sorted(note.split()[0] for note in notes) == ["Created", "Created", "Deleted", "Deleted"]


def test_a_pod_that_comes_to_match_later_is_adopted() -> None:
    world = World(ReplicaSetController)
    fresh = replica_set(1)
    del fresh["metadata"]["uid"]
    world.create(fresh)
    world.create(objects.pod("bare", app="b"))
    world.run_until(10)
    assert len(world.all("Pod")) == 2
    world.patch("Pod", "bare", {"metadata": {"labels": {"app": "a"}}})
    world.run_until(60)
    (left,) = world.all("Pod")
    assert left["metadata"]["ownerReferences"][0]["name"] == "r"
    world.patch("Pod", left["metadata"]["name"], {"metadata": {"labels": {"app": "c"}}})
    world.run_until(70)
    assert len(world.all("Pod")) == 2
    assert not world.get("Pod", left["metadata"]["name"])["metadata"].get("ownerReferences")
