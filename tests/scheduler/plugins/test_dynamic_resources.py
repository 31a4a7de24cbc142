"""DynamicResources: which devices pods get, on which nodes, and why they don't.

What recorded decisions show (tests/conformance/test_claims.py) isn't repeated here.
"""

from typing import Any

import pytest

from podium.machines.effects import Patch
from podium.scheduler.config.load import load_configuration
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.framework.interface import PreBindProgress
from podium.scheduler.framework.status import Code
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.scheduler import Scheduler
from tests.device_objects import (
    DRIVER,
    GPU_CLASS,
    Obj,
    allocation,
    claim,
    claiming,
    device,
    device_class,
    exactly,
    first_available,
    resource_slice,
)
from tests.scheduler.plugins.small_cluster import node, requesting

RARE = f'device.attributes["{DRIVER}"].rare == "x"'
PROFILE = "default-scheduler"


def cluster(*others: Obj, nodes: str = "ab", **allocatable: str) -> Scheduler:
    scheduler = Scheduler(every_node=True)
    has = {"cpu": "8", "memory": "8Gi", "pods": "10", **allocatable}
    scheduler.load([node(name, **has) for name in nodes], [], [GPU_CLASS, *others])
    return scheduler


def plugin_of(scheduler: Scheduler) -> DynamicResources:
    (found,) = (p for p in scheduler.pipelines[PROFILE].reserve if isinstance(p, DynamicResources))
    return found


def decided(scheduler: Scheduler, pod: Obj) -> str:
    """The pod's node with its devices, or the message of the decision."""
    info = scheduler.pending(pod)
    decision = scheduler.decide(info)
    if not decision.node_name:
        return failure_message(decision, scheduler.snapshot)
    allocated = plugin_of(scheduler).allocations(info, decision.node_name)
    found = {claim["metadata"]["name"]: devices for claim, devices in allocated}
    devices = [
        f"{one['request']}={one['device']}"
        for allocated in found.values()
        for one in allocated["devices"]["results"]
    ]
    return " ".join([decision.node_name, *devices])


def committed(scheduler: Scheduler, pod: Obj) -> str:
    answer, info = decided(scheduler, pod), scheduler.pending(pod)
    node_name = answer.partition(" ")[0]
    status = scheduler.commit(info, node_name, PROFILE)
    return answer if status.is_success else status.message


