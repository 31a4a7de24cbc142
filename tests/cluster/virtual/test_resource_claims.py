"""Claims for devices in a whole cluster: made of templates, allocated, reserved and given back."""

from contextlib import closing
from typing import Any

import pytest

import podium
from podium import LoadedCluster
from podium.api.errors import RefusedError
from podium.api.values.times import timestamp
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.cluster.embedded.client import Client
from tests.cluster.virtual.virtual_server import VirtualServer
from tests.device_objects import GPU_CLASS, TEMPLATE, USE, USE_SHARED, gpus, shared_claim
from tests.objects import Obj, node, pod, resource_quota, workload


def loaded(*objects: Obj) -> LoadedCluster:
    return podium.load(node("n1"), gpus("n1", 2), GPU_CLASS, TEMPLATE, *objects)


def test_each_pod_gets_a_claim_of_the_template_and_no_device_is_allocated_twice() -> None:
    train = workload("Deployment", "train", "100m", replicas=3)
    train["spec"]["template"]["spec"]["resourceClaims"] = [USE]
    plan = loaded().plan(apply=train)
    assert [(one.node, one.at) for one in plan.placements] == [("n1", 0.0), ("n1", 0.0)]
    (left,) = plan.pending
    assert left.message.startswith("0/1 nodes are available: 1 cannot allocate all claims.")


def test_a_claim_is_reserved_for_its_pod_and_goes_with_it() -> None:
    with podium.Cluster(manifests=[node("n1"), gpus("n1", 1), GPU_CLASS, TEMPLATE]) as cluster:
        cluster.apply(pod("first", resourceClaims=[USE]))
        cluster.advance(3)
        first = cluster.get("Pod", "first")
        (made,) = cluster.list("ResourceClaim")
        assert first["status"]["phase"] == "Running"
        (status,) = first["status"]["resourceClaimStatuses"]
        assert status == {"name": "gpu", "resourceClaimName": made["metadata"]["name"]}
        assert made["metadata"]["name"].startswith("first-gpu-")
        assert made["metadata"]["labels"] == {"team": "a"}
        assert made["metadata"]["ownerReferences"][0]["uid"] == first["metadata"]["uid"]
        (consumer,) = made["status"]["reservedFor"]
        assert consumer["uid"] == first["metadata"]["uid"]
        (device,) = made["status"]["allocation"]["devices"]["results"]
        assert (device["pool"], device["device"]) == ("n1", "gpu-0")

        cluster.apply(pod("second", resourceClaims=[USE]))
        cluster.advance(5)
        assert "nodeName" not in cluster.get("Pod", "second")["spec"]
        cluster.delete("Pod", "first", grace_period_s=0)
        cluster.advance(5)
        assert cluster.get("Pod", "second")["spec"]["nodeName"] == "n1"
        (left,) = cluster.list("ResourceClaim")
        assert left["metadata"]["name"].startswith("second-gpu-")


def test_a_shared_claim_is_deallocated_once_the_last_pod_is_gone() -> None:
    with podium.Cluster(
        manifests=[node("n1"), gpus("n1", 1), GPU_CLASS, shared_claim()]
    ) as cluster:
        cluster.apply(pod("a", resourceClaims=[USE_SHARED]), pod("b", resourceClaims=[USE_SHARED]))
        cluster.advance(3)
        names = {
            one["name"] for one in cluster.get("ResourceClaim", "shared")["status"]["reservedFor"]
        }
        assert names == {"a", "b"}
        cluster.delete("Pod", "a", grace_period_s=0)
        cluster.advance(1)
        (left,) = cluster.get("ResourceClaim", "shared")["status"]["reservedFor"]
        assert left["name"] == "b"
        cluster.delete("Pod", "b", grace_period_s=0)
        cluster.advance(1)
        shared = cluster.get("ResourceClaim", "shared")
        assert "allocation" not in shared.get("status", {})
        assert not shared["metadata"].get("finalizers")


def test_a_missing_template_is_told_of_and_tried_again() -> None:
    with podium.Cluster(manifests=[node("n1"), gpus("n1", 1), GPU_CLASS]) as cluster:
        cluster.apply(pod("early", resourceClaims=[USE]))
        cluster.advance(1)
        (told, *_) = cluster.events(reason="FailedResourceClaimCreation")
        assert 'resource claim template "one-gpu"' in told["message"]
        cluster.apply(TEMPLATE)
        cluster.wait_for(lambda: cluster.get("Pod", "early")["spec"].get("nodeName"))


