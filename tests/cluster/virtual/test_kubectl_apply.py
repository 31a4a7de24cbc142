"""Applying manifests to a cluster as `kubectl apply` does."""

import json
from typing import Any

from podium.api.well_known import LAST_APPLIED
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.kubectl_apply import apply_manifest


def config_map(data: Any, **metadata: Any) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "default", **metadata},
        "data": data,
    }


def cluster(*objects: Any) -> Cluster:
    made = Cluster(ClusterOptions())
    made.load(objects)
    return made


def data(made: Cluster) -> Any:
    found = made.store.get("ConfigMap", "default", "c")
    return None if found is None else found["data"]


def test_what_isnt_there_is_created() -> None:
    made = cluster()
    assert apply_manifest(made, config_map({"a": "1"})).created
    assert data(made) == {"a": "1"}


def test_what_an_earlier_manifest_said_goes_and_the_rest_stays() -> None:
    noted = {LAST_APPLIED: json.dumps(config_map({"a": "1", "b": "1"}))}
    made = cluster(config_map({"a": "1", "b": "1", "others": "1"}, annotations=noted))
    assert not apply_manifest(made, config_map({"a": "2"})).created
    assert data(made) == {"a": "2", "others": "1"}


def test_a_note_that_cant_be_read_takes_nothing_out() -> None:
    made = cluster(config_map({"a": "1"}, annotations={LAST_APPLIED: "{"}))
    apply_manifest(made, config_map({"b": "2"}))
    assert data(made) == {"a": "1", "b": "2"}


def test_the_caller_may_know_the_earlier_manifest() -> None:
    made = cluster(config_map({"a": "1"}))
    apply_manifest(made, config_map({"b": "2"}), config_map({"a": "1"}))
    assert data(made) == {"b": "2"}


def test_a_manifest_may_say_what_a_node_has() -> None:
    node: Any = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "1"}, "capacity": {"cpu": "1"}},
    }
    made = cluster(node)
    apply_manifest(made, {**node, "status": {"allocatable": {"cpu": "2"}}})
    found = made.store.get("Node", "", "n")
    assert found is not None
    assert found["status"]["allocatable"] == {"cpu": "2"}
