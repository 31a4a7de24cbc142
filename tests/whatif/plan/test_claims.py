"""Claims are bound, and volumes made for them, as the volume controllers do it."""

from typing import Any

import pytest

from podium.whatif.capacity.capacity import CapacityRequest, capacity
from podium.whatif.capacity.capacity_inputs import PodTemplate
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod
from tests.replacing import replace
from tests.whatif.plan.plans import places, planned

Obj = dict[str, Any]
_BOUND = "pv.kubernetes.io/bind-completed"


def storage_class(mode: str, provisioner: str = "disks.example.com") -> Obj:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "disks"},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
    }


def claim(**spec: Any) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {
            "storageClassName": "disks",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            **spec,
        },
    }


def volume(name: str, host: str) -> Obj:
    on_host = {"key": "kubernetes.io/hostname", "operator": "In", "values": [host]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "storageClassName": "disks",
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "local": {"path": "/x"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on_host]}]}},
        },
    }


def user() -> Obj:
    return pod("user", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])


@pytest.mark.parametrize("mode", ["Immediate", "WaitForFirstConsumer"])
def test_volumes_are_made_where_there_is_a_provisioner(mode: str) -> None:
    outcome = planned([node("a"), storage_class(mode)], claim(), user())
    assert places(outcome) == {"user": "a"}


def test_a_pod_goes_where_the_volume_is_that_its_claim_gets() -> None:
    local = storage_class("WaitForFirstConsumer", "kubernetes.io/no-provisioner")
    state = [node("a"), node("b"), local, volume("on-b", "b")]
    assert places(planned(state, claim(), user())) == {"user": "b"}


def test_without_a_volume_or_a_provisioner_a_pod_waits() -> None:
    none = storage_class("Immediate", "kubernetes.io/no-provisioner")
    (pending,) = planned([node("a"), none], claim(), user()).pending
    assert "unbound immediate PersistentVolumeClaims" in pending.message


def test_only_nodes_are_counted_where_another_pod_keeps_the_claim_to_itself() -> None:
    volume_of_claim = {**volume("v", "a"), "spec": {**volume("v", "a")["spec"], **_ALONE}}
    bound = claim(**_ALONE, volumeName="v")
    bound["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    del volume_of_claim["spec"]["nodeAffinity"]
    state = [node("a"), node("b"), storage_class("WaitForFirstConsumer"), volume_of_claim, bound]
    late = {**user(), "metadata": {**user()["metadata"], "name": "late"}}
    (pending,) = planned(state, user(), late).pending
    assert pending.message == (
        "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with "
        "ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, "
        "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    )


_ALONE = {"accessModes": ["ReadWriteOncePod"]}


def attached_volumes() -> list[Obj]:
    """A node that takes one volume and still has one attached, whose pod is gone."""
    disks, bound = {"driver": "disks.example.com"}, claim(volumeName="new")
    taken = {"apiVersion": "storage.k8s.io/v1", "metadata": {"name": "a"}}
    limit = {"name": disks["driver"], "nodeID": "a", "allocatable": {"count": 1}}
    attachment = {
        "attacher": disks["driver"],
        "nodeName": "a",
        "source": {"persistentVolumeName": "old"},
    }
    kept: Obj = {"nodeAffinity": {}, "local": None}
    return [
        node("a"),
        storage_class("WaitForFirstConsumer"),
        {**taken, "kind": "CSINode", "spec": {"drivers": [limit]}},
        {**taken, "kind": "VolumeAttachment", "spec": attachment},
        *(
            {**one, "spec": {**one["spec"], **kept, "csi": {**disks, "volumeHandle": handle}}}
            for handle in ("old", "new")
            for one in [volume(handle, "a")]
        ),
        {**bound, "metadata": {**bound["metadata"], "annotations": {_BOUND: "yes"}}},
    ]


def test_attached_volumes_count_towards_the_limit_of_their_node() -> None:
    state = attached_volumes()
    (waits,) = planned(state, user()).pending
    assert "1 node(s) exceed max volume count" in waits.message
    without = [one for one in state if one["kind"] != "VolumeAttachment"]
    assert places(planned(without, user())) == {"user": "a"}


def test_explanations_and_capacity_count_attached_volumes() -> None:
    request = PlanRequest(LoadedState(attached_volumes()))
    (view,) = explain_pod(replace(request, changes=(Apply([user()]),)), "default/user").decisions
    assert view.filter["a"].reasons == ("node(s) exceed max volume count",)
    found = capacity(CapacityRequest(request, [PodTemplate("user", 1, user())], 1))
    assert found.without_preemption is not None
    assert found.without_preemption.pods == 0