@pytest.mark.parametrize(
    ("kind", "expected"), [("MostAllocated", "aaabbb"), ("LeastAllocated", "ababab")]
)
def test_a_scoring_strategy_counts_devices_of_extended_resources(kind: str, expected: str) -> None:
    strategy = {"type": kind, "resources": [{"name": "example.com/gpu", "weight": 1}]}
    arguments = {"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    document = {**head, "profiles": [{"pluginConfig": [arguments]}]}
    names = plugin_factories().keys()
    configuration = load_configuration([document], names).configuration
    scheduler = Scheduler(configuration, every_node=True)
    has = {"cpu": "8", "memory": "8Gi", "pods": "10"}
    devices = [device(f"g{number}") for number in range(3)]
    gpu = device_class("gpu", extendedResourceName="example.com/gpu")
    slices = [resource_slice(name, devices) for name in "ab"]
    scheduler.load([node(name, **has) for name in "ab"], [], [gpu, *slices])
    places = ""
    for number in range(6):
        obj = requesting(f"p-{number}", **{"example.com/gpu": "1"})
        obj["metadata"]["uid"] = f"uid-{number}"
        info = scheduler.pending(obj)
        places += scheduler.decide(info).node_name
        assert scheduler.commit(info, places[-1], PROFILE).is_success
    assert places == expected


def test_profiles_leave_each_other_devices_that_are_being_allocated() -> None:
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    profiles = [{"schedulerName": "one"}, {"schedulerName": "two"}]
    configuration = load_configuration([{**head, "profiles": profiles}], ()).configuration
    scheduler = Scheduler(configuration, every_node=True)
    has = {"cpu": "8", "memory": "8Gi", "pods": "10"}
    claims = [claim("x", exactly()), claim("y", exactly())]
    scheduler.load(
        [node("a", **has)], [], [GPU_CLASS, resource_slice("a", [device("g0")]), *claims]
    )
    first, second = (scheduler.pending(claiming(name, name)) for name in "xy")
    assert scheduler.decide(first, "one").node_name == "a"
    assert scheduler.binding["one"].reserve(first, "a").is_success
    assert not scheduler.decide(second, "two").node_name
    # Decisions that were made before are refused at the latest when devices are reserved.
    assert not scheduler.binding["two"].reserve(second, "a").is_success
    scheduler.binding["one"].unreserve(first, "a")
    assert scheduler.decide(second, "two").node_name == "a"


def test_devices_that_were_given_away_are_gone_until_their_claim_is_deallocated() -> None:
    claims = [claim(name, exactly(count=2)) for name in "xyz"]
    scheduler = cluster(
        *(resource_slice(name, [device(f"gpu-{n}") for n in range(2)]) for name in "ab"), *claims
    )
    assert committed(scheduler, claiming("p", "x")) == "a r=gpu-0 r=gpu-1"
    assert committed(scheduler, claiming("q", "y")) == "b r=gpu-0 r=gpu-1"
    assert "2 cannot allocate all claims" in decided(scheduler, claiming("r", "z"))
    scheduler.listers.set(claim("x", exactly(count=2)))
    assert decided(scheduler, claiming("r", "z")) == "a r=gpu-0 r=gpu-1"


def test_an_allocation_that_is_under_way_holds_devices_and_its_claim_back() -> None:
    scheduler = cluster(
        resource_slice("a", [device("gpu-0")]), claim("x", exactly()), claim("y", exactly())
    )
    pod, plugin = scheduler.pending(claiming("p", "x")), plugin_of(scheduler)
    assert scheduler.decide(pod).node_name == "a"
    assert plugin.reserve(pod, "a").is_success
    waits = "resource claim default/x is in the process of being allocated"
    assert waits in decided(scheduler, claiming("q", "x"))
    assert "2 cannot allocate all claims" in decided(scheduler, claiming("q", "y"))
    plugin.unreserve(pod, "a")
    assert decided(scheduler, claiming("q", "y")) == "a r=gpu-0"


def test_a_shared_claim_keeps_its_pods_on_its_node_and_has_a_limit_of_them() -> None:
    consumers = [{"resource": "pods", "name": f"p{n}", "uid": f"uid-p{n}"} for n in range(255)]
    shared = claim("x", exactly(), allocation=allocation("b/gpu-0", node="b"))
    shared["status"]["reservedFor"] = consumers
    scheduler = cluster(resource_slice("b", [device("gpu-0")]), shared)
    assert committed(scheduler, claiming("q", "x")) == "b"
    limit = "status.reservedFor: must have at most 256 items"
    assert limit in committed(scheduler, claiming("r", "x"))


@pytest.mark.parametrize(
    ("pod", "claims", "reason"),
    [
        (claiming("p", "x"), [], 'resourceclaim.resource.k8s.io "x" not found'),
        (
            claiming("p", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}]),
            [],
            'pod "default/p": ResourceClaim not created yet',
        ),
        (
            claiming("p", resourceClaims=[{"name": "g"}]),
            [],
            'pod "default/p", spec.resourceClaim "g": none of the supported fields are set',
        ),
    ],
)
def test_pods_are_gated_while_a_claim_is_missing(pod: Obj, claims: list[Obj], reason: str) -> None:
    scheduler = cluster(*claims)
    decision = scheduler.decide(scheduler.pending(pod))
    assert decision.gate is not None
    assert decision.gate.reasons == (reason,)


def test_a_claim_of_a_template_has_to_be_the_pod_s_own() -> None:
    pod = claiming("p", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}])
    pod["status"] = {"resourceClaimStatuses": [{"name": "g", "resourceClaimName": "x"}]}
    scheduler = cluster(resource_slice("a", [device("gpu-0")]), made := claim("x", exactly()))
    gate = scheduler.decide(scheduler.pending(pod)).gate
    foreign = "ResourceClaim default/x was not created for Pod default/p (Pod is not owner)"
    assert gate is not None
    assert gate.reasons == (foreign,)
    owner = {"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}
    scheduler.listers.set({**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}})
    assert decided(scheduler, pod) == "a r=gpu-0"


def test_classes_that_do_not_exist_and_requests_of_unknown_types_are_refused() -> None:
    other = exactly()
    other["exactly"]["deviceClassName"] = "nic"
    scheduler = cluster(claim("x", other), claim("y", {"name": "r"}))
    missing = "0/2 nodes are available: request r: device class nic does not exist."
    assert decided(scheduler, claiming("p", "x")).startswith(missing)
    unknown = "resource claim default/y, request r: unknown request type"
    assert unknown in decided(scheduler, claiming("p", "y"))
    scheduler.listers.set(device_class("nic"))
    assert "cannot allocate all claims" in decided(scheduler, claiming("p", "x"))


