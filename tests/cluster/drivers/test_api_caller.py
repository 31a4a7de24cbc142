"""Calls in the same process: what each effect does to the stored object, and its outcome."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from podium.cluster.drivers.api_caller import carry_out
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Record, Replace
from podium.machines.events import CallError, Outcome
from tests.cluster.drivers.machines import START_S, make_server
from tests.objects import Obj, budget, pod, workload

X: Any = {"namespace": "default", "name": "x"}


class Desk:
    """A server with the pod and the ReplicaSet `x`, and a caller."""

    def __init__(self) -> None:
        self.server = make_server()
        self.pod = self.call(Create(kind="Pod", obj=pod("x"))).obj
        self.call(Create(kind="ReplicaSet", obj=workload("ReplicaSet", "x")))

    def call(self, effect: Effect) -> Outcome:
        return carry_out(self.server, effect, START_S)

    def bind(self) -> Bind:
        return Bind(**X, uid=self.pod["metadata"]["uid"], node_name="n")

    def stored(self, kind: str = "Pod") -> Any:
        return self.server.store.get(kind, "default", "x")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def status_patch(uid: str, **status: Any) -> Patch:
    body: Mapping[str, Any] = {"metadata": {"uid": uid}, "status": status}
    return Patch(kind="Pod", **X, subresource="status", body=body)


def of_type(kind: str) -> Obj:
    return {"conditions": [{"type": kind, "status": "True"}]}


def test_objects_are_created_patched_replaced_bound_and_deleted(desk: Desk) -> None:
    assert desk.stored() is desk.pod
    uid = desk.pod["metadata"]["uid"]
    for kind in "AB":
        patched = desk.call(status_patch(uid, **of_type(kind))).obj
    assert {one["type"] for one in desk.stored()["status"]["conditions"]} == {"A", "B"}
    running = {**patched, "status": {"phase": "Running"}}
    assert desk.call(Replace(kind="Pod", obj=running, subresource="status")).error is None
    assert desk.stored()["status"]["phase"] == "Running"
    assert desk.call(desk.bind()).error is None
    assert desk.stored()["spec"]["nodeName"] == "n"
    assert desk.call(Delete(kind="Pod", **X, uid=uid, grace_period_s=0)).obj
    assert desk.stored() is None


def test_a_scale_is_patched_and_replaced(desk: Desk) -> None:
    body = {"spec": {"replicas": 5}}
    scale = desk.call(Patch(kind="ReplicaSet", **X, subresource="scale", body=body)).obj
    assert desk.stored("ReplicaSet")["spec"]["replicas"] == 5
    smaller = {**scale, "spec": {"replicas": 2}}
    desk.call(Replace(kind="ReplicaSet", obj=smaller, subresource="scale"))
    assert desk.stored("ReplicaSet")["spec"]["replicas"] == 2


def stale(desk: Desk) -> Effect:
    desk.call(status_patch(desk.pod["metadata"]["uid"], phase="Running"))
    return Replace(kind="Pod", obj=desk.pod, subresource="status")


def bound(desk: Desk) -> Effect:
    desk.call(desk.bind())
    return desk.bind()


@pytest.mark.parametrize(
    ("refused", "code", "reason"),
    [
        (lambda _: Create(kind="Pod", obj=pod("x")), 409, "AlreadyExists"),
        (stale, 409, "Conflict"),
        (lambda _: status_patch("another", phase="Running"), 422, "Invalid"),
        (lambda _: Delete(kind="Pod", **X, uid="another"), 409, "Conflict"),
        (bound, 409, "Conflict"),
    ],
    ids=["there already", "stale", "patch of another uid", "deletion of another uid", "bound"],
)
def test_a_refusal_is_the_outcome(
    desk: Desk, refused: Callable[[Desk], Effect], code: int, reason: str
) -> None:
    outcome = desk.call(refused(desk))
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.reason, outcome.obj) == (code, reason, None)


def test_an_eviction_is_refused_by_a_budget_with_a_hint(desk: Desk) -> None:
    desk.call(desk.bind())
    desk.call(status_patch(desk.pod["metadata"]["uid"], phase="Running", **of_type("Ready")))
    desk.call(Create(kind="PodDisruptionBudget", obj=budget("x", minAvailable=1)))
    error = desk.call(Evict(**X)).error
    assert isinstance(error, CallError)
    assert (error.code, error.reason, error.retry_after_s > 0) == (429, "TooManyRequests", True)
    desk.call(Delete(kind="PodDisruptionBudget", **X))
    assert desk.call(Evict(**X, grace_period_s=0)).error is None
    assert desk.stored() is None


def test_a_record_is_no_call(desk: Desk) -> None:
    fields = dict.fromkeys(("reporting_controller", "type", "reason", "action", "note"), "x")
    with pytest.raises(KeyError):
        desk.call(Record(regarding=desk.pod, **fields))
