"""Applying manifests to a cluster as `kubectl apply` does."""

import json
from typing import Any

import pytest

from podium.api.well_known import LAST_APPLIED
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply_manifest
from tests.objects import Obj, config_map, node


def cluster(*objects: Obj) -> Cluster:
    made = Cluster()
    made.load(objects)
    return made


def stored(made: Cluster, kind: str, namespace: str, name: str) -> Any:
    found = made.store.get(kind, namespace, name)
    assert found is not None
    return found


def test_what_isnt_there_is_created() -> None:
    made = cluster()
    assert apply_manifest(made, config_map("c", a="1")).created
    assert stored(made, "ConfigMap", "default", "c")["data"] == {"a": "1"}


@pytest.mark.parametrize(
    ("note", "earlier"),
    [
        (json.dumps(config_map("c", a="1", b="1")), None),
        ("", config_map("c", a="1", b="1")),
    ],
    ids=["the object says what was applied", "the caller knows what was applied"],
)
def test_what_an_earlier_manifest_said_goes_and_the_rest_stays(
    note: str, earlier: Obj | None
) -> None:
    there = config_map("c", a="1", b="1", others="1")
    there["metadata"]["annotations"] = {LAST_APPLIED: note} if note else {}
    made = cluster(there)
    assert not apply_manifest(made, config_map("c", a="2"), earlier).created
    assert stored(made, "ConfigMap", "default", "c")["data"] == {"a": "2", "others": "1"}


def test_a_note_that_cant_be_read_takes_nothing_out() -> None:
    there = config_map("c", a="1")
    there["metadata"]["annotations"] = {LAST_APPLIED: "{"}
    made = cluster(there)
    apply_manifest(made, config_map("c", b="2"))
    assert stored(made, "ConfigMap", "default", "c")["data"] == {"a": "1", "b": "2"}


def test_a_manifest_may_say_what_a_node_has() -> None:
    made = cluster(node("n", "1"))
    apply_manifest(made, node("n", "2"))
    assert stored(made, "Node", "", "n")["status"]["allocatable"]["cpu"] == "2"
