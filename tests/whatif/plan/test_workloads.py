"""Workloads bring pods and take some away."""

from typing import Any

from podium.api.policy.disruption_target import BY_TAINT
from podium.whatif.plan.plan_report import Return
from tests.objects import container, node, pod, priority_class, reference, workload
from tests.whatif.plan.plans import places, planned


def kinds(outcome: Any) -> list[str]:
    return [removed.pod.removeprefix("default/") for removed in outcome.removed]


def test_a_deployment_brings_its_pods() -> None:
    outcome = planned([node("n")], workload("Deployment", "web", replicas=3))
    assert len(outcome.placements) == 3
    assert all(name.startswith("web-") for name in places(outcome))


def test_a_smaller_deployment_gives_pods_up() -> None:
    deployment = workload("Deployment", "web", uid="d", replicas=2)
    replica_set = workload("ReplicaSet", "web-1", uid="r", replicas=2)
    replica_set["metadata"]["labels"] = {"app": "web"}
    replica_set["metadata"]["ownerReferences"] = [{**reference(deployment), "controller": True}]
    replica_set["spec"]["template"] = deployment["spec"]["template"]
    replica_set["spec"]["selector"] = deployment["spec"]["selector"]
    old = [pod(f"web-1-{i}", on="n", owner=replica_set, app="web", uid=f"p{i}") for i in range(2)]
    smaller = workload("Deployment", "web", replicas=1)
    outcome = planned([node("n"), deployment, replica_set, *old], smaller, pod("other", "3"))
    assert len(outcome.removed) == 1
    assert outcome.removed[0].reason == "is surplus to Deployment default/web"
    assert not outcome.removed[0].is_evicted
    # The room is free when the pod has had its grace period.
    assert places(outcome) == {"other": "n"}


def test_a_workload_of_a_cluster_is_taken_to_have_its_pods() -> None:
    assert not planned([node("n"), workload("ReplicaSet", "web", uid="r")]).placements


def test_a_workload_written_by_hand_into_the_state_gets_its_pods_first() -> None:
    outcome = planned([node("n"), workload("ReplicaSet", "web", replicas=1)], pod("new"))
    assert [name.partition("-")[0] for name in places(outcome)] == ["web", "new"]


def test_daemons_come_with_a_new_node() -> None:
    daemons = workload("DaemonSet", "agent", "100m", uid="d")
    state = [node("a"), daemons, pod("agent-1", "100m", on="a", owner=daemons, uid="p")]
    outcome = planned(state, node("b"))
    assert list(places(outcome).values()) == ["b"]


def test_daemons_are_evicted_by_a_node_that_may_not_have_them_any_more() -> None:
    daemons = workload("DaemonSet", "agent", uid="d", template={"nodeSelector": {"role": "x"}})
    agent = pod("agent-1", on="a", owner=daemons, uid="p")
    state = [node("a", uid="n", labels={"role": "x"}), daemons, agent]
    outcome = planned(state, node("a", labels={"role": "y"}))
    assert kinds(outcome) == ["agent-1"]
    assert outcome.removed[0].is_evicted


def test_a_stateful_set_brings_its_claims() -> None:
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "late",
        },
    }
    late = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "late"},
        "provisioner": "example.com/disk",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    stateful = workload("StatefulSet", "db", replicas=2, volumeClaimTemplates=[claim])
    outcome = planned([node("n"), late], stateful)
    assert list(places(outcome)) == ["db-0", "db-1"]
    assert not outcome.warnings


def test_an_ephemeral_volume_gets_its_claim() -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    volume = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    outcome = planned([node("n")], pod("new", volumes=[volume]))
    # Nobody binds it before the pod is decided, but it is there.
    assert "unbound immediate PersistentVolumeClaims" in outcome.pending[0].message


