"""Strategies: what new objects start with, what updates may touch, and what counts."""

from random import Random
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.kinds.registration.strategy import Creation, Strategy

Obj = dict[str, Any]
NOW_S = 1_000_000_000.0
NOW = "2001-09-09T01:46:40Z"


def a(kind: str) -> Strategy:
    return registration_of(KINDS[kind]).strategy


def creation(*others: Obj) -> Creation:
    return Creation(NOW_S, Random(1), lambda: [*others])


def obj(spec: Obj | None = None, status: Obj | None = None, **metadata: Any) -> Obj:
    parts = {"spec": spec, "status": status}
    return {
        "metadata": {"name": "x", "uid": "u", "resourceVersion": "1", **metadata},
        **{field: value for field, value in parts.items() if value is not None},
    }


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("Deployment", {}),
        ("ReplicaSet", {"replicas": 0}),
        ("StatefulSet", {"replicas": 0, "availableReplicas": 0}),
        ("Job", {}),
        ("ResourceQuota", {}),
        (
            "PodDisruptionBudget",
            {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
        ),
        ("PersistentVolumeClaim", {"phase": "Pending"}),
        ("PersistentVolume", {"phase": "Pending", "lastPhaseTransitionTime": NOW}),
        ("VolumeAttachment", {"attached": False}),
        ("Service", {"loadBalancer": {}}),
        ("Namespace", {"phase": "Active"}),
    ],
)
def test_new_objects_have_no_history(kind: str, status: Obj) -> None:
    claims = {"replicas": 7, "phase": "Bound", "attached": True}
    made = registration_of(KINDS[kind]).prepared(obj({}, claims), creation())
    assert made["status"] == status


def test_a_new_node_may_say_how_it_is() -> None:
    node = a("Node").create(
        obj(None, {"capacity": {"cpu": "4"}, "nodeInfo": {"bootID": "b"}}), creation()
    )
    assert node["status"]["capacity"] == {"cpu": "4"}
    assert node["status"]["nodeInfo"]["bootID"] == "b"
    assert node["status"]["nodeInfo"]["kubeletVersion"] == ""
    assert node["status"]["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 0}}


@pytest.mark.parametrize("kind", ["Pod", "Deployment", "PodDisruptionBudget", "Job", "StatefulSet"])
def test_generations_count_changes_of_the_spec(kind: str) -> None:
    old = obj({"a": 1}, {"s": 1}, generation=4)
    changed = a(kind).update(obj({"a": 2}, {"s": 2}, generation=4), old, NOW_S)
    assert (changed["status"], changed["metadata"]["generation"]) == ({"s": 1}, 5)
    same = a(kind).update(obj({"a": 1}, {}, generation=4, labels={"l": "1"}), old, NOW_S)
    assert (same["status"], same["metadata"]["generation"]) == ({"s": 1}, 4)
    status = a(kind).subresources["status"](obj({"a": 2}, {"s": 2}, generation=4), old, NOW_S)
    assert (status["spec"], status["metadata"]["generation"]) == ({"a": 1}, 4)


def test_a_status_cannot_be_brought_in_by_an_update() -> None:
    updated = a("Deployment").update(obj({}, {"s": 1}), obj({}), NOW_S)
    assert "status" not in updated


def test_annotations_count_for_deployments() -> None:
    old = obj({}, generation=1)
    updated = a("Deployment").update(obj({}, generation=1, annotations={"a": "b"}), old, NOW_S)
    assert updated["metadata"]["generation"] == 2


def test_the_status_of_a_deployment_leaves_its_labels() -> None:
    old, new = (
        obj({}, labels={"a": "1"}),
        obj({}, {"s": 1}, labels={"a": "2"}, annotations={"b": "3"}),
    )
    updated = a("Deployment").subresources["status"](new, old, NOW_S)
    assert updated["metadata"]["labels"] == {"a": "1"}
    assert updated["metadata"]["annotations"] == {"b": "3"}


def test_the_status_of_some_kinds_leaves_all_metadata() -> None:
    old, new = obj({}, labels={"a": "1"}), obj({}, {"s": 1}, labels={"a": "2"})
    updated = a("VolumeAttachment").subresources["status"](new, old, NOW_S)
    assert updated["metadata"] == old["metadata"]
    assert updated["status"] == {"s": 1}


def test_the_template_of_a_daemon_set_is_counted_apart() -> None:
    key = "deprecated.daemonset.template.generation"
    strategy = a("DaemonSet")
    old = strategy.create(obj({"template": {"a": 1}}, generation=1), creation())
    assert old["metadata"]["annotations"] == {key: "1"}
    new = strategy.update({**old, "spec": {"template": {"a": 2}}}, old, NOW_S)
    assert (new["metadata"]["annotations"], new["metadata"]["generation"]) == ({key: "2"}, 2)
    more = strategy.update({**new, "spec": {**new["spec"], "minReadySeconds": 1}}, new, NOW_S)
    assert (more["metadata"]["annotations"], more["metadata"]["generation"]) == ({key: "2"}, 3)


def test_jobs_know_their_pods_by_their_uid() -> None:
    template = {"metadata": {"labels": {"app": "a"}}}
    job = a("Job").create(obj({"template": template}), creation())
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}
    assert job["spec"]["template"]["metadata"]["labels"] == {
        "app": "a",
        "job-name": "x",
        "batch.kubernetes.io/job-name": "x",
        "controller-uid": "u",
        "batch.kubernetes.io/controller-uid": "u",
    }
    manual = obj({"manualSelector": True, "selector": {}, "template": template})
    assert a("Job").create(manual, creation())["spec"] == manual["spec"]


