"""Plans of states in which pods or nodes aren't healthy: they stay so, and are counted so."""

import pytest

from podium.whatif.plan.changes import parse_drain
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import Obj, budget, node, pod, workload

CRASHING = {
    "phase": "Running",
    "conditions": [{"type": "Ready", "status": "False"}],
    "containerStatuses": [
        {
            "name": "c",
            "ready": False,
            "restartCount": 9,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        }
    ],
}
WELL = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def drained(name: str, *, heals: bool = False, **policy: str) -> Plan:
    """The drain of one of two nodes, with a crash-looping pod on a and one that is well on b."""
    web = workload("ReplicaSet", "web", replicas=2, uid="rs")
    counted = {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 2}
    pods = [
        pod("web-crash", on="a", owner=web, uid="p1", status=CRASHING),
        pod("web-ok", on="b", owner=web, uid="p2", status=WELL),
    ]
    status = {**counted, "expectedPods": 2, "observedGeneration": 1}
    limit = budget("web", uid="pdb", minAvailable=2, status=status, **policy)
    limit["metadata"]["generation"] = 1
    state: list[Obj] = [node("a"), node("b"), web, *pods, limit]
    return plan(PlanRequest(LoadedState(state), [parse_drain(name, "")], heals=heals))


def test_a_crash_looping_pod_counts_as_unhealthy_for_as_long_as_it_is_there() -> None:
    outcome = drained("b")
    (drain,) = outcome.drains
    assert (drain.state, drain.evicted) == ("Open", 0)
    assert not [one for one in outcome.timeline if one.happening == "ready"]


def test_what_stays_unhealthy_is_noted() -> None:
    assert drained("b").notes == (
        "1 pod of the state isn't ready and stays so: default/web-crash; --assume-healthy has it "
        "recover",
    )
    assert not drained("b", heals=True).notes
    sick = {"conditions": [{"type": "Ready", "status": "False"}]}
    nodes = [node(name, status=sick) for name in "abcde"]
    assert plan(PlanRequest(LoadedState(nodes))).notes == (
        "5 nodes of the state aren't ready and stay so: a, b, c and 2 more; --assume-healthy has "
        "them recover",
    )


def test_an_unhealthy_pod_is_evicted_where_its_budget_lets_it() -> None:
    (drain,) = drained("a", unhealthyPodEvictionPolicy="AlwaysAllow").drains
    assert (drain.state, drain.evicted) == ("Done", 1)
    (blocked,) = drained("a").drains
    assert blocked.state == "Open"


def test_all_may_be_taken_to_heal() -> None:
    assert "has 1" in drained("b").drains[0].reasons[0]
    assert "has 1" not in drained("b", heals=True).drains[0].reasons[0]


@pytest.mark.parametrize(("heals", "places"), [(False, 0), (True, 1)])
def test_nothing_is_placed_on_a_node_that_stays_unready(heals: bool, places: int) -> None:
    ready = {"conditions": [{"type": "Ready", "status": "False"}]}
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    sick = node("sick", status=ready, taints=[taint])
    outcome = plan(PlanRequest(LoadedState([sick, pod("new")]), heals=heals, repairs=True))
    assert len(outcome.placements) == places