def test_two_claims_dont_get_the_same_volume() -> None:
    spec = {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    local = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "local"},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {**spec, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/"}},
        "status": {"phase": "Available"},
    }
    claims = [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {**spec, "resources": {"requests": {"storage": "1Gi"}}},
        }
        for name in ("one", "two")
    ]
    pods = [
        pod(name, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": name}}])
        for name in ("one", "two")
    ]
    outcome = planned([node("n"), local, volume, *claims], *pods)
    assert places(outcome) == {"one": "n"}
    assert "didn't find available persistent volumes to bind" in outcome.pending[0].message


def test_a_job_brings_the_pods_that_run_at_the_same_time() -> None:
    outcome = planned([node("n")], workload("Job", "work", parallelism=2, completions=5))
    assert len(outcome.placements) == 2


def test_limits_become_requests_and_the_runtime_adds_its_overhead() -> None:
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "kata"},
        "handler": "kata",
        "overhead": {"podFixed": {"cpu": "1"}},
    }
    limited = container("1", resources={"limits": {"cpu": "1"}})
    outcome = planned([node("n"), runtime], pod("p", containers=[limited], runtimeClassName="kata"))
    assert places(outcome) == {"p": "n"}
    full = planned(
        [node("n", "1"), runtime], pod("p", containers=[limited], runtimeClassName="kata")
    )
    assert [pending.pod for pending in full.pending] == ["default/p"]


def test_new_pods_tolerate_nodes_that_arent_ready_for_a_while() -> None:
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
    state = [node("n", taints=[taint])]
    assert places(planned(state, pod("p"), until_s=299.0)) == {"p": "n"}
    (lost,) = planned(state, pod("p")).disruptions
    assert (lost.cause, round(lost.at_s), lost.comes_again) == (BY_TAINT, 300, Return.NEVER)


def test_what_isnt_modelled_is_said() -> None:
    claims = [{"name": "gpu", "resourceClaimName": "gpu"}]
    outcome = planned(
        [node("n"), priority_class("p", 1)],
        pod("claiming", resourceClaims=claims),
        pod("grouped", schedulingGroup={"podGroupName": "g"}),
    )
    assert "podium doesn't model dynamic resource claims yet" in outcome.pending[0].message
    assert outcome.warnings == (
        "dynamic resource claims aren't modelled; no place is looked for: default/claiming",
    )
    assert outcome.notes == (
        "schedulingGroup is ignored, as with v1.36's default feature gates: default/grouped",
    )


def test_extended_resources_that_devices_stand_for_arent_modelled() -> None:
    """The device plugin of a node isn't asked either: which of them serves, devices decide."""
    gpu, implicit = "example.com/gpu", "deviceclass.resource.kubernetes.io/gpus"
    gpus = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpus"},
        "spec": {"extendedResourceName": gpu},
    }
    here = node("n", allocatable={gpu: "4"})

    def asks(name: str, resource: str) -> dict[str, Any]:
        amounts = {"requests": {"cpu": "1", resource: "1"}, "limits": {resource: "1"}}
        return pod(name, containers=[{"name": "c", "image": "i", "resources": amounts}])

    applied = (asks("explicit", gpu), asks("other", "example.com/nic"), pod("plain"))
    outcome = planned([here, gpus], *applied)
    assert places(outcome) == {"plain": "n"}
    assert [one.message.partition(". ")[0] for one in outcome.pending] == [
        "0/1 nodes are available: podium doesn't model devices behind extended resources yet; "
        "the pod requests example.com/gpu (DeviceClass gpus)",
        "0/1 nodes are available: 1 Insufficient example.com/nic",
    ]
    assert outcome.warnings == (
        "devices behind extended resources aren't modelled; no place is looked for: "
        "default/explicit",
    )
    assert places(planned([here], *applied)) == {"explicit": "n", "plain": "n"}
    (by_name,) = planned([here], asks("implicit", implicit)).pending
    assert f"the pod requests {implicit} (DeviceClass gpus)" in by_name.message
