"""What a cluster begins with."""

from pathlib import Path

import pytest

from podium.api.errors import InvalidValueError
from podium.cluster.embedded import initial_objects
from podium.cluster.embedded.defaults import NodeShape
from podium.cluster.manifests.problems import ManifestError

MANIFESTS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: green}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
"""


def test_nodes_are_as_large_as_asked_for() -> None:
    nodes = initial_objects.simulated_nodes(2, NodeShape(cpu="8", memory="1Gi"))
    assert [node["metadata"]["name"] for node in nodes] == ["podium-1", "podium-2"]
    assert nodes[1]["status"]["allocatable"] == {"cpu": "8", "memory": "1Gi", "pods": "110"}


@pytest.mark.parametrize(("cpu", "why"), [("many", "--node-cpu: Invalid"), ("-1", "negative")])
def test_amounts_that_are_none_are_refused(cpu: str, why: str) -> None:
    with pytest.raises(InvalidValueError, match=why):
        initial_objects.simulated_nodes(1, NodeShape(cpu=cpu))


def test_all_kinds_and_versions_that_are_served_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MANIFESTS)
    found = initial_objects.read_manifests([str(path)])
    assert [loaded.obj["kind"] for loaded in found.objects] == ["ConfigMap"]
    assert found.objects[0].obj["metadata"]["namespace"] == "default"
    ignored = "1 HorizontalPodAutoscaler, 1 Widget"
    assert found.notes == [f"ignored, as Podium has no use for them here: {ignored}"]


def test_what_is_wrong_is_told_with_file_object_and_field(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MANIFESTS.replace("green", "[green]"))
    with pytest.raises(ManifestError, match=r"m\.yaml.*ConfigMap default/settings: data\.colour"):
        initial_objects.read_manifests([str(path)])


def test_nodes_are_marked_unless_they_say_otherwise() -> None:
    (node,) = initial_objects.simulated_nodes(1, NodeShape())
    assert initial_objects.simulated(node)["metadata"]["annotations"] == {
        "podium.dev/simulated": "true"
    }
    real = {**node, "metadata": {"name": "n", "annotations": {"podium.dev/simulated": "false"}}}
    assert initial_objects.simulated(real) == real
    assert initial_objects.simulated({"kind": "Pod"}) == {"kind": "Pod"}
    bare = initial_objects.simulated({"kind": "Node", "metadata": {"name": "n"}})
    assert bare["status"]["nodeInfo"] == node["status"]["nodeInfo"]


def test_shapes_name_any_resource() -> None:
    resources = initial_objects.parse_shape("cpu=8, memory=32Gi,nvidia.com/gpu=1")
    nodes = initial_objects.simulated_nodes(3, NodeShape(resources=resources, zones=2))
    amounts = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "1", "pods": "110"}
    assert nodes[0]["status"]["allocatable"] == amounts
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes]
    assert zones == ["zone-1", "zone-2", "zone-1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cpu", "must be NAME=AMOUNT"),
        ("cpu=1,cpu=2", "must be NAME=AMOUNT"),
        ("gpu=1", "isn't a resource"),
        ("nvidia.com/gpu=0.5", "must be an integer"),
        ("memory=-1Gi", "must not be negative"),
        ("memory=much", "quantities must match"),
    ],
)
def test_shapes_that_no_node_has(text: str, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        initial_objects.simulated_nodes(1, NodeShape(resources=initial_objects.parse_shape(text)))


def test_service_accounts_that_pods_name_are_there_if_the_state_tells_of_none() -> None:
    spec = {"serviceAccountName": "builder"}
    template = {"template": {"spec": spec}}
    pod = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"serviceAccountName": "default"}}
    web = {"kind": "Deployment", "metadata": {"name": "w", "namespace": "shop"}, "spec": template}
    nightly = {
        "kind": "CronJob",
        "metadata": {"name": "c"},
        "spec": {"jobTemplate": {"spec": template}},
    }
    made = initial_objects.with_service_accounts([pod, web, nightly, web])[:-4]
    assert [(one["kind"], one["metadata"]) for one in made] == [
        ("ServiceAccount", {"name": "builder", "namespace": "shop"}),
        ("ServiceAccount", {"name": "builder", "namespace": "default"}),
    ]
    told = [pod, web, {"kind": "ServiceAccount", "metadata": {"name": "other"}}]
    assert initial_objects.with_service_accounts(told) == told
