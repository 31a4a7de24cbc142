"""Dependents go with their owners, in the way that the deletion asked for."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster.drivers.faults import Faults
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.replica_set import ReplicaSetController
from tests.controllers.builders import Obj
from tests.controllers.worlds import World
from tests.objects import workload


def config_map(name: str, *owners: Obj, **metadata: Any) -> Obj:
    references = {"ownerReferences": [reference(owner) for owner in owners]}
    place = {"name": name, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**place, **references, **metadata},
    }


def reference(owner: Obj, *, blocks: bool = True) -> Obj:
    named = {field: owner["metadata"][field] for field in ("name", "uid")}
    return {"apiVersion": "v1", "kind": "ConfigMap", **named, "blockOwnerDeletion": blocks}


def made(world: World, name: str, *owners: Obj, **metadata: Any) -> Any:
    world.create(config_map(name, *owners, **metadata))
    world.driver.advance(1)
    return world.get("ConfigMap", name)


def delete(world: World, name: str, propagation: str = "", kind: str = "ConfigMap") -> None:
    how = DeleteOptions(propagation=propagation)
    world.server.delete(Attributes(KINDS[kind], "default", name, world.driver.now_s), how)
    world.driver.advance(1)


def names(world: World, kind: str = "ConfigMap") -> list[str]:
    return [obj["metadata"]["name"] for obj in world.all(kind)]


def release(world: World, name: str, kind: str = "ConfigMap") -> None:
    held = world.get(kind, name)
    free = {**held, "metadata": {**held["metadata"], "finalizers": []}}
    world.server.replace(Attributes(KINDS[kind], "default", name, world.driver.now_s), free)
    world.driver.advance(1)


@pytest.fixture
def world() -> World:
    return World(GarbageCollector)


@pytest.mark.parametrize("propagation", ["", "Background"])
def test_dependents_go_after_their_owner(world: World, propagation: str) -> None:
    a = made(world, "a")
    b = made(world, "b", a)
    made(world, "c", b)
    assert names(world) == ["a", "b", "c"]
    delete(world, "a", propagation)
    assert names(world) == []


def test_who_has_another_owner_stays_and_forgets_the_first(world: World) -> None:
    a, b = made(world, "a"), made(world, "b")
    made(world, "c", a, b)
    delete(world, "a")
    (left,) = world.get("ConfigMap", "c")["metadata"]["ownerReferences"]
    assert left["name"] == "b"
    delete(world, "b")
    assert names(world) == []


def test_orphans_stay_without_their_owner(world: World) -> None:
    a = made(world, "a")
    made(world, "b", a)
    delete(world, "a", "Orphan")
    assert names(world) == ["b"]
    assert not world.get("ConfigMap", "b")["metadata"].get("ownerReferences")


def test_in_the_foreground_the_owner_goes_last(world: World) -> None:
    a = made(world, "a")
    b = made(world, "b", a)
    made(world, "c", b, finalizers=["example.com/hold"])
    delete(world, "a", "Foreground")
    assert names(world) == ["a", "b", "c"]
    assert all(world.get("ConfigMap", one)["metadata"]["deletionTimestamp"] for one in "abc")
    release(world, "c")
    assert names(world) == []


def test_dependents_that_do_not_block_are_not_waited_for(world: World) -> None:
    a = made(world, "a")
    references = [reference(a, blocks=False)]
    world.create(config_map("b", finalizers=["example.com/hold"], ownerReferences=references))
    delete(world, "a", "Foreground")
    assert names(world) == ["b"]
    assert world.get("ConfigMap", "b")["metadata"]["deletionTimestamp"]


def test_owners_in_a_circle_go_too(world: World) -> None:
    a = made(world, "a")
    b = made(world, "b", a)
    world.patch("ConfigMap", "a", {"metadata": {"ownerReferences": [reference(b)]}})
    world.driver.advance(1)
    delete(world, "a", "Foreground")
    world.driver.advance(60)
    assert names(world) == []


def test_an_owner_that_never_was_does_not_keep_anybody(world: World) -> None:
    nobody = {"metadata": {"name": "nobody", "uid": "no-such-uid"}}
    world.create(config_map("a", nobody))
    world.driver.advance(1)
    assert names(world) == []


def test_the_owner_is_known_by_its_uid(world: World) -> None:
    real = made(world, "a")
    another = {"metadata": {**real["metadata"], "uid": "another"}}
    world.create(config_map("b", another))
    world.driver.advance(1)
    assert names(world) == ["a"]


def test_owners_of_kinds_that_nobody_knows_keep_theirs(world: World) -> None:
    unknown = {"apiVersion": "example.com/v1", "kind": "Thing", "name": "t", "uid": "u"}
    world.create(config_map("a", ownerReferences=[unknown]))
    world.driver.advance(100)
    assert names(world) == ["a"]


def test_in_the_foreground_a_workload_outlives_its_pods() -> None:
    world = World(ReplicaSetController, GarbageCollector)
    world.create(workload("ReplicaSet", "web", replicas=3))
    world.driver.advance(5)
    delete(world, "web", "Foreground", kind="ReplicaSet")
    world.driver.advance(20)
    assert names(world, "ReplicaSet") == ["web"]
    world.driver.advance(20)
    assert (names(world, "ReplicaSet"), names(world, "Pod")) == ([], [])


def test_nobody_is_deleted_because_news_of_his_owner_are_late() -> None:
    late = Faults(slow_watches=0.7, slow_s=3.0)
    world = World(ReplicaSetController, GarbageCollector, faults=late)
    world.create(workload("ReplicaSet", "web", replicas=3))
    world.driver.advance(60)
    assert not [call for call in world.writes if type(call.effect).__name__ == "Delete"]
    assert len(names(world, "Pod")) == 3


def test_what_fails_is_tried_again() -> None:
    world = World(GarbageCollector, faults=Faults(refused=0.4))
    a = made(world, "a")
    b = made(world, "b", a)
    made(world, "c", b)
    delete(world, "a", "Foreground")
    world.driver.advance(120)
    assert names(world) == []
