"""Applying a manifest merges it into what is there, as kubectl does."""

import json
from typing import Any

from podium.plan.merging import merged

NAMED = "kubectl.kubernetes.io/last-applied-configuration"


def deployment(spec: Any, last: Any = None, **metadata: Any) -> Any:
    notes = {"annotations": {NAMED: json.dumps(last)}} if last is not None else {}
    return {"kind": "Deployment", "metadata": {"name": "w", **notes, **metadata}, "spec": spec}


def test_what_the_manifest_doesnt_say_stays() -> None:
    live = deployment({"replicas": 10, "paused": False}, uid="u")
    assert merged(live, deployment({"paused": True}))["spec"] == {"replicas": 10, "paused": True}


def test_what_an_earlier_manifest_said_goes() -> None:
    last = deployment({"replicas": 10, "paused": True})
    live = deployment({"replicas": 10, "paused": True, "other": 1}, last, uid="u")
    assert merged(live, deployment({"replicas": 3}))["spec"] == {"replicas": 3, "other": 1}


def test_nothing_that_says_nothing_stays() -> None:
    live = deployment({"replicas": 10}, uid="u")
    assert merged(live, deployment({"replicas": None}))["spec"] == {}


def test_an_object_written_by_hand_is_the_earlier_manifest() -> None:
    live = deployment({"replicas": 10, "paused": True})
    assert merged(live, deployment({"replicas": 3}))["spec"] == {"replicas": 3}


def test_a_pod_written_by_hand_keeps_its_node() -> None:
    live = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "n"}}
    assert merged(live, {"kind": "Pod", "metadata": {"name": "p"}, "spec": {}}) == live


def test_a_status_stays_with_an_object_written_by_hand() -> None:
    live = {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1"}}}
    manifest = {"kind": "Node", "metadata": {"name": "n", "labels": {"a": "b"}}}
    assert merged(live, manifest) == {**live, **manifest}


def test_containers_are_merged_by_name() -> None:
    live = {"containers": [{"name": "a", "image": "1", "ready": 1}, {"name": "side", "image": "s"}]}
    last = {"containers": [{"name": "a", "image": "1"}]}
    new = {"containers": [{"name": "a", "image": "2"}, {"name": "b", "image": "b"}]}
    assert merged(deployment(live, deployment(last), uid="u"), deployment(new))["spec"] == {
        "containers": [
            {"name": "a", "image": "2", "ready": 1},
            {"name": "b", "image": "b"},
            {"name": "side", "image": "s"},
        ]
    }


def test_a_container_that_isnt_in_the_manifest_any_more_goes() -> None:
    live = {"containers": [{"name": "a"}, {"name": "b"}]}
    made = merged(
        deployment(live, deployment(live), uid="u"), deployment({"containers": [{"name": "b"}]})
    )
    assert made["spec"] == {"containers": [{"name": "b"}]}


def test_a_volume_has_one_source_and_other_lists_are_replaced() -> None:
    live = {"volumes": [{"name": "v", "emptyDir": {}}], "tolerations": [{"key": "a"}]}
    new = {"volumes": [{"name": "v", "configMap": {}}], "tolerations": [{"key": "b"}]}
    assert merged(deployment(live, uid="u"), deployment(new))["spec"] == new


def test_an_annotation_that_cant_be_read_takes_nothing_out() -> None:
    live = deployment({"replicas": 10}, uid="u", annotations={NAMED: "{"})
    assert merged(live, deployment({}))["spec"] == {"replicas": 10}
