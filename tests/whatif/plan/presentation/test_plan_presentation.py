"""What of a plan a terminal shows, what only at full width, and what pictures are made of."""

from typing import Any

import pytest

from podium.api.devices.resource_claims import pod_reference
from podium.api.policy.disruption_target import PREEMPTED
from podium.ui.writers.html import to_html
from podium.whatif.plan.plan_report import (
    Happening,
    Moment,
    NodeFilling,
    PendingPod,
    Plan,
    PodShare,
    WorkloadSummary,
)
from podium.whatif.plan.presentation.plan_presentation import plan_presentation, printed_plan
from podium.whatif.plan.presentation.plan_summary_text import summary_lines
from tests.device_objects import (
    DRIVER,
    allocation,
    claim,
    claiming,
    device,
    device_class,
    exactly,
    resource_slice,
)
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


def test_devices_of_nodes_that_change_are_filled_by_what_pods_have_of_them() -> None:
    both = {**claiming("both", "c"), "status": {"phase": "Running"}}
    both["spec"] |= {"nodeName": "n"}
    state = [
        node("n"),
        device_class("gpu"),
        resource_slice("n", [device("0"), device("1")]),
        claim("c", exactly(), allocation=allocation("n/0"), reservedFor=[pod_reference(both)]),
        both,
        claim("own", exactly()),
    ]
    outcome = planned(state, claiming("new", "own"), draws=True)
    _, devices = outcome.nodes
    first = PodShare("default/both", 0, 0.5, is_leaving=False, is_other=False)
    new = PodShare("default/new", 0, 0.5, is_leaving=False, is_other=True)
    assert devices == NodeFilling("n", (first,), (first, new), DRIVER)
    drawn = to_html(plan_presentation(outcome))
    assert f"n, {DRIVER} devices" in drawn


FEW = {"ready_before": 3, "ready_least": 1, "ready_least_for_seconds": 42.0}


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
            {**FEW, "ready_least_for_seconds": 570.0, "ready_after": 1, "ready_least_at": 30.0},
            ": from t+30s to the plan's end only 1 of 3 is ready.",
        ),
        (
            {**FEW, "ready_after": 2},
            ": for 42 s from t+0s on only 1 of 3 is ready, and fewer than before in the end.",
        ),
        (
            {**FEW, "ready_least": 0, "ready_after": 3, "unavailable": True},
            " is unavailable for 42 s from t+0s on (0 of 3 ready).",
        ),
    ],
)
def test_what_a_workload_loses(fields: dict[str, Any], sentence: str) -> None:
    name = "Deployment shop/web"
    summary = WorkloadSummary(workload=name, priority=0, pods=6, wanted=3, **fields)
    plan = Plan(workloads=(summary,), until_seconds=600.0)
    assert [*summary_lines(plan, wide=False)][1:] == [f"{name}{sentence}"]


def test_pods_that_no_event_wakes_are_all_named_at_full_width_only() -> None:
    facts = {"namespace": "shop", "priority": 0, "message": "", "fits_on": "n1", "tried_at": 9.0}
    pending = tuple(PendingPod(pod=f"shop/web-{number}", **facts) for number in range(7))
    plan = Plan(pending=pending, until_seconds=600.0)
    assert [line for line in summary_lines(plan, wide=True) if "shop/web-6" in line]
    short = "\n".join(summary_lines(plan, wide=False))
    assert "shop/web-0" in short
    assert "shop/web-6" not in short
    assert "more pods that no event wakes, with -o wide." in short


def test_what_waited_before_stands_apart_from_what_waits_because_of_the_changes() -> None:
    outcome = planned([node("n", "1"), pod("large", "2")], pod("new", "3"))
    assert {one.pod: one.waited_before for one in outcome.pending} == {
        "default/large": True,
        "default/new": False,
    }
    assert next(summary_lines(outcome, wide=False)).endswith(" 2 pending (1 before, too).")
    titles = [section.title for section in printed_plan(outcome, wide=False).filled_sections()]
    assert {"Pending", "Pending since before the plan"} < {*titles}


def test_a_large_plan_says_first_how_many_workloads_suffer_which_harm() -> None:
    def workload(number: int, **fields: Any) -> WorkloadSummary:
        return WorkloadSummary(
            workload=f"Deployment default/w{number}", priority=0, pods=3, wanted=3, **fields
        )

    few = {"ready_before": 3, "ready_least": 1}
    workloads = [workload(n, ready_before=3, unavailable=True, pending=2) for n in range(5)]
    workloads += [workload(n, **few) for n in range(5, 10)]
    workloads += [workload(10, lost={PREEMPTED: 1}, ready_before=3, ready_least=3)]
    lines = [*summary_lines(Plan(until_seconds=60.0, workloads=tuple(workloads)), wide=False)]
    names = "Deployment default/w0, Deployment default/w1, Deployment default/w2 and 2 more"
    assert lines[1:5] == [
        f"5 workloads have no ready pod: {names}.",
        f"5 workloads have 10 pods pending in the end: {names}.",
        "5 workloads have fewer ready pods than before: Deployment default/w5, "
        "Deployment default/w6, Deployment default/w7 and 2 more.",
        "1 workload loses pods without having fewer: Deployment default/w10.",
    ]
    assert lines[-1] == "1 workload more, with -o wide."


def test_the_document_of_a_large_plan_is_small_enough_to_send() -> None:
    moments = [
        Moment(
            pod=f"default/p-{n}",
            uid=str(n),
            at=float(n),
            event=Happening.FAILED,
            text="x" * 80,
        )
        for n in range(20_000)
    ]
    waiting = [PendingPod(pod=f"default/p-{n}", message="0/1 nodes.") for n in range(5_000)]
    large = Plan(until_seconds=60.0, timeline=tuple(moments), pending=tuple(waiting))
    written = to_html(plan_presentation(large))
    assert "and 19000 more" in written
    assert len(written) < 1_000_000
