"""Which devices keep a pod off a node, and why each of them does."""

from typing import Any

from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.device_objects import (
    DRIVER,
    GPU_CLASS,
    allocation,
    claim,
    claiming,
    device,
    exactly,
    first_available,
    resource_slice,
)
from tests.objects import node

USER = {"resource": "pods", "name": "old", "uid": "uid-old"}
TAINT = {"key": "sick", "effect": "NoSchedule"}
NEEDS_ONE = "request r of claim c needs 1 device of class gpu"


def explained(*state: Any, pod: Any = None) -> PodExplanation:
    objects = [node("n1"), GPU_CLASS, *state, pod or claiming("new", "c")]
    return explain_pod(PlanRequest(LoadedState(objects)), "default/new")


def details(*state: Any) -> list[str]:
    (view,) = explained(*state).decisions
    return [text for one in view.obstacles for text in one.details]


def held(*devices: str, name: str = "old", **more: Any) -> list[Any]:
    """A pod on n1 and its claim that has devices."""
    status = {"allocation": allocation(*devices, **more), "reservedFor": [USER]}
    return [claiming("old", name, nodeName="n1"), claim(name, exactly(), **status)]


def test_the_pod_and_claim_that_hold_a_device_are_named() -> None:
    slices = resource_slice("n1", [device("a")])
    assert details(slices, *held("n1/a"), claim("c", exactly())) == [
        f"{NEEDS_ONE}: 1 is selected, 0 free",
        "a: held by default/old, priority 0 (claim old)",
    ]


def test_the_false_part_of_a_selector_is_told_with_the_value_it_saw() -> None:
    model, memory = f'device.attributes["{DRIVER}"].model', f'device.capacity["{DRIVER}"].memory'
    large = f'{memory}.compareTo(quantity("80Gi")) >= 0'
    slices = resource_slice("n1", [device("a", {"memory": "40Gi"}, model="x")])
    asked = claim("c", exactly("r", f'{model} == "x" && {large}'))
    assert details(slices, asked)[1:] == [
        f'a: claim c: selector #0 wants {large}; memory is "40Gi"'
    ]
    foreign = resource_slice("n1", [device("a")], driver="nic.example.com")
    assert details(foreign, claim("c", exactly()))[1:] == [
        f'a: class gpu: selector #0 wants device.driver == "{DRIVER}"; driver is "nic.example.com"'
    ]


def test_an_error_in_cel_is_told_with_its_expression_and_devices() -> None:
    expression = f'device.attributes["{DRIVER}"].modle == "x"'
    slices = resource_slice("n1", [device("a", model="x"), device("b", model="y")])
    explanation = explained(slices, claim("c", exactly("r", expression)))
    (obstacle,) = explanation.decisions[0].obstacles
    assert obstacle.code == "Error"
    assert obstacle.details[1:] == (
        f"a, b: claim c: selector #0 fails at 1:37 in {expression}: no such key: modle",
    )


def test_taints_of_devices_are_told() -> None:
    slices = resource_slice("n1", [{**device("a"), "taints": [TAINT]}])
    explanation = explained(slices, claim("c", exactly()))
    (obstacle,) = explanation.decisions[0].obstacles
    assert obstacle.details[1:] == ("a: taint sick:NoSchedule isn't tolerated",)
    (remedy,) = explanation.remedies
    assert (remedy.kind, remedy.node) == ("Toleration", "n1")
    assert remedy.change == "tolerate sick:NoSchedule of devices in its claims"


def test_a_counter_is_told_with_what_is_left_and_who_took_it() -> None:
    def part(name: str) -> Any:
        consumed = {"counterSet": "card", "counters": {"memory": {"value": "30Gi"}}}
        return {**device(name), "consumesCounters": [consumed]}

    sets = [{"name": "card", "counters": {"memory": {"value": "40Gi"}}}]
    counters = resource_slice("n1-c", [], pool="n1", count=2, sharedCounters=sets)
    devices = resource_slice("n1", [part("a"), part("b")], count=2)
    explanation = explained(counters, devices, *held("n1/a"), claim("c", exactly()))
    (obstacle,) = explanation.decisions[0].obstacles
    assert obstacle.details[1:] == (
        "a: held by default/old, priority 0 (claim old)",
        "b: counter card/memory has 10Gi left of 40Gi (a: held by default/old, priority 0 "
        "(claim old)), it takes 30Gi",
    )
    assert [one.change for one in explanation.remedies] == [
        "delete default/old, and so free its devices",
        "one more node like n1",
    ]


def test_what_is_left_of_a_shared_device_is_told() -> None:
    shared = {**device("a", {"memory": "40Gi"}), "allowMultipleAllocations": True}
    asked = exactly("r", capacity={"requests": {"memory": "30Gi"}})
    share = {"shareID": "11111111-1111-1111-1111-111111111111"}
    taken = held("n1/a", **share, consumedCapacity={"memory": "20Gi"})
    assert details(resource_slice("n1", [shared]), *taken, claim("c", asked))[1:] == [
        "a: memory has 20Gi left of 40Gi, 30Gi is needed"
    ]


def test_requests_that_only_fail_together_are_told_with_the_attribute_that_has_to_match() -> None:
    slices = resource_slice("n1", [device("a", numa=0), device("b", numa=1)])
    match = [{"matchAttribute": f"{DRIVER}/numa"}]
    assert details(slices, claim("c", exactly("r", count=2), constraints=match)) == [
        "each request could be met alone, but not all together",
        "request r needs 2 of a, b",
        f"claim c wants devices with the same {DRIVER}/numa: a has 0, b has 1",
    ]


def test_an_alternative_that_cant_be_met_is_left_away_where_another_can() -> None:
    slices = resource_slice("n1", [device("a")])
    either = first_available("r", exactly(count=2), exactly())
    assert details(slices, claim("c", either, exactly("s"))) == [
        "each request could be met alone, but not all together",
        "request r/a1 needs 1 of a",
        "request s needs 1 of a",
    ]
    assert details(slices, *held("n1/a"), claim("c", either))[::2] == [
        "request r/a0 of claim c needs 2 devices of class gpu: 1 is selected, 0 free",
        "request r/a1 of claim c needs 1 device of class gpu: 1 is selected, 0 free",
    ]


def test_slices_of_an_older_generation_and_incomplete_pools_are_told() -> None:
    old = resource_slice("n1", [device("a")])
    new = resource_slice("n1-new", [device("b")], pool="n1", count=2, generation=2)
    assert details(old, new, claim("c", exactly())) == [
        f"pool {DRIVER}/n1 is incomplete: generation 2 has 1 of 2 slices",
        f"slice n1 of pool {DRIVER}/n1 is of generation 1, and doesn't count, as generation 2 is "
        "there",
        "the node reaches no devices",
    ]


def test_the_node_that_holds_a_shared_claim_is_told() -> None:
    on_n1 = held("n1/a", name="c", node="n1")
    large = {"resources": {"requests": {"cpu": "100"}}}
    pod = claiming("new", "c", containers=[{"name": "c", "image": "i", **large}])
    slices = resource_slice("n1", [device("a")])
    (view,) = explained(slices, node("n2"), *on_n1, pod=pod).decisions
    found = [one for one in view.obstacles if one.plugin == "DynamicResources"]
    assert [(one.node, one.details) for one in found] == [
        (
            "n2",
            (
                f"claim c has {DRIVER}/n1/a, used by default/old on n1, and asks for a node whose "
                "name is metadata.name=n1",
            ),
        )
    ]
