"""What the scheduler assumes of volumes between Reserve and the watch's answer."""

from collections.abc import Mapping
from typing import Any

import pytest

from podium.machines.effects import Bind, Effect, Patch, Replace
from tests.scheduler.machine.builders import done, failed, pod
from tests.scheduler.machine.test_scheduler_machine import Hand, node, of
from tests.scheduler.plugins import volumes
from tests.scheduler.plugins.volumes import Object, claim, persistent_volume, storage_class

SELECTED = "volume.kubernetes.io/selected-node"
LOCAL = storage_class("local", "kubernetes.io/no-provisioner")


def versioned(obj: Object, version: int) -> dict[str, Any]:
    namespace = {"namespace": "default"} if obj["kind"] == "PersistentVolumeClaim" else {}
    metadata = {**obj["metadata"], **namespace, "resourceVersion": str(version)}
    return {**obj, "metadata": metadata}


def using(name: str, claim_name: str) -> dict[str, Any]:
    made = pod(name)
    volume = {"name": "v", **volumes.uses(claim_name)}
    return {**made, "spec": {**made["spec"], "volumes": [volume]}}


def bound(told: Mapping[str, Any], volume: str, version: int) -> dict[str, Any]:
    """A claim as it comes back once it is bound."""
    marks = {**told["metadata"]["annotations"], "pv.kubernetes.io/bind-completed": "yes"}
    spec = {**told["spec"], "volumeName": volume}
    return versioned(
        {**told, "metadata": {**told["metadata"], "annotations": marks}, "spec": spec}, version
    )


def started(*objects: Object) -> Hand:
    hand = Hand()
    versions = (versioned(obj, number) for number, obj in enumerate(objects, 1))
    hand.start(node("n1"), node("n2"), *versions)
    return hand


def wake(hand: Hand, at_s: float | None = None) -> list[Effect]:
    """What the scheduler wants, once what it writes about pods has been written."""
    effects = hand.wake(at_s)
    for patch in of(effects, Patch):
        effects += hand.answer(done(patch))
    return effects


def bindings(effects: list[Effect]) -> dict[str, str]:
    return {effect.name: effect.node_name for effect in of(effects, Bind)}


def test_a_volume_that_is_being_bound_isnt_offered_to_another_claim() -> None:
    hand = started(
        LOCAL,
        persistent_volume("v1", "local", hosts=["n1"]),
        *(claim("a", "local"), claim("b", "local")),
    )
    hand.tell("Pod", using("one", "a"))
    (write,) = of(wake(hand), Replace)
    assert write.obj["spec"]["claimRef"]["name"] == "a"
    assert write.obj["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
    hand.tell("Pod", using("two", "b"))
    assert of(wake(hand), Replace) == []
    # A version that is told once more changes nothing.
    hand.tell("PersistentVolume", hand.objects["PersistentVolume", "v1"])
    assert of(wake(hand, 600), Replace) == []


@pytest.mark.parametrize("reason", ["Conflict", "InternalError"])
def test_a_write_that_fails_gives_the_volume_back(reason: str) -> None:
    hand = started(
        LOCAL,
        persistent_volume("v1", "local", hosts=["n1"]),
        *(claim("a", "local"), claim("b", "local")),
    )
    hand.tell("Pod", using("one", "a"))
    (write,) = of(wake(hand), Replace)
    hand.answer(failed(write, reason, 409))
    hand.tell_gone("Pod", "one")
    hand.tell("Pod", using("two", "b"))
    (write,) = of(wake(hand), Replace)
    assert write.obj["spec"]["claimRef"]["name"] == "b"


def test_a_second_pod_waits_for_the_claim_that_the_first_one_has_had_made() -> None:
    hand = started(storage_class("made"), claim("data", "made"))
    hand.tell("Pod", using("one", "data"))
    (first,) = of(wake(hand), Replace)
    node_name = first.obj["metadata"]["annotations"][SELECTED]
    hand.tell("Pod", using("two", "data"))
    effects = wake(hand)
    (second,) = of(effects, Replace)
    assert second.obj["metadata"]["annotations"][SELECTED] == node_name
    assert bindings(effects) == {}
    written = versioned(first.obj, 11)
    hand.answer(done(first, written))
    hand.answer(done(second, written))
    hand.tell("PersistentVolumeClaim", written)
    assert bindings(wake(hand, 1)) == {}
    hand.tell(
        "PersistentVolume", versioned(persistent_volume("made", "made", hosts=[node_name]), 12)
    )
    hand.tell("PersistentVolumeClaim", bound(written, "made", 13))
    assert bindings(wake(hand, 2)) == {"one": node_name, "two": node_name}


def test_a_binding_that_fails_leaves_what_is_bound_by_now() -> None:
    """The claim is bound for good: the pod can go only where its volume is."""
    hand = started(
        LOCAL,
        *(persistent_volume(f"v{number}", "local", hosts=[f"n{number}"]) for number in (1, 2)),
        claim("data", "local"),
    )
    hand.tell("Pod", using("one", "data"))
    (write,) = of(wake(hand), Replace)
    (host,) = (name for name in ("n1", "n2") if write.obj["metadata"]["name"] == f"v{name[1]}")
    written = versioned(write.obj, 11)
    hand.answer(done(write, written))
    hand.tell("PersistentVolume", written)
    told = hand.objects["PersistentVolumeClaim", "data"]
    hand.tell("PersistentVolumeClaim", bound(told, write.obj["metadata"]["name"], 12))
    (binding,) = of(wake(hand, 1), Bind)
    for patch in of(hand.answer(failed(binding)), Patch):
        hand.answer(done(patch))
    (again,) = of(wake(hand, 60), Bind)
    assert again.node_name == host
