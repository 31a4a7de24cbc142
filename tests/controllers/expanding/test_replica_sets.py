"""ReplicaSets and ReplicationControllers keep their number of pods."""

from typing import Any

import pytest

from podium.controllers.expanding.templates import ClusterView, Expansion, expand


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController"])
def test_all_pods_are_made(make: Any, kind: str) -> None:
    owner = make.workload(kind, replicas=3)
    expansion = expand(owner, ClusterView.of([owner]))
    names = make.names(expansion.pods)
    assert len(set(names)) == 3
    assert all(name.startswith("w-") and len(name) == 7 for name in names)
    assert expansion.pods[0] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": names[0],
            "namespace": "ns",
            "labels": {"app": "w"},
            "ownerReferences": [
                {
                    "apiVersion": owner["apiVersion"],
                    "kind": kind,
                    "name": "w",
                    "uid": "uid-w",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {"containers": [{"name": "c"}]},
        "status": {"phase": "Pending"},
    }
    assert expansion == Expansion(pods=expansion.pods)


def test_what_is_made_is_enough(make: Any) -> None:
    owner = make.workload("ReplicaSet", replicas=3)
    pods = expand(owner, ClusterView.of([owner])).pods
    again = expand(owner, ClusterView.of([owner, *pods]))
    assert again == Expansion()
    more = expand({**owner, "spec": {**owner["spec"], "replicas": 5}}, ClusterView.of(pods))
    assert len({*make.names(more.pods), *make.names(pods)}) == 5


def test_one_is_wanted_unless_said(make: Any) -> None:
    assert len(expand(make.workload("ReplicaSet"), ClusterView()).pods) == 1
    assert not expand(make.workload("ReplicaSet", replicas=0), ClusterView()).pods


def test_who_counts(make: Any) -> None:
    owner = make.workload("ReplicaSet", replicas=9)
    other = make.workload("ReplicaSet", "other")
    old = make.workload("ReplicaSet")
    old["metadata"]["uid"] = "uid-older"
    pods = [
        make.pod("own", owner),
        make.pod("orphan", metadata={"labels": {"app": "w"}}),
        make.pod("finished", owner, phase="Succeeded"),
        make.pod("going", owner, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
        make.pod("released", owner, metadata={"labels": {"app": "x"}}),
        make.pod("elsewhere", owner, metadata={"namespace": "other"}),
        make.pod("anothers", other, metadata={"labels": {"app": "w"}}),
        make.pod("formers", old),
        make.pod("stranger", metadata={"labels": {"app": "x"}}),
    ]
    assert len(expand(owner, ClusterView.of(pods)).pods) == 9 - 2


def test_an_owner_without_uid_is_known_by_name(make: Any) -> None:
    owner = make.workload("ReplicaSet", replicas=1)
    pods = [make.pod("own", owner)]
    del owner["metadata"]["uid"]
    assert not expand(owner, ClusterView.of(pods)).pods


def test_surplus_goes_in_order(make: Any) -> None:
    owner = make.workload("ReplicaSet", replicas=1)
    pods = [
        make.pod("running", owner, node="n"),
        make.pod("unassigned", owner, phase="Pending"),
        make.pod("pending", owner, phase="Pending", node="n"),
    ]
    expansion = expand(owner, ClusterView.of(pods))
    assert make.names(expansion.surplus) == ["unassigned", "pending"]
    (note,) = expansion.notes
    assert note == "ReplicaSet ns/w has 2 too many and deletes unassigned, pending"
    assert not expansion.pods


def test_kinds_without_pods_are_refused() -> None:
    with pytest.raises(ValueError, match="a Service has no pods; DaemonSet, Deployment, Job"):
        expand({"kind": "Service"}, ClusterView())
