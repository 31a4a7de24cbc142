"""Victims are gone at once, their budgets with them, and the choice is told in full."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.policy.disruption_budgets import spend
from podium.scheduler.preemption.choice import PRIORITY_SUM, TOP_PRIORITY, VIOLATIONS
from podium.simulation.timeline.preemption import NAME_KEY
from tests.objects import budget, node, pod, priority_class
from tests.whatif.plan.plans import places, planned

HIGH = priority_class("high", 1000)
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def preemptor(name: str, cpu: str = "1") -> dict[str, object]:
    return pod(name, cpu, priorityClassName="high")


def test_the_victim_is_gone_and_the_preemptor_placed() -> None:
    outcome = planned([HIGH, node("n", "1"), pod("low", on="n")], preemptor("new"))
    assert places(outcome) == {"new": "n"}
    (preemption,) = outcome.preemptions
    assert (preemption.preemptor, preemption.node) == ("default/new", "n")
    assert [victim.pod for victim in preemption.chosen.victims] == ["default/low"]


def test_the_next_preemption_sees_what_the_last_one_left_of_a_budget() -> None:
    state = [
        HIGH,
        *(node(name, "1") for name in "abc"),
        budget("web", minAvailable=1),
        pod("web-1", on="a"),
        pod("web-2", on="b"),
        pod("bare", on="c", priority=500),
    ]
    outcome = planned(state, preemptor("x"), preemptor("y"))
    # The one spare pod goes first; then a pod of a higher priority rather than the budget.
    taken = [[v.pod for v in p.chosen.victims] for p in outcome.preemptions]
    assert taken == [["default/web-1"], ["default/bare"]]
    (change,) = outcome.budgets
    assert (change.budget, change.allowed_before, change.allowed_after) == ("default/web", 1, 0)
    assert change.is_touched
    assert change.violated_by == ()


def test_a_violated_budget_names_the_victim() -> None:
    state = [HIGH, node("a", "1"), budget("web", minAvailable=1), pod("web-1", on="a")]
    outcome = planned(state, preemptor("x"))
    (victim,) = outcome.preemptions[0].chosen.victims
    assert victim.broken == ("default/web",)
    (change,) = outcome.budgets
    assert (change.allowed_before, change.allowed_after) == (0, 0)
    assert change.violated_by == ("default/web-1",)


def test_each_alternative_tells_where_it_lost() -> None:
    state = [
        HIGH,
        *(node(name, "2") for name in ("plain", "dear", "two", "budget", "zlast")),
        budget("web", minAvailable=1),
        pod("plain-1", "2", on="plain"),
        pod("dear-1", "2", on="dear", priority=7),
        pod("two-1", on="two"),
        pod("two-2", on="two"),
        pod("web-1", "2", on="budget"),
        pod("last-1", "2", on="zlast"),
    ]
    (preemption,) = planned(state, preemptor("x", "2")).preemptions
    assert preemption.node == "plain"
    assert preemption.candidate_count == 5
    assert [(other.node, other.lost_at) for other in preemption.alternatives] == [
        ("zlast", NAME_KEY),
        ("two", PRIORITY_SUM.name),
        ("dear", TOP_PRIORITY.name),
        ("budget", VIOLATIONS.name),
    ]
    two = preemption.alternatives[1]
    assert two.values[2] == "0 + 2×2³¹"


def test_alternatives_can_be_left_out() -> None:
    state = [HIGH, *(node(n, "1") for n in "abcd"), *(pod(f"p-{n}", on=n) for n in "abcd")]
    (preemption,) = planned(state, preemptor("x"), alternatives_max=1).preemptions
    assert [other.node for other in preemption.alternatives] == ["b"]
    assert (preemption.left_out, preemption.candidate_count) == (2, 4)


def test_a_class_that_never_preempts_leaves_the_pod_pending() -> None:
    never = priority_class("polite", 1000, preemptionPolicy="Never")
    outcome = planned(
        [never, node("n", "1"), pod("low", on="n")], pod("new", priorityClassName="polite")
    )
    assert not outcome.preemptions
    assert outcome.pending[0].message.endswith("not eligible due to preemptionPolicy=Never.")


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
    pods = [
        {
            **(one := pod(f"p-{turn}", "1", on="n", priority=100 - turn)),
            "metadata": {**one["metadata"], "labels": dict.fromkeys(carried, "yes")},
        }
        for turn, carried in enumerate(labels)
    ]
    budgets = [
        budget(
            label,
            status={"disruptionsAllowed": allowed[label]},
            selector={"matchLabels": {label: "yes"}},
        )
        for label in "abc"
    ]
    size = str(len(pods))
    outcome = planned([HIGH, node("n", size), *budgets, *pods], preemptor("x", size))
    victims = {victim.pod: set(victim.broken) for victim in outcome.preemptions[0].chosen.victims}
    for label in "abc":
        members = [turn for turn, carried in enumerate(labels) if label in carried]
        broken = spend([[0]] * len(members), [allowed[label]])
        for turn, is_broken in zip(members, broken, strict=True):
            assert (f"default/{label}" in victims[f"default/p-{turn}"]) == is_broken


@pytest.mark.parametrize(("ready", "allowed"), [(True, 1), (False, 0)])
def test_a_pod_that_says_that_it_isnt_ready_isnt_healthy(ready: bool, allowed: int) -> None:
    status = {**READY, "conditions": [{"type": "Ready", "status": str(ready)}]}
    state = [
        node("n"),
        budget("web", minAvailable=1),
        pod("web-1", on="n"),
        pod("web-2", on="n", status=status),
    ]
    assert planned(state).budgets[0].allowed_before == allowed
