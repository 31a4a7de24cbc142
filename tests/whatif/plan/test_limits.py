"""LimitRanges and ResourceQuotas count in plans as in a cluster."""

from typing import Any

from tests.objects import container, node, pod, workload
from tests.whatif.plan.plans import planned


def limited(kind: str, **spec: Any) -> Any:
    metadata = {"name": "limits", "namespace": "default"}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}


def test_a_quota_keeps_pods_of_a_workload_out() -> None:
    quota = limited("ResourceQuota", hard={"pods": "2"})
    outcome = planned(
        [node("n"), quota, pod("old", on="n")], workload("Deployment", "web", replicas=3)
    )
    assert len(outcome.placements) == 1
    (found,) = outcome.rejected
    assert (found.object, found.workload, found.count) == ("2 pods", "Deployment default/web", 2)
    assert "exceeded quota: limits" in found.message


def test_a_limit_range_says_what_a_pod_requests() -> None:
    default = {"type": "Container", "defaultRequest": {"cpu": "3"}, "default": {"cpu": "3"}}
    state = [node("n"), limited("LimitRange", limits=[default])]
    bare = [container(resources={})]
    outcome = planned(state, pod("one", containers=bare), pod("two", containers=bare))
    assert [one.pod for one in outcome.placements] == ["default/one"]
    (pending,) = outcome.pending
    assert "Insufficient cpu" in pending.message
