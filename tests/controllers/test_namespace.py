"""Namespaces with pods that no API server would store."""

from typing import Any

import pytest

from podium.api.values.times import timestamp
from podium.controllers.namespace import NamespaceController
from podium.machines.effects import Patch
from podium.machines.events import Change, Synced, Woken
from tests import objects
from tests.controllers.builders import Obj
from tests.controllers.worlds import START_S


def pod(name: str, grace_s: int = 30, **metadata: Any) -> Obj:
    return objects.pod(
        name, namespace="shop", metadata=metadata, terminationGracePeriodSeconds=grace_s
    )


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
