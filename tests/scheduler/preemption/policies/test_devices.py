"""The option `devicePreemption`: victims that hold the devices that a pod's claims need."""

from typing import Any

import pytest

from podium.api.objects import without
from podium.scheduler.config.scheduler_options import (
    CandidateKey,
    Gangs,
    PreemptionScope,
    SchedulerOptions,
)
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.plugins.default_preemption import FREEING
from podium.scheduler.rehearsal import RehearsalOutcome, try_gang
from podium.scheduler.scheduler import Scheduler
from tests.device_objects import (
    DRIVER,
    GPU_CLASS,
    Obj,
    allocation,
    claim,
    claiming,
    device,
    exactly,
    resource_slice,
)
from tests.objects import ZONE, near, required
from tests.scheduler.plugins.small_cluster import node

RARE = f'device.attributes["{DRIVER}"].rare == "x"'


def held(name: str, where: str, *devices: str, by: tuple[str, ...] = (), **more: Any) -> Obj:
    """A claim that is allocated on a node and reserved for pods, by default of its own name."""
    users = [{"resource": "pods", "name": one, "uid": f"uid-{one}"} for one in by or (name,)]
    spots = [f"{where}/{one}" for one in devices]
    return claim(name, exactly(), allocation=allocation(*spots, **more), reservedFor=users)


def on(where: str, name: str, *claims: str, priority: int = 0, **spec: Any) -> Obj:
    return claiming(name, *claims, nodeName=where, priority=priority, **spec)


