"""What was loaded is left alone until something happens to it."""

from typing import Any

import pytest

from podium.machines.events import Change
from podium.machines.reconciler.postponed import RestingKeys, stirs

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


@pytest.mark.parametrize("is_loaded", [True, False])
def test_only_loaded_keys_rest_whatever_their_pods_do(is_loaded: bool) -> None:
    rest, due = found(obj("Pod", "pod"), obj("ReplicaSet", "loaded" if is_loaded else "new"))
    assert due == ([] if is_loaded else [OWNER])
    assert looked_at(rest, "Pod", stirs=False) is not is_loaded
    assert rest.is_as_loaded(OWNER) is is_loaded


def test_a_pod_that_comes_or_goes_ends_rest_but_is_no_revision() -> None:
    rest, _ = found(obj("Pod", "pod"), obj("ReplicaSet", "loaded"))
    assert looked_at(rest, "Pod", stirs=True)
    assert looked_at(rest, "Pod", stirs=False)
    assert rest.is_as_loaded(OWNER)
    assert looked_at(rest, "ReplicaSet", stirs=True)
    assert not rest.is_as_loaded(OWNER)


POD = obj("Pod", "p", spec={}, status={"phase": "Pending"})
OWNED = obj("ReplicaSet", "r", spec={"replicas": 1})


@pytest.mark.parametrize(
    ("old", "new", "is_stirred"),
    [
        (None, POD, True),
        (POD, None, True),
        (POD, obj("Pod", "other"), True),
        (POD, {**POD, "status": {"phase": "Running"}}, False),
        (POD, {**POD, "spec": {"nodeName": "n"}}, False),
        (POD, {**POD, "status": {"phase": "Failed"}}, True),
        (POD, obj("Pod", "p", metadata={"deletionTimestamp": "t"}), True),
        (OWNED, {**OWNED, "status": {"replicas": 1}}, False),
        (OWNED, {**OWNED, "spec": {"replicas": 2}}, True),
    ],
)
def test_additions_deletions_and_changes_outside_the_status_stir(
    old: Any, new: Any, is_stirred: bool
) -> None:
    assert stirs(old, new) is is_stirred
