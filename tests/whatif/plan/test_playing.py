"""What follows a preemption: who comes again, whom that costs a place, and when."""

from typing import Any

import pytest

from podium.api.policy.disruption_target import BY_POD_GC, BY_SCHEDULER, BY_TAINT
from podium.whatif.plan.plan_report import Happening, Return
from tests.objects import budget, node, pod, priority_class, workload
from tests.whatif.plan.plans import planned

CLASSES = [priority_class(name, value) for name, value in (("a", 3000), ("b", 2000), ("c", 1000))]


def owned(kind: str, name: str, on: str, cpu: str = "1", **fields: Any) -> list[Any]:
    """A workload of one replica in its cluster, and its pod."""
    owner = workload(kind, name, cpu, uid=f"{name}-uid", replicas=1, template=fields)
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    tracked = {"finalizers": ["batch.kubernetes.io/job-tracking"]} if kind == "Job" else {}
    identity = {"uid": f"{name}-0-uid", "metadata": tracked, "status": ready}
    one = pod(f"{name}-0", cpu, on=on, owner=owner, **identity, **fields)
    return [owner, one]


def cascade() -> list[Any]:
    """Three nodes; b is there, and whoever loses it takes the next node of a lower one."""
    return [
        *CLASSES,
        node("n1", "1"),
        node("n2", "1"),
        *owned("ReplicaSet", "second", "n1", priorityClassName="b"),
        *owned("ReplicaSet", "third", "n2", priorityClassName="c"),
    ]


def only_on(name: str) -> dict[str, Any]:
    return {"nodeSelector": {"kubernetes.io/hostname": name}}


def test_a_replacement_preempts_in_its_turn() -> None:
    outcome = planned(cascade(), pod("first", priorityClassName="a", **only_on("n1")))
    first, second = outcome.disruptions
    assert (first.pod, first.by, first.depth) == ("default/second-0", "default/first", 1)
    assert (first.owner, first.comes_again) == ("ReplicaSet default/second", Return.CERTAIN)
    assert (first.replaced_on, first.cause) == ("n2", BY_SCHEDULER)
    assert (second.pod, second.by, second.depth) == ("default/third-0", first.replacement, 2)
    assert second.replaced_on == ""
    (pending,) = outcome.pending
    assert (pending.pod, pending.replaces) == (second.replacement, "default/third-0")
    assert "Insufficient cpu" in pending.message
    assert [p.replaces for p in outcome.placements] == ["", "default/second-0"]


def test_everything_has_its_second() -> None:
    outcome = planned(cascade(), pod("first", priorityClassName="a", **only_on("n1")))
    seen = [(m.at_s, m.happening, m.pod) for m in outcome.timeline]
    replacement = outcome.disruptions[0].replacement
    assert [(round(at_s), what) for at_s, what, who in seen if who == "default/second-0"] == [
        (0, Happening.TERMINATING),
        (30, Happening.GONE),
    ]
    assert [(round(at_s), what) for at_s, what, who in seen if who == replacement] == [
        (0, Happening.CREATED),
        (30, Happening.BOUND),
        (32, Happening.READY),
    ]
    assert seen == sorted(seen, key=lambda line: line[0])


def test_nothing_happens_later_than_it_is_asked_for() -> None:
    outcome = planned(cascade(), pod("first", priorityClassName="a", **only_on("n1")), until_s=10.0)
    assert outcome.placements == ()
    assert {p.pod for p in outcome.pending} >= {"default/first"}
    assert all(moment.at_s <= 10 for moment in outcome.timeline)


@pytest.mark.parametrize(
    ("kind", "created_s", "same_name"),
    [
        ("ReplicaSet", 0, False),
        ("StatefulSet", 30, True),
        ("DaemonSet", 30, False),
        ("Job", 10, False),
    ],
)
def test_each_kind_replaces_its_pods_in_its_own_time(
    kind: str, created_s: int, same_name: bool
) -> None:
    state = [*CLASSES, node("n", "1"), *owned(kind, "w", "n")]
    outcome = planned(state, pod("new", priorityClassName="a"))
    (lost,) = outcome.disruptions
    (at_s,) = [m.at_s for m in outcome.timeline if m.by == "default/w-0"]
    assert round(at_s) == created_s
    assert (lost.replacement == lost.pod) == same_name
    assert [pending.pod for pending in outcome.pending] == [lost.replacement]


