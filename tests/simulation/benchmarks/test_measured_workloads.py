"""Objects as an API server would hand them out."""

from podium.api.kinds.builtin_kinds import kind_of
from podium.api.resources import pod_requests
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from podium.simulation.benchmarks import diverse
from podium.simulation.benchmarks.catalogue import CASES
from podium.simulation.benchmarks.measured_workloads import NODES, PODS
from podium.simulation.benchmarks.runner import ObjectFactory


def test_objects_share_nothing() -> None:
    first, second = ObjectFactory().pods(PODS["default"], 2, "here")
    first["spec"]["containers"][0]["image"] = "other"
    assert second["spec"]["containers"][0]["image"] == "registry.k8s.io/pause:3.10.1"
    assert PODS["default"]["metadata"] == {"generateName": "pod-"}


def test_names_and_uids_are_unique_across_calls() -> None:
    stamp = ObjectFactory()
    objects = [
        *stamp.nodes(NODES["default"], 3),
        *stamp.pods(PODS["default"], 3, "here"),
        *stamp.pods(PODS["high-priority"], 3, "here"),
    ]
    assert len({obj["metadata"]["name"] for obj in objects}) == 9
    assert len({obj["metadata"]["uid"] for obj in objects}) == 9


def test_pods_are_defaulted_and_admitted() -> None:
    (pod,) = ObjectFactory().pods(PODS["high-priority"], 1, "here")
    assert pod["metadata"]["namespace"] == "here"
    assert pod["spec"]["schedulerName"] == "default-scheduler"
    assert pod["spec"]["priority"] == 10
    assert {t["key"] for t in pod["spec"]["tolerations"]} == {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    }
    assert pod_requests(pod)["cpu"] == 3 * 10**9


def test_nodes_have_their_hostname_and_zones_in_turn() -> None:
    nodes = ObjectFactory().nodes(NODES["default"], 4, ("a", "b", "c"))
    labels = [node["metadata"]["labels"] for node in nodes]
    assert [found[ZONE_LABEL] for found in labels] == ["a", "b", "c", "a"]
    assert [found[HOSTNAME_LABEL] for found in labels] == [
        node["metadata"]["name"] for node in nodes
    ]
    assert nodes[0]["status"]["allocatable"] == {"cpu": "4", "memory": "32Gi", "pods": "110"}


def test_pods_of_a_diverse_group_differ_in_all_that_counts() -> None:
    for case in diverse.CASES:
        pods = ObjectFactory().group(case.measured, 300)
        requests = {str(pod_requests(pod)) for pod in pods}
        assert len(requests) == len(pods), case.name
        assert len({pod["metadata"]["labels"]["app"] for pod in pods}) == diverse.APPS
        assert [fault for pod in pods for fault in faults_of_manifest(pod)] == []


def test_a_template_with_a_name_keeps_it() -> None:
    (node,) = ObjectFactory().nodes(NODES["named"], 1)
    assert node["metadata"]["name"] == "scheduler-perf-node"
    assert ZONE_LABEL not in node["metadata"]["labels"]


def test_namespaces_come_once() -> None:
    namespaces = ObjectFactory().namespaces(["b", "a", "b"])
    assert [namespace["metadata"]["name"] for namespace in namespaces] == ["b", "a"]


def test_every_template_makes_valid_objects() -> None:
    stamp = ObjectFactory()
    groups = [g for c in CASES for g in (*c.init, c.measured, c.churn) if g]
    pods = [stamp.pods(group.template, 1, group.namespace)[0] for group in groups]
    nodes = [stamp.nodes(template, 1)[0] for case in CASES for template in case.extra_nodes]
    for obj in (*pods, *nodes, *stamp.nodes(NODES["default"], 1)):
        assert kind_of(obj) is not None
        assert faults_of_manifest(obj) == []