def test_only_a_device_that_is_looked_at_can_fail_the_cycle() -> None:
    """A node that other filters refuse isn't, nor is a device after the one that is taken."""
    with_rare, without = device("gpu-0", rare="x"), device("gpu-1")
    slices = [resource_slice("a", [with_rare, without]), resource_slice("b", [without])]
    scheduler = cluster(*slices, claim("x", exactly("r", RARE)), claim("y", exactly("r", RARE)))
    only_a = claiming("p", "x", nodeSelector={"zone": "a"})
    error = 'running "DynamicResources" filter plugin: claim default/x: selector #0: CEL runtime '
    assert decided(scheduler, claiming("p", "x")) == f"{error}error: no such key: rare"
    labelled = node("a", {"zone": "a"}, cpu="8", memory="8Gi", pods="10")
    scheduler.snapshot.set_node(labelled)
    assert decided(scheduler, only_a) == "a r=gpu-0"


def test_selectors_that_are_not_cel_fail_the_cycle_by_name() -> None:
    scheduler = cluster(resource_slice("a", [device("gpu-0")]), claim("x", exactly("r", "1 +")))
    failed = "CEL compile error: compilation failed: ERROR: <input>:1:4: Syntax error: unexpected"
    compiled = f"claim default/x: selector #0: {failed}"
    assert compiled in decided(scheduler, claiming("p", "x"))


def test_the_earlier_an_alternative_the_higher_a_node_scores() -> None:
    model = f'device.attributes["{DRIVER}"].model == "{{}}"'
    wanted = first_available(
        "r", exactly("r", model.format("best")), exactly("r", model.format("good"))
    )
    slices = [
        resource_slice("a", [device("gpu-0", model="good")]),
        resource_slice("b", [device("gpu-0", model="best")]),
    ]
    scheduler = cluster(*slices, claim("x", wanted))
    assert decided(scheduler, claiming("p", "x")) == "b r/a0=gpu-0"
    scheduler.listers.set(claim("y", exactly(), allocation=allocation("b/gpu-0")))
    assert decided(scheduler, claiming("p", "x")) == "a r/a1=gpu-0"


def test_a_device_s_capacity_is_shared_up_to_its_last_step() -> None:
    policy = {"default": "4Gi", "validRange": {"min": "2Gi", "step": "2Gi", "max": "8Gi"}}
    shared = device("gpu-0", {"memory": "10Gi"})
    shared["capacity"]["memory"]["requestPolicy"] = policy
    shared["allowMultipleAllocations"] = True
    wanted = {name: exactly() for name in "xyz"}
    wanted["y"]["exactly"]["capacity"] = {"requests": {"memory": "3Gi"}}
    wanted["z"]["exactly"]["capacity"] = {"requests": {"memory": "3Gi"}}
    scheduler = cluster(
        resource_slice("a", [shared]), *(claim(name, one) for name, one in wanted.items())
    )
    for pod, name, amount in (("p", "x", "4Gi"), ("q", "y", "4Gi")):
        committed(scheduler, claiming(pod, name))
        stored = scheduler.listers.get("ResourceClaim", name, "default")
        assert stored is not None
        (result,) = stored["status"]["allocation"]["devices"]["results"]
        assert result["consumedCapacity"] == {"memory": amount}
        assert result["shareID"]
    assert "cannot allocate all claims" in decided(scheduler, claiming("r", "z"))


def test_admin_access_takes_nothing_and_is_stopped_by_nothing() -> None:
    scheduler = cluster(
        resource_slice("a", [device("gpu-0")]),
        claim("x", exactly(), allocation=allocation("a/gpu-0")),
        claim("y", exactly("r", adminAccess=True)),
        claim("z", exactly("r", adminAccess=True)),
    )
    assert committed(scheduler, claiming("p", "y")) == "a r=gpu-0"
    assert committed(scheduler, claiming("q", "z")) == "a r=gpu-0"


def test_taints_keep_claims_off_that_do_not_tolerate_them() -> None:
    sick = {"key": "sick", "value": "yes", "effect": "NoSchedule"}
    tainted = {**device("gpu-0"), "taints": [sick]}
    noted = {**device("gpu-1"), "taints": [{**sick, "effect": "None"}]}
    tolerating = exactly("r", tolerations=[{"key": "sick", "operator": "Exists"}])
    scheduler = cluster(
        resource_slice("a", [tainted, noted]), claim("x", exactly()), claim("y", tolerating)
    )
    assert decided(scheduler, claiming("p", "x")) == "a r=gpu-1"
    assert decided(scheduler, claiming("p", "y")) == "a r=gpu-0"