def pod_status(old: Obj, new: Obj, **metadata: Any) -> Obj:
    before = obj({"nodeName": "n"}, old, ownerReferences=[{"uid": "o"}])
    after = obj({"nodeName": "m"}, new, **metadata)
    return dict(a("Pod").subresources["status"](after, before, NOW_S))


def test_the_status_of_a_pod_leaves_owners_and_class() -> None:
    pod = pod_status({"qosClass": "Burstable"}, {"phase": "Running"}, labels={"a": "b"})
    assert pod["spec"] == {"nodeName": "n"}
    assert pod["status"] == {"phase": "Running", "qosClass": "Burstable"}
    assert pod["metadata"]["ownerReferences"] == [{"uid": "o"}]
    assert pod["metadata"]["labels"] == {"a": "b"}


def test_observed_generations_outlive_writers_that_do_not_know_them() -> None:
    old = {
        "observedGeneration": 3,
        "conditions": [
            {"type": "Ready", "observedGeneration": 3},
            {"type": "PodScheduled", "observedGeneration": 1},
        ],
    }
    new = {
        "conditions": [
            {"type": "PodScheduled", "status": "True"},
            {"type": "Ready", "observedGeneration": 4},
            {"type": "Initialized"},
        ],
    }
    assert pod_status(old, new)["status"] == {
        "observedGeneration": 3,
        "conditions": [
            {"type": "PodScheduled", "status": "True", "observedGeneration": 1},
            {"type": "Ready", "observedGeneration": 4},
            {"type": "Initialized"},
        ],
    }


def test_services_get_addresses_and_ports() -> None:
    taken = obj({"clusterIP": "10.96.0.1", "ports": [{"nodePort": 30000}]})
    spec = {"type": "NodePort", "ports": [{"port": 80}, {"port": 81, "nodePort": 30001}]}
    service = a("Service").create(obj(spec), creation(taken))["spec"]
    assert service["clusterIPs"] == [service["clusterIP"]]
    assert service["clusterIP"].split(".")[0] == "10"
    first, second = service["ports"]
    assert 30000 < first["nodePort"] < 32768
    assert second["nodePort"] == 30001
    assert a("Service").create(obj(spec), creation(taken))["spec"] == service


@pytest.mark.parametrize(
    ("spec", "address"),
    [
        ({"type": "ExternalName"}, None),
        ({"type": "ClusterIP", "clusterIP": "None"}, "None"),
        ({"type": "ClusterIP", "clusterIP": "10.96.7.7"}, "10.96.7.7"),
    ],
)
def test_services_that_know_their_address(spec: Obj, address: str | None) -> None:
    service = a("Service").create(obj(spec), creation())["spec"]
    assert service.get("clusterIP") == address


def test_an_update_of_a_service_keeps_its_address() -> None:
    old = obj({"type": "ClusterIP", "clusterIP": "10.96.7.7", "clusterIPs": ["10.96.7.7"]}, {})
    updated = a("Service").update(obj({"type": "ClusterIP", "ports": []}), old, NOW_S)
    assert updated["spec"]["clusterIP"] == "10.96.7.7"


def test_volumes_note_since_when_they_are_in_a_phase() -> None:
    old = obj({}, {"phase": "Available", "lastPhaseTransitionTime": "1999-01-01T00:00:00Z"})
    strategy = a("PersistentVolume").subresources["status"]
    released = strategy(obj({}, {**old["status"], "phase": "Released"}), old, NOW_S)
    assert released["status"] == {"phase": "Released", "lastPhaseTransitionTime": NOW}
    same = strategy(obj({}, {**old["status"], "message": "m"}), old, NOW_S)
    assert same["status"]["lastPhaseTransitionTime"] == "1999-01-01T00:00:00Z"


def test_namespaces_with_generated_names_are_labelled_with_them() -> None:
    namespace = {**obj(), "apiVersion": "v1", "kind": "Namespace"}
    made = a("Namespace").create(namespace, creation())
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "x"}


def test_endpoint_slices_count_changes_of_what_they_say() -> None:
    old = {**obj(generation=1), "endpoints": []}
    update = a("EndpointSlice").update
    assert update({**old, "endpoints": [1]}, old, NOW_S)["metadata"]["generation"] == 2
    labelled = {**obj(generation=1, labels={"a": "b"}), "endpoints": []}
    assert update(labelled, old, NOW_S)["metadata"]["generation"] == 1


def test_every_kind_with_a_status_keeps_it_apart() -> None:
    for kind in KINDS.values():
        registration = registration_of(kind)
        has_status = "status" in kind.subresources
        assert has_status is ("status" in registration.strategy.subresources)
