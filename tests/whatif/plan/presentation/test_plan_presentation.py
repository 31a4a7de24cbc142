"""What of a plan a terminal shows, what only at full width, and what pictures are made of."""

from typing import Any

import pytest

from podium.whatif.plan.plan_report import NodeFilling, PendingPod, Plan, PodShare, WorkloadSummary
from podium.whatif.plan.presentation.plan_presentation import printed_plan
from podium.whatif.plan.presentation.plan_summary_text import summary_lines
from tests.objects import node, pod
from tests.whatif.plan.plans import planned


@pytest.mark.parametrize(("pods", "titles"), [(1, {False: 1, True: 1}), (10, {False: 0, True: 1})])
def test_a_long_timeline_is_shown_at_full_width_only(pods: int, titles: dict[bool, int]) -> None:
    outcome = planned([node("n", "20")], *(pod(f"p-{number}") for number in range(pods)))
    for wide, count in titles.items():
        shown = printed_plan(outcome, wide=wide)
        assert [section.title for section in shown.sections].count("Timeline") == count


def test_pods_of_nodes_that_change_have_shares_in_ten_thousandths() -> None:
    state = [node("a", "3"), node("b", "3"), pod("first", on="a"), pod("other", "2", on="b")]
    outcome = planned(state, pod("new", "1750m"), draws=True)
    first = PodShare("default/first", 0, 0.3333, is_leaving=False, is_other=False)
    new = PodShare("default/new", 0, 0.5833, is_leaving=False, is_other=True)
    assert outcome.nodes == (NodeFilling("a", (first,), (first, new)),)


FEW = {"ready_before": 3, "ready_least": 1, "ready_least_for_s": 42.0}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"lost": {"preempted": 2}, "recreated": 1, "pending": 1},
            " loses 2 of 6 pods (2 preempted, 1 comes again); 1 stays pending.",
        ),
        ({"lost": {"preempted": 10}}, " loses a pod 10 times, having 6 (10 preempted)."),
        ({**FEW, "ready_after": 3}, ": for 42 s from t+0s on only 1 of 3 is ready."),
        (
            {**FEW, "ready_least_for_s": 570.0, "ready_after": 1, "ready_least_at_s": 30.0},
            ": from t+30s to the plan's end only 1 of 3 is ready.",
        ),
        (
            {**FEW, "ready_after": 2},
            ": for 42 s from t+0s on only 1 of 3 is ready, and fewer than before in the end.",
        ),
        (
            {**FEW, "ready_least": 0, "ready_after": 3, "is_unavailable": True},
            " is unavailable for 42 s from t+0s on (0 of 3 ready).",
        ),
    ],
)
def test_what_a_workload_loses(fields: dict[str, Any], sentence: str) -> None:
    name = "Deployment shop/web"
    summary = WorkloadSummary(workload=name, priority=0, pods=6, wanted=3, **fields)
    plan = Plan(workloads=(summary,), until_s=600.0)
    assert [*summary_lines(plan, wide=False)][1:] == [f"{name}{sentence}"]


def test_pods_that_no_event_wakes_are_all_named_at_full_width_only() -> None:
    facts = {"namespace": "shop", "priority": 0, "message": "", "fits_on": "n1", "tried_at_s": 9.0}
    pending = tuple(PendingPod(pod=f"shop/web-{number}", **facts) for number in range(7))
    plan = Plan(pending=pending, until_s=600.0)
    assert [line for line in summary_lines(plan, wide=True) if "shop/web-6" in line]
    short = "\n".join(summary_lines(plan, wide=False))
    assert "shop/web-0" in short
    assert "shop/web-6" not in short
    assert "pods more that no event wakes, with -o wide." in short
