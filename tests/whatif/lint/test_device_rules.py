"""What rules about devices know of v1.36 that an example on a page doesn't show."""

from typing import Any

import pytest

from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.linter import LintConfiguration, lint
from tests.device_objects import (
    DRIVER,
    GPU_CLASS,
    Obj,
    claim,
    claiming,
    device,
    device_class,
    exactly,
    first_available,
    resource_slice,
)
from tests.objects import node, pod, workload

H100 = f'device.attributes["{DRIVER}"].model == "h100"'
CORES = f'device.attributes["{DRIVER}"].cores > 8'
PUBLISHED = resource_slice("n1", [device("a", model="h100"), device("b", model="l4", cores=9)])
NODES = [node("n1"), node("n2")]


def findings(*objects: Obj) -> list[tuple[str, str, str]]:
    rules = {"no-device-selected", "device-selector-fails", "claim-never-met"}
    rules |= {"all-devices-shared", "claim-unused", "resource-of-several-classes"}
    report = lint(ClusterView(objects), LintConfiguration())
    return [(one.rule, one.name, one.message) for one in report.findings if one.rule in rules]


def rules(*objects: Obj) -> list[tuple[str, str]]:
    return [(rule, name) for rule, name, _ in findings(*objects)]


def test_nothing_is_said_of_selectors_without_slices() -> None:
    assert not findings(*NODES, GPU_CLASS, claim("c", exactly("r", H100)))


def test_a_class_is_reported_itself_and_not_by_its_claims() -> None:
    nothing, failing = device_class("gpu", "false"), device_class("gpu", CORES)
    asking = claim("c", exactly("r", H100))
    assert rules(PUBLISHED, nothing, asking) == [("no-device-selected", "gpu")]
    assert findings(PUBLISHED, failing, asking) == [
        (
            "device-selector-fails",
            "gpu",
            f"{CORES} fails on 1 device: CEL runtime error: no such key: cores",
        ),
    ]


def test_a_selector_isnt_evaluated_for_devices_that_an_earlier_one_keeps_out() -> None:
    l4 = f'device.attributes["{DRIVER}"].model == "l4"'
    assert not findings(PUBLISHED, GPU_CLASS, claim("c", exactly("r", l4, CORES)))
    assert rules(PUBLISHED, GPU_CLASS, claim("c", exactly("r", CORES, l4))) == [
        ("device-selector-fails", "c")
    ]


@pytest.mark.parametrize(
    ("requests", "is_found"),
    [
        ([exactly(count=2)], False),
        ([exactly(count=3)], True),
        ([exactly(), exactly("s", H100)], False),
        ([exactly("r", H100), exactly("s", H100)], True),
        ([first_available("r", exactly(count=3), exactly())], False),
        ([exactly(deviceClassName="gone")], True),
    ],
)
def test_claims_that_no_node_can_meet(requests: list[Obj], is_found: bool) -> None:
    found = rules(*NODES, PUBLISHED, GPU_CLASS, claim("c", *requests))
    assert found == ([("claim-never-met", "c")] if is_found else [])


def test_allocations_of_other_claims_dont_keep_a_claim_from_being_met() -> None:
    allocated = claim("held", exactly(count=2), allocation={"devices": {"results": []}})
    assert not findings(*NODES, PUBLISHED, GPU_CLASS, allocated, claim("c", exactly(count=2)))


@pytest.mark.parametrize(
    ("other", "is_found"),
    [
        (exactly("r", H100), True),
        (exactly("r", H100, adminAccess=True), False),
        (first_available("r", exactly("r", "false"), exactly()), True),
    ],
)
def test_all_devices_that_others_may_hold(other: Obj, is_found: bool) -> None:
    everything = exactly(allocationMode="All")
    found = rules(PUBLISHED, GPU_CLASS, claim("all", everything), claim("c", other))
    assert (("all-devices-shared", "all") in found) is is_found


def test_devices_that_several_claims_may_have_dont_keep_one_from_all_of_them() -> None:
    shared = resource_slice("n1", [{**device("a"), "allowMultipleAllocations": True}])
    everything = claim("all", exactly(allocationMode="All"))
    assert not findings(shared, GPU_CLASS, everything, claim("c", exactly()))


def test_claims_of_templates_of_workloads_and_of_controllers_are_used() -> None:
    uses = [{"name": "c", "resourceClaimName": "c"}]
    web = workload("Deployment", "web", template={"resourceClaims": uses})
    made: dict[str, Any] = claim("made", exactly())
    made["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p", "controller": True}
    ]
    claims = [claim("c", exactly()), claim("d", exactly()), made]
    assert rules(web, *claims) == [("claim-unused", "d")]
    assert not rules(web, claiming("p", "d"), *claims)


def test_a_resource_of_devices_isnt_missed_on_nodes() -> None:
    gpus = {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"x.io/gpu": "1"}}}]}
    objects = [*NODES, pod("p", **gpus)]

    def found(*more: Obj) -> bool:
        report = lint(ClusterView([*objects, *more]), LintConfiguration())
        return any(one.rule == "requests-above-nodes" for one in report.findings)

    assert found()
    assert not found(device_class("gpu", extendedResourceName="x.io/gpu"))