def test_a_pod_waits_for_its_devices_to_be_attached_and_gives_them_back_if_that_fails() -> None:
    slow = gpus("n1", 1)
    slow["spec"]["devices"][0] |= {
        "bindingConditions": ["attached"],
        "bindingFailureConditions": ["broken"],
    }
    cluster = Cluster(ClusterOptions())
    cluster.load(
        [node("n1"), slow, GPU_CLASS, shared_claim(), pod("a", resourceClaims=[USE_SHARED])]
    )
    cluster.start()
    server = VirtualServer(cluster)
    path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/shared"

    def after(seconds: float) -> Any:
        cluster.driver.advance(seconds)
        found = server.ask("GET", "/api/v1/namespaces/default/pods/a")
        return server.ask("GET", path)["status"], found

    def report(condition: str) -> None:
        since = timestamp(cluster.driver.now_s)
        holds = {"status": "True", "reason": "R", "message": "", "lastTransitionTime": since}
        device = {"driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}
        reported = [{**device, "conditions": [{"type": condition, **holds}]}]
        server.merge(f"{path}/status", {"status": {"devices": reported}})

    claim, waiting = after(1)
    assert [one["name"] for one in claim["reservedFor"]] == ["a"]
    assert "nodeName" not in waiting["spec"]
    events = server.ask("GET", "/api/v1/namespaces/default/events")["items"]
    notes = [one["message"] for one in events if one["reason"] == "BindingConditionsPending"]
    assert notes == ["waiting for binding conditions for device on node n1"]
    report("broken")
    claim, _ = after(3)
    # The scheduler looks every five seconds.
    assert claim["reservedFor"]
    claim, _ = after(1)
    assert claim["allocation"]
    assert not claim["reservedFor"]
    # The next try deallocates the claim, the one after that allocates it again.
    claim, _ = after(10)
    assert claim["reservedFor"]
    report("attached")
    _, running = after(8)
    assert running["status"]["phase"] == "Running"


def test_containers_wait_until_the_claims_are_allocated_and_reserved_for_the_pod() -> None:
    missing = {"name": "gpu", "resourceClaimName": "missing"}
    manifests = [node("n1"), gpus("n1", 1), GPU_CLASS, TEMPLATE, shared_claim()]
    with podium.Cluster(manifests=manifests) as cluster:
        # These have a node without a scheduler's doing.
        uses = {"early": USE, "lost": missing, "user": USE_SHARED}
        cluster.apply(*(pod(one, nodeName="n1", resourceClaims=[uses[one]]) for one in uses))
        cluster.advance(5)
        start = "Failed to prepare dynamic resources: prepare dynamic resources: "
        wrong = {
            "early": 'pod "default/early": ResourceClaim not created yet',
            "lost": 'resourceclaims.resource.k8s.io "missing" not found',
            "user": "is not allowed to use ResourceClaim shared (",
        }
        for name, why in wrong.items():
            (state,) = cluster.get("Pod", name)["status"]["containerStatuses"]
            assert state["state"] == {"waiting": {"reason": "ContainerCreating"}}
            (event,) = cluster.events(reason="FailedPrepareDynamicResources", about=name)
            assert event["type"] == "Warning"
            assert event["message"].startswith(start)
            assert why in event["message"]
        cluster.apply(pod("other", resourceClaims=[USE_SHARED]))
        cluster.advance(5)
        assert cluster.get("Pod", "other")["status"]["phase"] == "Running"
        # By now the claim is reserved for this pod too, whose kubelet tries again each minute.
        assert cluster.get("Pod", "user")["status"]["phase"] == "Pending"
        cluster.advance(60)
        assert cluster.get("Pod", "user")["status"]["phase"] == "Running"
        assert cluster.get("Pod", "early")["status"]["phase"] == "Pending"


def tainted(on: str, **taint: Any) -> Obj:
    published = gpus(on, 1)
    published["spec"]["devices"][0]["taints"] = [{"key": "sick", "effect": "NoExecute", **taint}]
    return published


@pytest.mark.parametrize(("seconds", "stays_s"), [(None, 0), (30, 30)])
def test_a_device_taint_evicts_the_pod_that_uses_the_device(
    seconds: int | None, stays_s: int
) -> None:
    exactly: Obj = {"deviceClassName": "gpu"}
    if seconds is not None:
        toleration = {"key": "sick", "operator": "Exists", "effect": "NoExecute"}
        exactly["tolerations"] = [{**toleration, "tolerationSeconds": seconds}]
    claim = shared_claim()
    claim["spec"] = {"devices": {"requests": [{"name": "g", "exactly": exactly}]}}
    with podium.Cluster(manifests=[node("n1"), gpus("n1", 1), GPU_CLASS, claim]) as cluster:
        cluster.apply(pod("a", resourceClaims=[USE_SHARED], terminationGracePeriodSeconds=0))
        cluster.advance(3)
        cluster.apply(tainted("n1", timeAdded=timestamp(cluster.now_s)))
        if stays_s:
            cluster.advance(stays_s - 2)
            assert "deletionTimestamp" not in cluster.get("Pod", "a")["metadata"]
        cluster.advance(3)
        assert not cluster.pods()
        reasons = [one["message"] for one in cluster.events(reason="DeviceTaintManagerEviction")]
        assert reasons == ["Marking for deletion"]


@pytest.mark.parametrize(("condition", "status"), [("Ready", "success"), ("Broken", "failure")])
def test_waits_for_binding_conditions_are_counted(condition: str, status: str) -> None:
    published = gpus("n1", 1)
    rules = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}
    published["spec"]["devices"][0] |= rules
    with (
        podium.Cluster(manifests=[node("n1"), published, GPU_CLASS, TEMPLATE]) as cluster,
        closing(Client(cluster.kubeconfig)) as client,
    ):
        cluster.apply(pod("a", resourceClaims=[USE]))
        cluster.advance(2)
        (claim,) = cluster.list("ResourceClaim")
        now = timestamp(cluster.now_s)
        told = {"type": condition, "status": "True", "reason": "R", "lastTransitionTime": now}
        where = {"driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}
        claim["status"]["devices"] = [{**where, "conditions": [told]}]
        claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
        path = f"{claims}/{claim['metadata']['name']}/status"
        assert client.ask("PUT", path, claim)[0] == 200
        cluster.advance(5)
        is_bound = "nodeName" in cluster.get("Pod", "a")["spec"]
        assert is_bound == (status == "success")
        labels = f'driver="gpu.example.com",profile="default-scheduler",status="{status}"'
        counted = client.text("/metrics").splitlines()
        name = "scheduler_dra_bindingconditions"
        assert f"{name}_allocations_total{{{labels}}} 1.0" in counted
        assert f"{name}_wait_duration_seconds_count{{{labels}}} 1.0" in counted


def test_devices_of_extended_resources_are_freed_and_tainted_as_well() -> None:
    named = {**GPU_CLASS, "spec": {**GPU_CLASS["spec"], "extendedResourceName": "example.com/gpu"}}
    with podium.Cluster(manifests=[node("n1"), gpus("n1", 1), named]) as cluster:

        def extended(name: str) -> Obj:
            lasts = {"podium.dev/run-duration": "20s"}
            made = pod(name, annotations=lasts, restartPolicy="Never")
            limits = {"limits": {"example.com/gpu": "1"}}
            made["spec"]["containers"][0]["resources"] = limits
            return made

        cluster.apply(extended("first"), extended("second"))
        cluster.advance(10)
        assert "nodeName" not in cluster.get("Pod", "second")["spec"]
        cluster.advance(20)
        assert cluster.get("Pod", "first")["status"]["phase"] == "Succeeded"
        assert cluster.get("Pod", "second")["spec"]["nodeName"] == "n1"
        cluster.apply(tainted("n1", timeAdded=timestamp(cluster.now_s)))
        cluster.advance(1)
        assert cluster.get("Pod", "second")["metadata"]["deletionTimestamp"]


def test_quotas_count_devices_by_class() -> None:
    quota = resource_quota("gpus", {"gpu.deviceclass.resource.k8s.io/devices": "1"})
    with podium.Cluster(manifests=[GPU_CLASS, quota]) as cluster:
        cluster.advance(1)
        cluster.apply(shared_claim())
        cluster.advance(1)
        (used,) = cluster.get("ResourceQuota", "gpus", "default")["status"]["used"].values()
        assert used == "1"
        another = {**shared_claim(), "metadata": {"name": "another", "namespace": "default"}}
        with pytest.raises(RefusedError, match="exceeded quota: gpus"):
            cluster.apply(another)


def test_an_exported_claim_gets_the_defaults_that_it_lacks() -> None:
    claim = shared_claim()
    claim["metadata"]["uid"] = "exported"
    (placed,) = loaded(claim).plan(apply=pod("a", resourceClaims=[USE_SHARED])).placements
    assert placed.devices == ("gpu.example.com/n1/gpu-0",)


def test_a_copy_of_a_node_has_devices_of_its_own() -> None:
    train = workload("Deployment", "train", "100m", replicas=4)
    train["spec"]["template"]["spec"]["resourceClaims"] = [USE]
    plan = loaded().plan(apply=train, add_node="n1")
    assert not plan.pending
    nodes, numbers = ("n1", "n1-1"), (0, 1)
    assert {one.devices for one in plan.placements} == {
        (f"gpu.example.com/{on}/gpu-{number}",) for on in nodes for number in numbers
    }


def test_an_error_in_a_selector_names_the_claim_of_each_pod() -> None:
    failing = {"cel": {"expression": 'device.attributes["gpu.example.com"].model == "x"'}}
    exactly = {"deviceClassName": "gpu", "selectors": [failing]}
    requests = {"devices": {"requests": [{"name": "g", "exactly": exactly}]}}
    template = {**TEMPLATE, "spec": {"spec": requests}}
    state = podium.load(node("n1"), gpus("n1", 2), GPU_CLASS, template)
    plan = state.plan(apply=[pod("a", resourceClaims=[USE]), pod("b", resourceClaims=[USE])])
    assert len(plan.pending) == 2
    for one in plan.pending:
        assert f"claim {one.pod}-gpu-" in one.message
        assert "no such key: model" in one.message


def test_a_template_without_a_spec_makes_claims_that_need_no_device() -> None:
    empty = {**TEMPLATE, "spec": {}}
    plan = podium.load(node("n1"), empty).plan(apply=pod("p", resourceClaims=[USE]))
    assert [placed.node for placed in plan.placements] == ["n1"]
