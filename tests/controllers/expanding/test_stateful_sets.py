"""StatefulSets keep numbered pods, each with its claims."""

from typing import Any

from podium.controllers.expanding.templates import ClusterView, expand

Obj = dict[str, Any]

CLAIM = {"metadata": {"name": "data", "labels": {"x": "y"}}, "spec": {"storageClassName": "s"}}
GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def test_pods_and_claims_are_made(make: Any) -> None:
    owner = make.workload(
        "StatefulSet", replicas=2, serviceName="svc", volumeClaimTemplates=[CLAIM]
    )
    own = [{"name": "data", "emptyDir": {}}, {"name": "other", "emptyDir": {}}]
    owner["spec"]["template"]["spec"]["volumes"] = own
    expansion = expand(owner, ClusterView())
    assert make.names(expansion.pods) == ["w-0", "w-1"]
    second = expansion.pods[1]
    labels = second["metadata"]["labels"]
    assert labels["apps.kubernetes.io/pod-index"] == "1"
    assert labels["statefulset.kubernetes.io/pod-name"] == "w-1"
    assert labels["controller-revision-hash"].startswith("w-")
    assert (second["spec"]["hostname"], second["spec"]["subdomain"]) == ("w-1", "svc")
    assert second["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-w-1"}},
        own[1],
    ]
    assert expansion.objects[1] == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-w-1", "namespace": "ns", "labels": {"x": "y", "app": "w"}},
        "spec": {"storageClassName": "s"},
    }


def test_numbers_may_start_anywhere(make: Any) -> None:
    owner = make.workload("StatefulSet", replicas=2, ordinals={"start": 5})
    assert make.names(expand(owner, ClusterView()).pods) == ["w-5", "w-6"]


def test_only_what_is_missing_is_made(make: Any) -> None:
    owner = make.workload("StatefulSet", replicas=3, volumeClaimTemplates=[CLAIM])
    claim = {**CLAIM, "kind": "PersistentVolumeClaim"}
    kept = {**claim, "metadata": {"name": "data-w-2", "namespace": "ns"}}
    there = [make.pod("w-1", owner), kept]
    expansion = expand(owner, ClusterView.of(there))
    assert make.names(expansion.pods) == ["w-0", "w-2"]
    assert make.names(expansion.objects) == ["data-w-0"]


def test_the_highest_go_first(make: Any) -> None:
    owner = make.workload("StatefulSet", replicas=1)
    there = [make.pod(f"w-{ordinal}", owner) for ordinal in (0, 2, 10)]
    expansion = expand(owner, ClusterView.of([*there, make.pod("w-x", owner)]))
    assert make.names(expansion.surplus) == ["w-10", "w-2"]
    assert expansion.notes == ["StatefulSet ns/w has 2 too many and deletes w-10, w-2"]


def test_finished_pods_are_replaced_and_going_ones_awaited(make: Any) -> None:
    owner = make.workload("StatefulSet", replicas=2)
    there = [make.pod("w-0", owner, phase="Failed"), make.pod("w-1", owner, metadata=GOING)]
    expansion = expand(owner, ClusterView.of(there))
    assert make.names(expansion.pods) == make.names(expansion.surplus) == ["w-0"]
    assert expansion.notes == ["StatefulSet ns/w makes w-1 anew once it is gone"]
