"""Workloads bring pods, claims and volumes, and take pods away."""

from typing import Any

import pytest

from podium.api.policy.disruption_target import BY_TAINT
from podium.whatif.capacity.capacity import CapacityRequest, capacity
from podium.whatif.capacity.capacity_inputs import PodTemplate
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.plan_report import Return
from podium.whatif.plan.workload_owners import WorkloadOwners
from tests import objects
from tests.device_objects import device, device_class, resource_slice
from tests.objects import Obj, container, node, pod, reference, running, workload
from tests.whatif.plan.plans import places, planned, request


def owned_by(name: str, above: Obj, **spec: Any) -> Obj:
    """A ReplicaSet of another controller."""
    owned = workload("ReplicaSet", name, uid=name, **spec)
    owned["metadata"]["ownerReferences"] = [{**reference(above), "controller": True}]
    return owned


def a_set(name: str, above: str) -> Obj:
    return owned_by(name, workload("ReplicaSet", above, uid=above), replicas=1)


def test_a_deployment_brings_its_pods() -> None:
    outcome = planned([node("n")], workload("Deployment", "web", replicas=3))
    assert len(outcome.placements) == 3
    assert all(name.startswith("web-") for name in places(outcome))


def test_a_smaller_deployment_gives_pods_up() -> None:
    web = workload("Deployment", "web", uid="d", replicas=2)
    spec = {field: web["spec"][field] for field in ("selector", "replicas")}
    revision = owned_by("web-1", web, **spec)
    revision["metadata"]["labels"] = {"app": "web"}
    revision["spec"]["template"] = web["spec"]["template"]
    old = [pod(f"web-1-{i}", on="n", owner=revision, uid=f"p{i}") for i in range(2)]
    smaller = workload("Deployment", "web", replicas=1)
    outcome = planned([node("n"), web, revision, *old], smaller, pod("other", "3"))
    (removed,) = outcome.removed
    assert removed.reason == "is surplus to Deployment default/web"
    assert not removed.is_evicted
    # The room is free when the pod has had its grace period.
    assert places(outcome) == {"other": "n"}


def test_a_workload_of_a_cluster_has_its_pods_and_one_written_by_hand_gets_them_first() -> None:
    assert not planned([node("n"), workload("ReplicaSet", "web", uid="r")]).placements
    outcome = planned([node("n"), workload("ReplicaSet", "web", replicas=1)], pod("new"))
    assert [name.partition("-")[0] for name in places(outcome)] == ["web", "new"]


def test_daemons_come_with_a_new_node() -> None:
    outcome = planned([node("a"), *running("DaemonSet", "agent", "a", cpu="100m")], node("b"))
    assert [*places(outcome).values()] == ["b"]


def test_daemons_are_evicted_by_a_node_that_may_not_have_them_any_more() -> None:
    daemons, agent = running("DaemonSet", "agent", "a", nodeSelector={"role": "x"})
    del agent["spec"]["nodeSelector"]
    state = [node("a", uid="n", labels={"role": "x"}), daemons, agent]
    (removed,) = planned(state, node("a", labels={"role": "y"})).removed
    assert (removed.pod, removed.is_evicted) == ("default/agent-0", True)


def test_a_job_brings_the_pods_that_run_at_the_same_time() -> None:
    outcome = planned([node("n")], workload("Job", "work", parallelism=2, completions=5))
    assert len(outcome.placements) == 2


def test_the_topmost_controller_is_the_workload() -> None:
    owners = WorkloadOwners([a_set("c", "b"), a_set("b", "a")])
    assert owners.workload("default/p", ("ReplicaSet", "default", "c")) == "ReplicaSet default/a"


@pytest.mark.parametrize("below", ["a", "b", "c"])
def test_of_controllers_in_a_circle_it_is_the_first_by_name(below: str) -> None:
    owners = WorkloadOwners([a_set("b", "a"), a_set("a", "b"), a_set("c", "b")])
    assert owners.workload("default/p", ("ReplicaSet", "default", below)) == "ReplicaSet default/a"


def test_a_controller_that_owns_itself_is_planned() -> None:
    outcome = planned([node("n")], a_set("a", "a"))
    assert [*places(outcome).values()] == ["n"]
    assert outcome.placements[0].workload == "ReplicaSet default/a"


def test_limits_become_requests_and_the_runtime_adds_its_overhead() -> None:
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "kata"},
        "handler": "kata",
        "overhead": {"podFixed": {"cpu": "1"}},
    }
    limited = container("1", resources={"limits": {"cpu": "1"}})
    asked = pod("p", containers=[limited], runtimeClassName="kata")
    assert places(planned([node("n", "2"), runtime], asked)) == {"p": "n"}
    assert [one.pod for one in planned([node("n", "1"), runtime], asked).pending] == ["default/p"]


def test_new_pods_tolerate_nodes_that_arent_ready_for_a_while() -> None:
    state = [node("n", taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}])]
    assert places(planned(state, pod("p"), until_s=299.0)) == {"p": "n"}
    (lost,) = planned(state, pod("p")).disruptions
    assert (lost.cause, round(lost.at), lost.comes_again) == (BY_TAINT, 300, Return.NEVER)


def test_what_isnt_modelled_is_said() -> None:
    claims = [{"name": "gpu", "resourceClaimName": "gpu"}]
    outcome = planned(
        [node("n")],
        pod("claiming", resourceClaims=claims),
        pod("grouped", schedulingGroup={"podGroupName": "g"}),
    )
    assert 'resourceclaim.resource.k8s.io "gpu" not found' in outcome.pending[0].message
    (incomplete,) = outcome.warnings
    assert "no ResourceSlice. So pods with resource claims find no devices" in incomplete
    assert outcome.notes == (
        "schedulingGroup is ignored, as with v1.36's default feature gates: default/grouped",
    )


