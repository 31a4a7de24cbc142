"""The dispatcher: what each effect does to what is stored, and what its outcome says."""

from collections.abc import Mapping
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.server import ApiServer
from podium.cluster.drivers.api_caller import ApiCaller
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Record, Replace
from podium.machines.events import Outcome
from tests.cluster.drivers.machines import NAMESPACE, START_S, make_server


class Desk:
    """A server with one pod and one replica set, and the dispatcher before it."""

    def __init__(self) -> None:
        self.server: ApiServer = make_server()
        self.dispatcher = ApiCaller(self.server)
        self.pod = self._create("Pod", {"spec": {"containers": [{"name": "c", "image": "i"}]}})
        labels = {"app": "a"}
        template = {"metadata": {"labels": labels}, "spec": self.pod["spec"]}
        self._create(
            "ReplicaSet", {"spec": {"selector": {"matchLabels": labels}, "template": template}}
        )

    @property
    def uid(self) -> str:
        return str(self.pod["metadata"]["uid"])

    def call(self, effect: Effect) -> Outcome:
        return self.dispatcher.call(effect, START_S)

    def stored(self, kind: str = "Pod") -> Mapping[str, Any] | None:
        return self.server.store.get(kind, NAMESPACE, "x")

    def _create(self, kind: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        metadata = {"name": "x", "namespace": NAMESPACE}
        known = KINDS[kind]
        obj = {"apiVersion": known.api_version, "kind": kind, "metadata": metadata, **fields}
        outcome = self.dispatcher.call(Create(kind=kind, obj=obj), START_S)
        assert outcome.obj is not None
        return outcome.obj


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_create_answers_with_the_object(desk: Desk) -> None:
    assert desk.stored() is desk.pod
    metadata = {"name": "x", "namespace": NAMESPACE}
    again = desk.call(Create(kind="Pod", obj={**desk.pod, "metadata": metadata}))
    assert again.error is not None
    assert (again.error.code, again.error.reason) == (409, "AlreadyExists")
    assert again.obj is None


def test_replace_changes_what_the_subresource_is_about(desk: Desk) -> None:
    status = {"phase": "Running"}
    outcome = desk.call(
        Replace(kind="Pod", obj={**desk.pod, "status": status}, subresource="status")
    )
    assert outcome.error is None
    assert (desk.stored() or {})["status"]["phase"] == "Running"
    stale = desk.call(Replace(kind="Pod", obj=desk.pod, subresource="status"))
    assert stale.error is not None
    assert stale.error.reason == "Conflict"


def test_patch_merges_lists_by_their_keys(desk: Desk) -> None:
    for kind in ("A", "B"):
        condition = {"type": kind, "status": "True"}
        desk.call(_status_patch(desk.uid, {"conditions": [condition]}))
    conditions = (desk.stored() or {})["status"]["conditions"]
    assert {condition["type"] for condition in conditions} == {"A", "B"}


def test_patch_of_another_pod_of_the_name_is_refused(desk: Desk) -> None:
    outcome = desk.call(_status_patch("another", {"phase": "Running"}))
    assert outcome.error is not None
    assert outcome.error.reason == "Invalid"


def test_scale_is_patched_and_replaced(desk: Desk) -> None:
    patch = Patch(
        kind="ReplicaSet",
        namespace=NAMESPACE,
        name="x",
        subresource="scale",
        body={"spec": {"replicas": 5}},
    )
    outcome = desk.call(patch)
    assert (desk.stored("ReplicaSet") or {})["spec"]["replicas"] == 5
    assert outcome.obj is not None
    scale = {**outcome.obj, "spec": {"replicas": 2}}
    desk.call(Replace(kind="ReplicaSet", obj=scale, subresource="scale"))
    assert (desk.stored("ReplicaSet") or {})["spec"]["replicas"] == 2


def test_delete_keeps_to_its_preconditions(desk: Desk) -> None:
    delete = Delete(kind="Pod", namespace=NAMESPACE, name="x", uid="another")
    outcome = desk.call(delete)
    assert outcome.error is not None
    assert outcome.error.reason == "Conflict"
    assert desk.call(Delete(kind="Pod", namespace=NAMESPACE, name="x", uid=desk.uid)).obj
    assert desk.stored() is None


def test_bind_puts_the_pod_on_the_node_once(desk: Desk) -> None:
    bind = Bind(namespace=NAMESPACE, name="x", uid=desk.uid, node_name="n")
    assert desk.call(bind).error is None
    assert (desk.stored() or {})["spec"]["nodeName"] == "n"
    again = desk.call(bind)
    assert again.error is not None
    assert again.error.code == 409


def test_evict_is_refused_by_a_budget_with_a_hint(desk: Desk) -> None:
    desk.call(Bind(namespace=NAMESPACE, name="x", uid=desk.uid, node_name="n"))
    ready = {"type": "Ready", "status": "True"}
    desk.call(_status_patch(desk.uid, {"phase": "Running", "conditions": [ready]}))
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": NAMESPACE},
        "spec": {"selector": {}, "minAvailable": 1},
    }
    desk.call(Create(kind="PodDisruptionBudget", obj=budget))
    refused = desk.call(Evict(namespace=NAMESPACE, name="x", uid=desk.uid))
    assert refused.error is not None
    assert (refused.error.code, refused.error.reason) == (429, "TooManyRequests")
    assert refused.error.retry_after_s > 0
    desk.call(Delete(kind="PodDisruptionBudget", namespace=NAMESPACE, name="b"))
    assert desk.call(Evict(namespace=NAMESPACE, name="x", grace_period_s=0)).error is None
    assert desk.stored() is None


def test_a_record_is_no_call(desk: Desk) -> None:
    record = Record(
        regarding=desk.pod,
        reporting_controller="c",
        type="Normal",
        reason="R",
        action="A",
        note="N",
    )
    with pytest.raises(KeyError):
        desk.call(record)


def _status_patch(uid: str, status: Mapping[str, Any]) -> Patch:
    return Patch(
        kind="Pod",
        namespace=NAMESPACE,
        name="x",
        subresource="status",
        body={"metadata": {"uid": uid}, "status": status},
    )
