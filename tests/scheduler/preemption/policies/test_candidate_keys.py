"""The keys of cost, on a cluster in which two victims are equal to kube-scheduler."""

from typing import Any

import pytest

from podium.scheduler.config.scheduler_options import CandidateKey, SchedulerOptions
from podium.scheduler.scheduler import Scheduler

NODES = [("n-1", "fast"), ("n-2", "slow"), ("n-3", "slow")]


def chosen(key: str, *on_first: dict[str, Any], **on_second: Any) -> str:
    """Where a large pod goes, if victims differ in this and the key comes first."""
    order = [CandidateKey(key), *list(CandidateKey)[:5]]
    scheduler = Scheduler(options=SchedulerOptions(candidate_order=order))
    scheduler.clock.now_s = 1000.0
    pods = [victim("a", "n-1", **dict(*on_first)), victim("b", "n-2", **on_second)]
    scheduler.load([node(*one) for one in NODES], [*pods, blocker()])
    (pending,) = scheduler.load([], [large()])
    decision = scheduler.decide(pending)
    assert decision.preemption is not None
    return decision.preemption.node_name


def node(name: str, disk: str) -> dict[str, Any]:
    room = {"cpu": "3" if name != "n-3" else "2", "memory": "8Gi", "pods": "10"}
    labels = {"disk": disk, "kubernetes.io/hostname": name}
    return {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": room}}


def victim(name: str, where: str, disk: str = "", **noted: str) -> dict[str, Any]:
    owner = {"uid": f"owner-{name}", "controller": True, "kind": "ReplicaSet"}
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "ownerReferences": [owner] if disk else [],
            "annotations": {
                key.replace("__", "/").replace("_", "-"): v for key, v in noted.items()
            },
        },
        "spec": {
            **requests("2"),
            "nodeName": where,
            "nodeSelector": {"disk": disk} if disk else {},
        },
        "status": {"startTime": "1970-01-01T00:00:00Z"},
    }


def large() -> dict[str, Any]:
    return {"metadata": {"name": "large", "namespace": "default"}, "spec": requests("3", 1000)}


def blocker() -> dict[str, Any]:
    """Something on the third node that nobody preempts."""
    spec = {**requests("0", 2000), "nodeName": "n-3"}
    return {"metadata": {"name": "blocker", "namespace": "default"}, "spec": spec}


def requests(cpu: str, priority: int = 0) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {"priority": priority, "containers": [container]}


COST = "controller.kubernetes.io__pod_deletion_cost"
CHECKPOINT = "podium.dev__last_checkpoint"


@pytest.mark.parametrize(
    ("key", "first", "second", "expected"),
    [
        ("DeletionCost", {}, {}, "n-1"),
        ("DeletionCost", {}, {COST: "-5"}, "n-2"),
        ("DeletionCost", {COST: "-9"}, {COST: "-5"}, "n-1"),
        ("LostRunTime", {}, {}, "n-1"),
        ("LostRunTime", {}, {CHECKPOINT: "1970-01-01T00:10:00Z"}, "n-2"),
        ("LostRunTime", {}, {CHECKPOINT: "lately"}, "n-1"),
        ("StrandedVictims", {}, {}, "n-1"),
        ("StrandedVictims", {"disk": "fast"}, {"disk": "slow"}, "n-2"),
        ("StrandedVictims", {}, {"disk": "slow"}, "n-2"),
        ("StrandedVictims", {"disk": "fast"}, {"disk": "fast"}, "n-1"),
    ],
)
def test_the_key_decides(
    key: str, first: dict[str, str], second: dict[str, str], expected: str
) -> None:
    assert chosen(key, first, **second) == expected