def made_for(name: str, where: str) -> Obj:
    """A pod of a controller, with a claim of a template."""
    pod = on(where, name, priority=0)
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
    pod["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": name}]}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": name}
    pod["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    return pod


def cluster(
    pods: list[Obj], *others: Obj, enabled: bool = True, nodes: str = "a", **more: Any
) -> Scheduler:
    options = SchedulerOptions(device_preemption=enabled, **more)
    scheduler = Scheduler(every_node=True, options=options)
    has = {"cpu": "8", "memory": "8Gi", "pods": "10"}
    scheduler.load([node(name, {ZONE: "z"}, **has) for name in nodes], pods, [GPU_CLASS, *others])
    return scheduler


def victims_of(scheduler: Scheduler, obj: Obj) -> tuple[str, list[str]]:
    """The node that a pod is nominated to, with the victims; or why none is."""
    decision = scheduler.decide(scheduler.pending(obj))
    found = decision.post_filter
    assert found is not None
    if not found.nominated_node_name:
        return failure_message(decision, scheduler.snapshot), []
    return found.nominated_node_name, [victim.name for victim in found.victims]


HIGH = claiming("high", "wanted", priority=10)
ONE = resource_slice("a", [device("g0")])
TWO = resource_slice("a", [device("g0", rare=""), device("g1", rare="x")])
WANTED = claim("wanted", exactly())


def test_only_with_the_option_a_pod_gives_way_for_its_devices() -> None:
    pods, objects = [on("a", "low", "low")], [ONE, held("low", "a", "g0"), WANTED]
    assert victims_of(cluster(pods, *objects), HIGH) == ("a", ["low"])
    message, _ = victims_of(cluster(pods, *objects, enabled=False), HIGH)
    assert message.endswith("0/1 nodes are available: 1 Preemption is not helpful for scheduling.")


def test_only_pods_whose_devices_help_go() -> None:
    pods = [on("a", "plain", "plain"), on("a", "rare", "rare"), on("a", "none")]
    scheduler = cluster(
        pods,
        TWO,
        held("plain", "a", "g0"),
        held("rare", "a", "g1"),
        claim("wanted", exactly("r", RARE)),
    )
    assert victims_of(scheduler, HIGH) == ("a", ["rare"])


def test_a_shared_claim_is_freed_only_when_all_of_its_pods_go() -> None:
    shared = held("shared", "a", "g0", by=("x", "y"))
    pods = [on("a", "x", "shared"), on("a", "y", "shared")]
    where, victims = victims_of(cluster(pods, ONE, shared, WANTED), HIGH)
    assert (where, sorted(victims)) == ("a", ["x", "y"])
    pods[1] = on("a", "y", "shared", priority=10)
    message, _ = victims_of(cluster(pods, ONE, shared, WANTED), HIGH)
    assert "1 cannot allocate all claims. still not schedulable, preemption:" in message


CROSS_NODE = {"preemption_scope": PreemptionScope.CROSS_NODE}


def test_a_claim_of_pods_on_several_nodes_is_freed_only_by_victims_on_several_nodes() -> None:
    shared = held("shared", "net", "g0", by=("x", "y"))
    pods = [on("a", "x", "shared"), on("b", "y", "shared"), on("a", "plain")]
    objects = [resource_slice("net", [device("g0")], allNodes=True), shared, WANTED]
    assert not victims_of(cluster(pods, *objects, nodes="ab"), HIGH)[1]
    _, victims = victims_of(cluster(pods, *objects, nodes="ab", **CROSS_NODE), HIGH)
    assert sorted(victims) == ["x", "y"]
    pods[1] = on("b", "y", "shared", priority=10)
    assert not victims_of(cluster(pods, *objects, nodes="ab", **CROSS_NODE), HIGH)[1]


def test_the_fewest_devices_of_other_nodes_are_taken_away() -> None:
    network = resource_slice("net", [device(f"g{number}") for number in range(3)], allNodes=True)
    pods = [on("a", "big", "big", priority=1), on("b", "small", "small"), on("c", "new")]
    claims = [held("big", "net", "g0", "g1"), held("small", "net", "g2")]
    scheduler = cluster(pods, network, *claims, WANTED, nodes="abc", **CROSS_NODE)
    before = [scheduler.listers.get("ResourceClaim", name, "default") for name in ("big", "small")]
    assert victims_of(scheduler, HIGH)[1] == ["small"]
    after = [scheduler.listers.get("ResourceClaim", name, "default") for name in ("big", "small")]
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_blockers_on_one_node_go_with_holders_of_devices_on_another() -> None:
    pods = [on("b", "blocker"), on("a", "low", "low")]
    pods[0]["metadata"]["labels"] = {"app": "x"}
    apart = required("podAntiAffinity", near("x", ZONE))
    slices = [ONE, resource_slice("b", [])]
    scheduler = cluster(pods, *slices, held("low", "a", "g0"), WANTED, nodes="ab", **CROSS_NODE)
    high = claiming("high", "wanted", priority=10, affinity=apart)
    where, victims = victims_of(scheduler, high)
    assert (where, sorted(victims)) == ("a", ["blocker", "low"])


@pytest.mark.parametrize(("priority", "expected"), [(0, "b"), (-5, "a")])
def test_fewest_devices_are_taken_after_the_lowest_priority(priority: int, expected: str) -> None:
    pods = [on("a", "big", "big", priority=priority), on("b", "s1", "s1"), on("b", "s2", "s2")]
    slices = [TWO, resource_slice("b", [device("g0"), device("g1")])]
    claims = [held("big", "a", "g0", "g1"), held("s1", "b", "g0"), held("s2", "b", "g1"), WANTED]
    where, victims = victims_of(cluster(pods, *slices, *claims, nodes="ab"), HIGH)
    assert (where, len(victims)) == (expected, 1)


def test_shares_of_a_device_are_given_back() -> None:
    sized = device("g0", {"memory": "4Gi"})
    sized["allowMultipleAllocations"] = True
    share = {"shareID": "s-1", "consumedCapacity": {"memory": "3Gi"}}
    wanted = exactly(capacity={"requests": {"memory": "2Gi"}})
    scheduler = cluster(
        [on("a", "low", "low")],
        resource_slice("a", [sized]),
        held("low", "a", "g0", **share),
        claim("wanted", wanted),
    )
    assert victims_of(scheduler, HIGH) == ("a", ["low"])


def test_a_nominated_pod_gets_freed_devices_before_pods_of_lower_priority() -> None:
    scheduler = cluster([], ONE, WANTED, claim("other", exactly()))
    first = scheduler.pending(HIGH)
    scheduler.nominator.nominate(first, "a")
    assert victims_of(scheduler, claiming("late", "other", priority=5))[1] == []
    assert (
        scheduler.decide(scheduler.pending(claiming("late", "other", priority=5))).node_name == ""
    )
    assert scheduler.decide(scheduler.pending(claiming("top", "other", priority=20))).node_name
    assert scheduler.decide(first).node_name == "a"


@pytest.mark.parametrize(
    ("key", "expected"), [(CandidateKey.STRANDED_VICTIMS, "b"), (CandidateKey.LATEST_START, "a")]
)
def test_replacements_of_victims_get_claims_of_their_own(key: CandidateKey, expected: str) -> None:
    # The device of the third node is one for the replacement of the pod on the second alone.
    rare = resource_slice("c", [device("g0", rare="x")])
    slices = [resource_slice(name, [device("g0", rare="")]) for name in "ab"]
    low = [made_for(f"low-{where}", where) for where in "ab"]
    claims = [held(f"low-{where}", where, "g0") for where in "ab"]
    for claim_, selector in zip(claims, ('"y"', '"x"'), strict=True):
        other = f'device.attributes["{DRIVER}"].rare == {selector}'
        claim_["spec"]["devices"]["requests"] = [exactly("r", other)]
        owner = {"kind": "Pod", "uid": f"uid-{claim_['metadata']['name']}", "controller": True}
        claim_["metadata"]["ownerReferences"] = [owner]
    order = (key, *list(CandidateKey)[:5])
    wanted = claim("wanted", exactly("r", f'device.attributes["{DRIVER}"].rare == ""'))
    objects = [rare, *slices, *claims, wanted]
    scheduler = cluster(low, *objects, nodes="abc", candidate_order=order)
    assert victims_of(scheduler, HIGH) == (expected, [f"low-{expected}"])
    assert len(scheduler.listers.list("ResourceClaim")) == 3


def test_each_of_several_preemptors_takes_devices_of_its_own() -> None:
    low = [on("a", f"low-{number}", f"low-{number}") for number in range(2)]
    held_by_low = [held(f"low-{number}", "a", f"g{number}") for number in range(2)]
    scheduler = cluster(low, TWO, *held_by_low)
    expected = [("a", 1), ("a", 2), ("", 0)]
    for number, (where, count) in enumerate(expected):
        made = claim(f"made-{number}", exactly())
        made["metadata"]["ownerReferences"] = [
            {"kind": "Pod", "uid": f"uid-high-{number}", "controller": True}
        ]
        scheduler.listers.set(made)
        pod = claiming(f"high-{number}", priority=10)
        pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
        names = [{"name": "gpu", "resourceClaimName": f"made-{number}"}]
        pod["status"] = {"resourceClaimStatuses": names}
        decision = scheduler.decide(scheduler.pending(pod))
        found = decision.preemption
        assert found is not None
        assert (found.node_name, len(found.victims)) == (where, count)
        scheduler.nominator.nominate(decision.pod, found.node_name)


def gang(scheduler: Scheduler, size: int) -> RehearsalOutcome:
    for number in range(size):
        scheduler.listers.set(claim(f"own-{number}", exactly()))
    members = [
        scheduler.pending(claiming(f"m-{number}", f"own-{number}", priority=10))
        for number in range(size)
    ]
    return try_gang(scheduler, members, size)


def test_each_pod_of_a_gang_gets_devices_of_its_own() -> None:
    assert not gang(cluster([], TWO), 3).is_success
    pods, low = [on("a", "low", "low")], held("low", "a", "g0")
    scheduler = cluster(pods, TWO, low)
    outcome = gang(scheduler, 2)
    assert outcome.is_success
    assert [victim.name for victim in outcome.victims] == ["low"]
    assert gang(scheduler, 3).message.startswith("0/1 nodes are available: 1 cannot allocate")
    assert scheduler.listers.get("ResourceClaim", "low", "default") is low
    assert not gang(cluster(pods, TWO, low, enabled=False), 2).is_success


def test_devices_of_a_gang_are_freed_when_it_goes_as_a_whole() -> None:
    options = Gangs(pod_groups=frozenset({"scheduling.k8s.io"}))
    members = [
        on(where, name, "shared", schedulingGroup={"podGroupName": "gang"})
        for where, name in (("a", "x"), ("b", "y"))
    ]
    network = resource_slice("net", [device("g0")], allNodes=True)
    shared = held("shared", "net", "g0", by=("x", "y"))
    scheduler = cluster(members, network, shared, WANTED, nodes="ab", gangs=options)
    groups = scheduler.handle.gangs
    assert groups is not None
    pods = [pod for pods in scheduler.snapshot.pods_on for pod in pods]
    groups.follow({pod.uid: pod for pod in pods})
    for pod in pods:
        groups.note(None, pod.obj)
    group = {"metadata": {"name": "gang", "namespace": "default"}}
    for mode, victims in (("Pod", []), ("PodGroup", ["x", "y"])):
        groups.set("podgroups.scheduling.k8s.io", {**group, "spec": {"disruptionMode": mode}})
        scheduler.listers.set(shared)
        assert sorted(victims_of(scheduler, HIGH)[1]) == victims


def test_devices_of_a_pod_that_is_being_bound_are_taken_as_well() -> None:
    scheduler = cluster([], ONE, claim("own", exactly()), WANTED)
    low = scheduler.pending(claiming("low", "own"))
    assert scheduler.decide(low).node_name == "a"
    scheduler.bind(low, "a")
    assert scheduler.binding["default-scheduler"].reserve(low, "a").is_success
    assert victims_of(scheduler, HIGH) == ("a", ["low"])


def test_a_preemptor_waits_until_the_claims_of_its_victims_are_deallocated() -> None:
    pods = [on("b", "low", "low")]
    gone, low = held("gone", "a", "g0"), held("low", "b", "g0")
    slices = [ONE, resource_slice("b", [device("g0")])]
    scheduler = cluster(pods, *slices, gone, low, WANTED, nodes="ab")
    waiting = scheduler.pending(HIGH)
    scheduler.nominator.nominate(waiting, "a")
    found = scheduler.decide(waiting).post_filter
    assert found is not None
    assert found.victims == ()
    assert FREEING in found.status.message
    # An allocation without a reservation stays, so that the preemptor needs other victims.
    scheduler.listers.set({**gone, "status": without(gone["status"], "reservedFor")})
    found = scheduler.decide(waiting).post_filter
    assert found is not None
    assert [victim.name for victim in found.victims] == ["low"]
    scheduler.listers.set({**gone, "status": {}})
    assert scheduler.decide(waiting).node_name == "a"


def test_what_is_freed_is_decided_again_when_claims_change() -> None:
    pods, low = [on("a", "low", "low")], held("low", "a", "g0")
    scheduler = cluster(pods, ONE, low, WANTED)
    assert victims_of(scheduler, HIGH) == ("a", ["low"])
    scheduler.listers.set(held("low", "a", "g0", by=("low", "elsewhere")))
    assert victims_of(scheduler, HIGH)[1] == []
