"""Each eviction resource is complete: what is derived from its record exists."""

import pytest

from podium.api.nodes import PRESSURES
from podium.controllers.node_lifecycle.node_lifecycle_controller import no_schedule_patch
from podium.kubelet.eviction.node_statistics import DiskUsage, PodUsage
from podium.kubelet.eviction.signals import (
    CAPACITY_SIGNALS,
    PRESSURE_CONDITIONS,
    RESOURCES,
    EvictionResource,
    Signal,
)
from podium.kubelet.node_status import changed_conditions
from podium.kubelet.simulated.behaviour import PREFIX
from podium.kubelet.simulated.scripted_usage import USAGE, usage_of
from podium.whatif.plan.resource_pressure import with_usage


@pytest.mark.parametrize("signal", list(Signal))
def test_a_resource_can_be_measured_and_scripted(signal: Signal) -> None:
    starved = signal.starved
    assert hasattr(DiskUsage() if starved.is_disk else PodUsage(), starved.usage)
    note = {f"{PREFIX}usage-{starved.annotation}": "1"}
    assert starved.annotation in usage_of({"metadata": {"annotations": note}}).curves


@pytest.mark.parametrize("resource", [one for one in RESOURCES if one.is_requestable])
def test_what_pods_can_request_has_a_signal_by_its_capacity(resource: EvictionResource) -> None:
    assert resource in [signal.starved for signal in CAPACITY_SIGNALS]
    pod = {
        "metadata": {},
        "spec": {"containers": [{"resources": {"requests": {resource.name: 3}}}]},
    }
    assert with_usage(pod, RESOURCES)["metadata"]["annotations"][USAGE + resource.annotation] == "3"


def test_signals_are_looked_after_in_the_order_of_their_definition() -> None:
    assert [signal.rank for signal in Signal] == list(range(len(Signal)))


@pytest.mark.parametrize("kind", PRESSURES)
def test_a_condition_of_pressure_has_words_and_a_taint(kind: str) -> None:
    (condition,) = [
        one for one in changed_conditions({}, {kind: "True"}, 0.0) if one["type"] == kind
    ]
    assert condition["reason"] == f"KubeletHas{PRESSURE_CONDITIONS[kind].present[0]}"
    node = {"metadata": {"name": "n"}, "status": {"conditions": [condition]}}
    patch = no_schedule_patch(node, 0.0)
    assert patch is not None
    assert len(patch.body["spec"]["taints"]) == 1
