"""Reservations of claims for devices that are taken back, as their pod isn't bound."""

from podium.machines.effects import Bind, Effect, Patch
from tests.device_objects import claim, device, device_class, exactly, resource_slice
from tests.scheduler.machine.builders import done, failed, pod
from tests.scheduler.machine.test_scheduler_machine import Hand, node, of


def claim_patches(effects: list[Effect]) -> list[Patch]:
    return [patch for patch in of(effects, Patch) if patch.kind == "ResourceClaim"]


def test_a_reservation_that_is_answered_after_its_binding_has_failed_is_taken_back() -> None:
    claims, hand = [claim(name, exactly()) for name in "xy"], Hand()
    devices = resource_slice("n1", [device("gpu-0"), device("gpu-1")])
    hand.start(node("n1"), device_class("gpu"), devices, *claims)
    using = pod("p")
    using["spec"]["resourceClaims"] = [{"name": n, "resourceClaimName": n} for n in "xy"]
    hand.tell("Pod", using)
    patches = claim_patches(hand.wake())
    x, y = (patch for patch in patches if patch.subresource == "status")
    written = {**claims[0], "status": x.body["status"]}
    assert not of(hand.answer(done(x, written)), Bind)
    (undone,) = claim_patches(hand.answer(failed(y)))
    gone = [{"$patch": "delete", "uid": "uid-p"}]
    assert (undone.name, undone.body["status"]) == ("x", {"reservedFor": gone})
    # The finalizers were sent as well, and change no reservations.
    for patch in patches:
        if not patch.subresource:
            effects = hand.answer(done(patch, written if patch.name == "x" else claims[1]))
            assert [one.name for one in claim_patches(effects)] == ["x"] * (patch.name == "x")