def test_a_claim_whose_devices_can_not_be_bound_is_deallocated_if_no_other_pod_uses_it() -> None:
    bound = allocation("a/gpu-0", bindingConditions=["ready"], bindingFailureConditions=["broken"])
    failed = {"type": "broken", "status": "True", "reason": "Fire", "message": "hot"}
    status: dict[str, Any] = {
        "allocation": bound,
        "devices": [{"driver": DRIVER, "pool": "a", "device": "gpu-0", "conditions": [failed]}],
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "uid-p"}],
    }
    scheduler = cluster(resource_slice("a", [device("gpu-0")]), claim("x", exactly(), **status))
    decision = scheduler.decide(scheduler.pending(claiming("p", "x")))
    message = failure_message(decision, scheduler.snapshot)
    assert "2 resourceclaim not available on the node" in message
    assert "deallocation of ResourceClaim completed" in message
    answer = decision.post_filter
    assert answer is not None
    (call,) = answer.calls
    assert isinstance(call, Patch)
    assert call.body["status"] == {"allocation": None, "devices": None, "reservedFor": None}
    others = scheduler.decide(scheduler.pending(claiming("q", "x"))).post_filter
    assert others is not None
    assert not others.calls


def test_pre_bind_writes_allocation_and_reservation_and_waits_for_binding_conditions() -> None:
    late = {**device("gpu-0"), "bindingConditions": ["ready"]}
    scheduler = cluster(resource_slice("a", [late]), claim("x", exactly()))
    plugin, pod = plugin_of(scheduler), scheduler.pending(claiming("p", "x"))
    plugin.reserve(pod, scheduler.decide(pod).node_name)
    protection, status = plugin.pre_bind_calls(pod, "a")
    assert isinstance(protection, Patch)
    assert isinstance(status, Patch)
    finalizers = ["resource.kubernetes.io/delete-protection"]
    assert protection.body["metadata"]["finalizers"] == finalizers
    written = status.body["status"]
    assert written["reservedFor"] == [{"resource": "pods", "name": "p", "uid": "uid-p"}]
    (result,) = written["allocation"]["devices"]["results"]
    assert result["bindingConditions"] == ["ready"]
    scheduler.listers.set(claim("x", exactly(), **written))
    progress = PreBindProgress([], pod_exists=True)
    assert plugin.pre_bind_done(pod, "a", progress).code is Code.WAIT
    ready = [{"type": "ready", "status": "True"}]
    of_device = {"driver": DRIVER, "pool": "a", "device": "gpu-0", "conditions": ready}
    scheduler.listers.set(claim("x", exactly(), **written, devices=[of_device]))
    assert plugin.pre_bind_done(pod, "a", progress).is_success


def test_extended_resources_are_devices_only_where_the_node_does_not_provide_them() -> None:
    resource = "example.com/gpu"
    provides = node("a", cpu="8", memory="8Gi", pods="10", **{resource: "1"})
    scheduler = cluster(
        resource_slice("b", [device("gpu-0"), device("gpu-1")]),
        device_class("gpus", extendedResourceName=resource),
        nodes="b",
    )
    requests = {"requests": {resource: "2"}}
    pod = claiming("p", containers=[{"name": "c", "resources": requests}])
    assert decided(scheduler, pod) == "b container-0-request-0=gpu-0 container-0-request-0=gpu-1"
    scheduler.snapshot.set_node(provides)
    requests["requests"][resource] = "1"
    alone = claiming("q", containers=[{"name": "c", "resources": requests}])
    assert decided(scheduler, alone) == "a"


def test_the_claim_of_an_earlier_try_for_extended_resources_has_to_go_first() -> None:
    scheduler = cluster(
        resource_slice("a", [device("gpu-0")]),
        device_class("gpus", extendedResourceName="example.com/gpu"),
    )
    requests = {"requests": {"example.com/gpu": "1"}}
    pod = claiming("p", containers=[{"name": "c", "resources": requests}])
    left = claim("left", exactly())
    left["metadata"] |= {
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
        "ownerReferences": [{"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}],
    }
    scheduler.listers.set(left)
    message = decided(scheduler, pod)
    assert "2 cannot schedule extended resource claim" in message
    assert "deletion of ResourceClaim completed" in message
    scheduler.listers.remove(left)
    assert decided(scheduler, pod).startswith("a ")