def test_extended_resources_of_a_class_come_from_devices_where_the_node_has_none() -> None:
    gpu = "example.com/gpu"
    gpus = device_class("gpus", extendedResourceName=gpu)
    slices = [resource_slice("devices", [device("gpu-0")])]

    def asks(name: str) -> Obj:
        amounts = {"requests": {"cpu": "1", gpu: "1"}, "limits": {gpu: "1"}}
        return pod(name, containers=[container(resources=amounts)])

    nodes = [node("devices"), node("plugin", allocatable={gpu: "1"})]
    outcome = planned([*nodes, gpus, *slices], asks("a"), asks("b"), asks("c"))
    assert sorted(places(outcome).values()) == ["devices", "plugin"]
    (waiting,) = outcome.pending
    assert "1 Insufficient example.com/gpu, 1 cannot allocate all claims" in waiting.message
    (holder,) = (one for one in outcome.placements if one.node == "devices")
    assert holder.devices == ("gpu.example.com/devices/gpu-0",)
    assert waiting.device_holders == {f"Pod {holder.pod}": 1}


DISKS, NO_PROVISIONER = "disks.example.com", "kubernetes.io/no-provisioner"
ALONE = {"accessModes": ["ReadWriteOncePod"]}
BOUND = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}


def storage_class(*, waits: bool = True, provisioner: str = DISKS) -> Obj:
    return objects.storage_class("disks", provisioner=provisioner, waits=waits)


def claim(name: str = "data", **spec: Any) -> Obj:
    return objects.claim(name, "disks", **spec)


def volume(name: str, host: str = "", **spec: Any) -> Obj:
    """A volume that only one node reaches, or all."""
    source = {} if "csi" in spec else {"local": {"path": "/x"}}
    return objects.volume(name, "disks", host, **source, **spec)


def user(name: str = "user", of: str = "data") -> Obj:
    return pod(name, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": of}}])


@pytest.mark.parametrize("waits", [False, True])
def test_volumes_are_made_where_there_is_a_provisioner(waits: bool) -> None:
    state = [node("a"), storage_class(waits=waits)]
    assert places(planned(state, claim(), user())) == {"user": "a"}


def test_a_pod_goes_where_the_volume_is_that_its_claim_gets_and_two_claims_get_two() -> None:
    local = storage_class(provisioner=NO_PROVISIONER)
    state = [node("a"), node("b"), local, volume("on-b", "b")]
    assert places(planned(state, claim(), user())) == {"user": "b"}
    both = (claim("one"), claim("two"), user("one", "one"), user("two", "two"))
    outcome = planned(state, *both)
    assert places(outcome) == {"one": "b"}
    assert "didn't find available persistent volumes to bind" in outcome.pending[0].message


def test_a_stateful_set_brings_its_claims_and_an_ephemeral_volume_gets_its_own() -> None:
    template = {"metadata": {"name": "data"}, "spec": claim()["spec"]}
    db = workload("StatefulSet", "db", replicas=2, volumeClaimTemplates=[template])
    outcome = planned([node("n"), storage_class()], db)
    assert [*places(outcome)] == ["db-0", "db-1"]
    assert not outcome.warnings
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    scratch = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    # It isn't bound before the pod is decided, but it is there.
    (pending,) = planned([node("n")], pod("new", volumes=[scratch])).pending
    assert "unbound immediate PersistentVolumeClaims" in pending.message


def test_without_a_volume_or_a_provisioner_a_pod_waits() -> None:
    state = [node("a"), storage_class(waits=False, provisioner=NO_PROVISIONER)]
    (pending,) = planned(state, claim(), user()).pending
    assert "unbound immediate PersistentVolumeClaims" in pending.message


def test_only_nodes_are_counted_where_another_pod_keeps_the_claim_to_itself() -> None:
    bound = claim(**ALONE, volumeName="v")
    bound["metadata"] |= BOUND
    state = [node("a"), node("b"), storage_class(), volume("v", **ALONE), bound]
    (pending,) = planned(state, user(), user("late")).pending
    assert pending.message == (
        "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with "
        "ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, "
        "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    )


def attached_volumes() -> list[Obj]:
    """A node that takes one volume and still has one attached, whose pod is gone."""
    bound = claim(volumeName="new")
    bound["metadata"] |= BOUND
    taken = {"apiVersion": "storage.k8s.io/v1", "metadata": {"name": "a"}}
    limit = {"name": DISKS, "nodeID": "a", "allocatable": {"count": 1}}
    attachment = {"attacher": DISKS, "nodeName": "a", "source": {"persistentVolumeName": "old"}}
    return [
        node("a"),
        storage_class(),
        {**taken, "kind": "CSINode", "spec": {"drivers": [limit]}},
        {**taken, "kind": "VolumeAttachment", "spec": attachment},
        *(volume(name, csi={"driver": DISKS, "volumeHandle": name}) for name in ("old", "new")),
        bound,
    ]


def test_attached_volumes_count_towards_the_limit_of_their_node_in_all_answers() -> None:
    state = attached_volumes()
    (waits,) = planned(state, user()).pending
    assert "1 node(s) exceed max volume count" in waits.message
    without = [one for one in state if one["kind"] != "VolumeAttachment"]
    assert places(planned(without, user())) == {"user": "a"}
    (view,) = explain_pod(request(state, user()), "default/user").decisions
    assert view.filter["a"].reasons == ("node(s) exceed max volume count",)
    found = capacity(CapacityRequest(request(state), [PodTemplate("user", 1, user())], 1))
    assert found.without_preemption is not None
    assert found.without_preemption.pods == 0