def test_bare_pods_are_lost_for_good_and_of_others_it_isnt_known() -> None:
    strange = {"kind": "Gadget", "name": "g", "uid": "g", "controller": True}
    state = [
        *CLASSES,
        node("n", "2"),
        pod("bare", on="n"),
        pod("odd", on="n", metadata={"ownerReferences": [strange]}),
    ]
    outcome = planned(state, pod("new", "2", priorityClassName="a"))
    returns = {one.pod: one.comes_again for one in outcome.disruptions}
    assert returns == {"default/bare": Return.NEVER, "default/odd": Return.UNKNOWN}


def test_a_budget_recovers_when_the_replacement_is_ready() -> None:
    state = [
        *CLASSES,
        node("n1", "1"),
        node("n2", "1"),
        budget("web", maxUnavailable=1),
        *owned("ReplicaSet", "web", "n1"),
    ]
    outcome = planned(state, pod("new", priorityClassName="a", **only_on("n1")))
    (change,) = outcome.budgets
    assert (change.allowed_before, change.allowed_least, change.allowed_after) == (1, 0, 1)
    assert (round(change.least_at_s), change.is_touched) == (0, True)


def test_pods_of_a_deleted_node_come_again_elsewhere() -> None:
    state = [
        node("n1"),
        node("n2"),
        *owned("ReplicaSet", "web", "n1"),
        *owned("DaemonSet", "agent", "n1"),
        pod("bare", on="n1"),
    ]
    outcome = planned(state, delete="node/n1")
    found = {one.pod: (one.cause, one.comes_again) for one in outcome.disruptions}
    assert found == {
        "default/web-0": (BY_POD_GC, Return.CERTAIN),
        "default/agent-0": (BY_POD_GC, Return.NEVER),
        "default/bare": (BY_POD_GC, Return.NEVER),
    }
    assert [one.replaced_on for one in outcome.disruptions if one.replacement] == ["n2"]


def test_pods_go_with_a_node_and_their_controller() -> None:
    state = [node("n1"), node("n2"), *owned("ReplicaSet", "web", "n1")]
    outcome = planned(state, delete="node/n1 rs/web")
    assert (outcome.disruptions, outcome.placements) == ((), ())


def test_what_stood_before_stays_as_it_was() -> None:
    """Workloads that lack pods, sick nodes, and what a silent node should have finished."""
    sick = [{"type": "Ready", "status": "Unknown"}]
    short = workload("Deployment", "short", uid="d", replicas=3)
    going = pod("going", on="sick", uid="g", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    state = [node("n"), node("sick", uid="s", status={"conditions": sick}), short, going]
    outcome = planned(state)
    assert outcome.timeline == ()
    assert outcome.placements == outcome.pending == ()


def test_a_new_taint_drives_pods_away() -> None:
    state = [node("n1"), node("n2"), *owned("ReplicaSet", "web", "n1")]
    outcome = planned(state, node("n1", taints=[{"key": "k", "effect": "NoExecute"}]))
    (lost,) = outcome.disruptions
    assert (lost.cause, lost.replaced_on, lost.depth) == (BY_TAINT, "n2", 1)


def test_the_same_request_has_the_same_outcome() -> None:
    new = pod("first", priorityClassName="a", **only_on("n1"))
    assert planned(cascade(), new) == planned(cascade(), new)


def test_what_would_happen_anyway_is_told_apart() -> None:
    state = [node("n", "2"), pod("waits"), pod("big", "3")]
    outcome = planned(state, pod("new"))
    (fate,) = outcome.anyway
    assert (fate.pod, fate.outcome) == ("default/waits", "n")
    assert planned(state).anyway == ()


def test_what_a_decision_sets_off_happens_before_the_next_one() -> None:
    """The second preemption finds the budget spent, and says so."""
    state = [
        node("a", "1"),
        node("b", "1"),
        priority_class("high", 9),
        budget("web", minAvailable=1),
    ]
    state += [pod(f"web-{name}", "1", on=name, app="web") for name in "ab"]
    new = [pod(name, "1", priorityClassName="high") for name in ("one", "two")]
    found = planned(state, *new).preemptions
    assert [(one.at_s, one.chosen.pdb_violations) for one in found] == [(0.0, 0), (0.0, 1)]
