"""What was loaded is left alone until something happens to it."""

from typing import Any

from podium.machines.events import Change
from podium.machines.reconciler.resting_keys import RestingKeys, stirs

OWNER = ("default", "web")


def obj(kind: str, uid: str, **fields: Any) -> Any:
    metadata = {"name": uid, "namespace": "default", "uid": uid, **fields.pop("metadata", {})}
    return {"kind": kind, "metadata": metadata, **fields}


def found(*objects: Any) -> tuple[RestingKeys, list[Any]]:
    rest = RestingKeys({"loaded", "pod"}, {"ReplicaSet"})
    due = [key for one in objects for key in rest.found(Change(one["kind"], None, one), [OWNER])]
    return rest, due


def looked_at(rest: RestingKeys, kind: str, *, stirs: bool) -> bool:
    change = Change(kind, None, obj(kind, "x"))
    return [*rest.stirred(change, [OWNER], stirs=stirs)] == [OWNER]


def test_what_comes_from_a_cluster_rests_whatever_its_pods_do() -> None:
    rest, due = found(obj("Pod", "pod"), obj("ReplicaSet", "loaded"))
    assert not due
    assert not looked_at(rest, "Pod", stirs=False)
    assert rest.is_as_loaded(OWNER)


def test_a_pod_that_comes_or_goes_ends_rest_but_is_no_revision() -> None:
    rest, _ = found(obj("Pod", "pod"), obj("ReplicaSet", "loaded"))
    assert looked_at(rest, "Pod", stirs=True)
    assert looked_at(rest, "Pod", stirs=False)
    assert rest.is_as_loaded(OWNER)
    assert looked_at(rest, "ReplicaSet", stirs=True)
    assert not rest.is_as_loaded(OWNER)


def test_what_was_written_by_hand_is_looked_after_at_once() -> None:
    rest, due = found(obj("Pod", "pod"), obj("ReplicaSet", "new"))
    assert due == [OWNER]
    assert looked_at(rest, "Pod", stirs=False)
    assert not rest.is_as_loaded(OWNER)


def test_what_stirs() -> None:
    pod = obj("Pod", "p", spec={}, status={"phase": "Pending"})
    running = {**pod, "status": {"phase": "Running"}}
    assert stirs(None, pod)
    assert stirs(pod, None)
    assert stirs(pod, obj("Pod", "other"))
    assert not stirs(pod, running)
    assert not stirs(pod, {**pod, "spec": {"nodeName": "n"}})
    assert stirs(pod, {**pod, "status": {"phase": "Failed"}})
    assert stirs(pod, obj("Pod", "p", metadata={"deletionTimestamp": "t"}))
    owner = obj("ReplicaSet", "r", spec={"replicas": 1})
    assert not stirs(owner, {**owner, "status": {"replicas": 1}})
    assert stirs(owner, {**owner, "spec": {"replicas": 2}})
