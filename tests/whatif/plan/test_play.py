"""What follows a preemption: victims, replacements and their victims, budgets, and when."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.policy.disruption_budgets import spend
from podium.api.policy.disruption_target import BY_POD_GC, BY_SCHEDULER, BY_TAINT
from podium.simulation.timeline.preemption import NAME_KEY
from podium.whatif.plan.plan_report import Happening, Plan, Return
from tests.objects import HOST, UNKNOWN, Obj, budget, node, pod, priority_class, running, workload
from tests.whatif.plan.plans import planned

CLASSES = [priority_class(name, value) for name, value in (("a", 3000), ("b", 2000), ("c", 1000))]
FIRST = pod("first", priorityClassName="a", nodeSelector={HOST: "n1"})
NEW = pod("new", priorityClassName="a")


def cascade(**settings: Any) -> Plan:
    """Two nodes; the pod that loses the first takes the second of a pod of a lower class."""
    state = [
        *CLASSES,
        node("n1", "1"),
        node("n2", "1"),
        *running("ReplicaSet", "second", "n1", priorityClassName="b"),
        *running("ReplicaSet", "third", "n2", priorityClassName="c"),
    ]
    return planned(state, FIRST, **settings)


def test_a_replacement_preempts_in_its_turn() -> None:
    outcome = cascade()
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
    assert outcome == cascade()


def test_everything_has_its_second() -> None:
    outcome = cascade()
    times_s = [moment.at for moment in outcome.timeline]
    assert times_s == sorted(times_s)

    def course(of: str) -> list[tuple[int, Happening]]:
        return [(round(one.at), one.event) for one in outcome.timeline if one.pod == of]

    assert course("default/second-0") == [(0, Happening.TERMINATING), (30, Happening.GONE)]
    assert course(outcome.disruptions[0].replacement) == [
        (0, Happening.CREATED),
        (30, Happening.BOUND),
        (32, Happening.READY),
    ]


def test_nothing_happens_later_than_it_is_asked_for() -> None:
    outcome = cascade(until_s=10.0)
    assert outcome.placements == ()
    assert {p.pod for p in outcome.pending} >= {"default/first"}
    assert all(moment.at <= 10 for moment in outcome.timeline)


@pytest.mark.parametrize(
    ("kind", "created_s", "keeps_name"),
    [
        ("ReplicaSet", 0, False),
        ("StatefulSet", 30, True),
        ("DaemonSet", 30, False),
        ("Job", 10, False),
    ],
)
def test_each_kind_replaces_its_pods_in_its_own_time(
    kind: str, created_s: int, keeps_name: bool
) -> None:
    outcome = planned([*CLASSES, node("n", "1"), *running(kind, "w", "n")], NEW)
    (lost,) = outcome.disruptions
    (at_s,) = [m.at for m in outcome.timeline if m.by == "default/w-0"]
    assert round(at_s) == created_s
    assert (lost.replacement == lost.pod) == keeps_name
    assert [pending.pod for pending in outcome.pending] == [lost.replacement]


def test_bare_pods_are_lost_for_good_and_of_others_it_isnt_known() -> None:
    strange = {"kind": "Gadget", "name": "g", "uid": "g", "controller": True}
    odd = pod("odd", on="n", metadata={"ownerReferences": [strange]})
    state = [*CLASSES, node("n", "2"), pod("bare", on="n"), odd]
    outcome = planned(state, pod("new", "2", priorityClassName="a"))
    returns = {one.pod: one.comes_again for one in outcome.disruptions}
    assert returns == {"default/bare": Return.NEVER, "default/odd": Return.UNKNOWN}


def test_a_budget_recovers_when_the_replacement_is_ready() -> None:
    web = running("ReplicaSet", "web", "n1")
    state = [*CLASSES, node("n1", "1"), node("n2", "1"), budget("web", maxUnavailable=1), *web]
    (change,) = planned(state, FIRST).budgets
    assert (change.allowed_before, change.allowed_least, change.allowed_after) == (1, 0, 1)
    assert (round(change.least_at), change.is_touched) == (0, True)


def test_pods_of_a_deleted_node_come_again_elsewhere_unless_their_controller_goes_too() -> None:
    web, daemons = running("ReplicaSet", "web", "n1"), running("DaemonSet", "agent", "n1")
    state = [node("n1"), node("n2"), *web, *daemons, pod("bare", on="n1")]
    outcome = planned(state, delete="node/n1")
    assert {one.pod: (one.cause, one.comes_again) for one in outcome.disruptions} == {
        "default/web-0": (BY_POD_GC, Return.CERTAIN),
        "default/agent-0": (BY_POD_GC, Return.NEVER),
        "default/bare": (BY_POD_GC, Return.NEVER),
    }
    assert [one.replaced_on for one in outcome.disruptions if one.replacement] == ["n2"]
    both = planned([node("n1"), node("n2"), *web], delete="node/n1 rs/web")
    assert (both.disruptions, both.placements) == ((), ())


def test_what_stood_before_stays_as_it_was() -> None:
    """Workloads that lack pods, sick nodes, and what a silent node should have finished."""
    short = workload("Deployment", "short", uid="d", replicas=3)
    going = pod("going", on="sick", uid="g", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    outcome = planned([node("n"), node("sick", uid="s", status=UNKNOWN), short, going])
    assert outcome.timeline == ()
    assert outcome.placements == outcome.pending == ()


def test_a_new_taint_drives_pods_away() -> None:
    state = [node("n1"), node("n2"), *running("ReplicaSet", "web", "n1")]
    (lost,) = planned(state, node("n1", taints=[{"key": "k", "effect": "NoExecute"}])).disruptions
    assert (lost.cause, lost.replaced_on, lost.depth) == (BY_TAINT, "n2", 1)


def test_what_would_happen_anyway_is_told_apart() -> None:
    state = [node("n", "2"), pod("waits"), pod("big", "3")]
    (fate,) = planned(state, pod("new")).anyway
    assert (fate.pod, fate.outcome) == ("default/waits", "n")
    assert planned(state).anyway == ()


def test_the_next_preemption_sees_what_the_last_one_left_of_a_budget() -> None:
    state = [
        *CLASSES,
        *(node(name, "1") for name in "abc"),
        budget("web", minAvailable=1),
        pod("web-1", on="a"),
        pod("web-2", on="b"),
        pod("bare", on="c", priority=500),
    ]
    outcome = planned(state, NEW, pod("other", priorityClassName="a"))
    # The one spare pod goes first; then a pod of a higher priority rather than the budget.
    taken = [[v.pod for v in p.chosen.victims] for p in outcome.preemptions]
    assert taken == [["default/web-1"], ["default/bare"]]
    (change,) = outcome.budgets
    assert (change.budget, change.allowed_before, change.allowed_after) == ("default/web", 1, 0)
    assert (change.is_touched, change.violated_by) == (True, ())


def test_what_a_decision_sets_off_happens_before_the_next_one() -> None:
    """The second preemption finds the budget spent, and names the victim that violates it."""
    state = [*CLASSES, node("a", "1"), node("b", "1"), budget("web", minAvailable=1)]
    state += [pod(f"web-{name}", on=name) for name in "ab"]
    outcome = planned(state, NEW, pod("other", priorityClassName="a"))
    first, second = outcome.preemptions
    assert [(one.at, one.chosen.pdb_violations) for one in (first, second)] == [(0, 0), (0, 1)]
    (victim,) = second.chosen.victims
    assert victim.broken == ("default/web",)
    assert outcome.budgets[0].violated_by == (victim.pod,)


def test_alternatives_can_be_left_out() -> None:
    state = [*CLASSES, *(node(n, "1") for n in "abcd"), *(pod(f"p-{n}", on=n) for n in "abcd")]
    (preemption,) = planned(state, NEW, alternatives_max=1).preemptions
    assert [(other.node, other.lost_at) for other in preemption.alternatives] == [("b", NAME_KEY)]
    assert (preemption.alternatives_left_out, preemption.candidate_count) == (2, 4)


@given(
    labels=st.lists(st.sets(st.sampled_from("abc"), min_size=1), min_size=1, max_size=8),
    allowed=st.fixed_dictionaries(dict.fromkeys("abc", st.integers(0, 3))),
)
def test_each_victim_breaks_the_budgets_that_were_spent_before_its_turn(
    labels: list[set[str]], allowed: dict[str, int]
) -> None:
    """The preemptor takes the whole node, so that all its pods are victims.

    They differ in priority, so that their order is known, and spend the budgets in that order.
    """
    pods: list[Obj] = [
        pod(f"p-{turn}", on="n", priority=100 - turn, metadata={"labels": dict.fromkeys(own, "y")})
        for turn, own in enumerate(labels)
    ]
    budgets = [
        budget(
            label,
            status={"disruptionsAllowed": allowed[label]},
            selector={"matchLabels": {label: "y"}},
        )
        for label in "abc"
    ]
    size = str(len(pods))
    state = [*CLASSES, node("n", size), *budgets, *pods]
    outcome = planned(state, pod("x", size, priorityClassName="a"))
    victims = {victim.pod: set(victim.broken) for victim in outcome.preemptions[0].chosen.victims}
    for label in "abc":
        members = [turn for turn, carried in enumerate(labels) if label in carried]
        broken = spend([[0]] * len(members), [allowed[label]])
        for turn, is_broken in zip(members, broken, strict=True):
            assert (f"default/{label}" in victims[f"default/p-{turn}"]) == is_broken


@pytest.mark.parametrize(("ready", "allowed"), [("True", 1), ("False", 0)])
def test_a_pod_that_says_that_it_isnt_ready_isnt_healthy(ready: str, allowed: int) -> None:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}
    pods = [pod("web-1", on="n"), pod("web-2", on="n", status=status)]
    outcome = planned([node("n"), budget("web", minAvailable=1), *pods])
    assert outcome.budgets[0].allowed_before == allowed
