"""Namespaces that are deleted are emptied, pods first, and then go."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.controllers.namespace import NamespaceController
from podium.machines.effects import Patch
from podium.machines.events import Change, Synced, Woken
from tests.controllers.builders import Obj
from tests.controllers.worlds import START_S, World


def obj(kind: str, name: str, api_version: str = "v1", **fields: Any) -> Obj:
    metadata: Obj = {"name": name, "namespace": "shop", **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def pod(name: str, grace_s: int = 30, **metadata: Any) -> Obj:
    spec = {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": grace_s}
    return obj("Pod", name, spec=spec, metadata=metadata)


def world(*objects: Obj) -> World:
    made = World(NamespaceController)
    made.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    for one in objects:
        made.create(one)
    made.driver.advance(5)
    return made


def conditions(made: World) -> dict[str, tuple[str, str]]:
    found = made.get("Namespace", "shop")["status"]["conditions"]
    return {one["type"]: (one["status"], one["message"]) for one in found}


def left(made: World, kind: str) -> list[str]:
    return [
        one["metadata"]["name"]
        for one in made.all(kind)
        if one["metadata"].get("namespace") == "shop"
    ]


def test_an_empty_namespace_goes_once_late_writes_had_their_time() -> None:
    made = world()
    made.delete("Namespace", "shop", "")
    made.driver.advance(4.9)
    assert made.get("Namespace", "shop") is not None
    made.driver.advance(0.1)
    assert made.get("Namespace", "shop") is None


def test_nothing_happens_to_namespaces_that_live() -> None:
    made = world(obj("ConfigMap", "settings"))
    made.driver.advance(60)
    assert left(made, "ConfigMap") == ["settings"]


def test_pods_go_first_and_have_their_time() -> None:
    made = world(pod("p", 20), obj("ConfigMap", "settings"), obj("Secret", "key"))
    made.delete("Namespace", "shop", "")
    made.driver.advance(19)
    assert (left(made, "Pod"), left(made, "ConfigMap")) == (["p"], ["settings"])
    assert conditions(made)["NamespaceContentRemaining"] == (
        "True",
        "Some resources are remaining: pods. has 1 resource instances",
    )
    assert conditions(made)["NamespaceDeletionContentFailure"][0] == "False"
    made.driver.advance(10)
    assert (left(made, "Pod"), left(made, "ConfigMap"), left(made, "Secret")) == ([], [], [])
    assert made.get("Namespace", "shop") is None


def test_finalizers_are_waited_for_and_named() -> None:
    held = obj("ConfigMap", "settings", metadata={"finalizers": ["example.com/hold"]})
    made = world(held, obj("Secret", "key"))
    made.delete("Namespace", "shop", "")
    made.driver.advance(100)
    assert conditions(made)["NamespaceFinalizersRemaining"] == (
        "True",
        "Some finalizers are remaining: example.com/hold in 1 resource instances",
    )
    assert conditions(made)["NamespaceContentRemaining"] == (
        "True",
        "Some resources are remaining: configmaps. has 1 resource instances",
    )
    assert left(made, "Secret") == []
    released = made.server.store.get("ConfigMap", "shop", "settings")
    assert released is not None
    free = {**released, "metadata": {**released["metadata"], "finalizers": []}}
    made.server.replace(Attributes(KINDS["ConfigMap"], "shop", "settings", made.driver.now_s), free)
    made.driver.advance(0)
    assert made.get("Namespace", "shop") is None


def test_pods_that_outlive_their_grace_are_a_failure() -> None:
    made = world(pod("p", 20))
    made.annotate("Node", "n1", down="true")
    made.driver.advance(1)
    made.delete("Namespace", "shop", "")
    made.driver.advance(25)
    status, message = conditions(made)["NamespaceDeletionContentFailure"]
    assert status == "True"
    assert message == (
        "Failed to delete all resource types, 1 remaining: unexpected items still remain in "
        "namespace: shop for gvr: /v1, Resource=pods"
    )
    at_once = DeleteOptions(grace_period_s=0)
    made.server.delete(Attributes(KINDS["Pod"], "shop", "p", made.driver.now_s), at_once)
    made.driver.advance(0)
    assert made.get("Namespace", "shop") is None


@pytest.mark.parametrize(("grace", "is_failure"), [({}, True), ({"grace_s": 30}, False)])
def test_a_pod_without_a_grace_period_is_a_failure_at_once(grace: Obj, is_failure: bool) -> None:
    deleted = {"deletionTimestamp": timestamp(START_S)}
    metadata = {"name": "shop", "uid": "shop", "resourceVersion": "1", **deleted}
    namespace = {"kind": "Namespace", "metadata": metadata, "spec": {"finalizers": ["kubernetes"]}}
    leaving = pod("p", **grace, uid="p", resourceVersion="2", **deleted)
    if not grace:
        del leaving["spec"]["terminationGracePeriodSeconds"]
    controller = NamespaceController()
    for obj in (namespace, leaving):
        controller.step(Change(obj["kind"], None, obj), START_S)
    controller.step(Synced(), START_S)
    (patch,) = controller.step(Woken(), START_S + 5)
    assert isinstance(patch, Patch)
    statuses = {one["type"]: one["status"] for one in patch.body["status"]["conditions"]}
    assert statuses["NamespaceDeletionContentFailure"] == str(is_failure)
