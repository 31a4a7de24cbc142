"""Workloads are counted as their objects, pods and budgets change."""

from typing import Any

import pytest

from podium.api.objects import Object
from podium.ui.dashboard.descriptions import described_pod
from podium.ui.dashboard.views import Workload
from podium.ui.dashboard.workload_counts import WorkloadCounts
from tests.objects import READY, Obj, budget, pod, workload

WEB = workload("Deployment", "web", replicas=3, uid="web")


def replica_set(hashed: str, **spec: Any) -> Obj:
    made = workload("ReplicaSet", "web", uid=f"web-{hashed}", **spec)
    owner = {"kind": "Deployment", "name": "web", "uid": "web", "controller": True}
    made["metadata"] |= {"name": f"web-{hashed}", "ownerReferences": [owner]}
    return made


def pod_of(owner: Obj, name: str, on: str = "node-1", status: Obj = READY) -> Obj:
    one = pod(name, on=on, owner=owner, status=status)
    one["metadata"]["labels"]["pod-template-hash"] = "1"
    return one


def changed(workloads: WorkloadCounts, old: Obj | None, new: Obj | None) -> None:
    described = (one and described_pod(one) for one in (old, new))
    workloads.pod_changed(*described)


def only(workloads: WorkloadCounts) -> Workload:
    (found,) = workloads.values.values()
    return found


def of(*objects: Object) -> Workload:
    workloads = WorkloadCounts()
    for one in objects:
        workloads.object_changed(one, False)
    workloads.take()
    return only(workloads)


def test_pods_are_counted_where_their_replica_set_belongs() -> None:
    workloads, owner = WorkloadCounts(), replica_set("1")
    workloads.object_changed(WEB, False)
    workloads.budget_changed(budget("web", minAvailable=2), False)
    workloads.budget_changed(budget("other", minAvailable=2), False)
    crash = {"containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
    crashing = pod_of(owner, "web-2", status={"phase": "Running", **crash})
    assert described_pod(crashing).message == "CrashLoopBackOff"
    changed(workloads, None, crashing)
    changed(workloads, None, pod_of(owner, "web-3", on="", status={}))
    pods = [pod_of(owner, "web-1"), pod_of(owner, "web-4")]
    for one in pods:
        changed(workloads, None, one)
    (web,), gone = workloads.take()
    assert gone == []
    assert (web.kind, web.name, web.desired, web.budgets) == ("Deployment", "web", 3, ["web"])
    assert (web.ready, web.pending, web.unready) == (2, 1, 1)
    going = {**pods[0], "metadata": {**pods[0]["metadata"], "deletionTimestamp": "now"}}
    changed(workloads, pods[0], going)
    workloads.budget_changed(budget("web"), True)
    workloads.take()
    assert (only(workloads).ready, only(workloads).budgets) == (1, [])
    changed(workloads, going, None)
    assert workloads.take() == ([], [])


def test_a_workload_is_gone_with_its_object_and_its_last_pod() -> None:
    workloads, one = WorkloadCounts(), pod_of(replica_set("1"), "web-1")
    workloads.object_changed(WEB, False)
    changed(workloads, None, one)
    workloads.take()
    workloads.object_changed(WEB, True)
    assert [kept.desired for kept in workloads.take()[0]] == [1]
    changed(workloads, one, None)
    assert workloads.take() == ([], ["default/Deployment/web"])


def test_without_deployments_their_replica_sets_say_what_is_wanted() -> None:
    sets = replica_set("1", replicas=2), replica_set("2", replicas=1)
    web = of(*sets)
    assert (web.kind, web.name, web.desired) == ("Deployment", "web", 3)
    assert of(*sets, {**WEB, "spec": {**WEB["spec"], "replicas": 2}}).desired == 2


def test_a_static_pod_belongs_to_no_workload_and_an_unknown_controller_wants_its_pods() -> None:
    workloads = WorkloadCounts()
    for kind in ("Node", "Rollout"):
        owner = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "uid": kind}}
        changed(workloads, None, pod_of(owner, f"{kind}-1"))
    workloads.take()
    assert (only(workloads).kind, only(workloads).desired) == ("Rollout", 1)


@pytest.mark.parametrize(
    ("kind", "spec", "status", "desired", "note"),
    [
        ("StatefulSet", {}, {}, 1, ""),
        ("Deployment", {"replicas": 2, "paused": True}, {}, 2, "paused"),
        ("DaemonSet", {}, {"desiredNumberScheduled": 5}, 5, ""),
        ("Job", {}, {}, 1, ""),
        ("Job", {"parallelism": 3, "completions": 4}, {"succeeded": 2}, 2, ""),
        ("Job", {"parallelism": 3, "suspend": True}, {}, 0, "suspended"),
        ("Job", {}, {"conditions": [{"type": "Complete", "status": "True"}]}, 0, "complete"),
        (
            "Job",
            {},
            {"conditions": [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}]},
            0,
            "failed: DeadlineExceeded",
        ),
        (
            "Deployment",
            {},
            {"conditions": [{"type": "ReplicaFailure", "status": "True", "message": "no quota"}]},
            1,
            "no quota",
        ),
    ],
)
def test_each_kind_says_how_many_pods_it_wants(
    kind: str, spec: Obj, status: Obj, desired: int, note: str
) -> None:
    found = of({**workload(kind, "web", **spec), "status": status})
    assert (found.desired, found.note) == (desired, note)
