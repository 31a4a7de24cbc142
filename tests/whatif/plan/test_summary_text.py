"""The sentences of a plan's summary."""

from typing import Any

import pytest

from podium.whatif.plan.plan_report import PendingPod, Plan, WorkloadSummary
from podium.whatif.plan.presentation.plan_summary_text import summary_lines


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"lost": {"preempted": 2}, "recreated": 1, "pending": 1},
            " loses 2 of 6 pods (2 preempted, 1 comes again); 1 stays pending.",
        ),
        ({"lost": {"preempted": 10}}, " loses a pod 10 times, having 6 (10 preempted)."),
        (
            {"ready_before": 3, "ready_least": 1, "ready_least_for_s": 42.0, "ready_after": 3},
            ": for 42 s from t+0s on only 1 of 3 is ready.",
        ),
        (
            {"ready_before": 3, "ready_least": 1, "ready_least_for_s": 570.0, "ready_after": 1}
            | {"ready_least_at_s": 30.0},
            ": from t+30s to the plan's end only 1 of 3 is ready.",
        ),
        (
            {"ready_before": 3, "ready_least": 1, "ready_least_for_s": 42.0, "ready_after": 2},
            ": for 42 s from t+0s on only 1 of 3 is ready, and fewer than before in the end.",
        ),
        (
            {"ready_before": 3, "ready_least_for_s": 42.0, "ready_after": 3}
            | {"is_unavailable": True},
            " is unavailable for 42 s from t+0s on (0 of 3 ready).",
        ),
    ],
)
def test_what_a_workload_loses(fields: dict[str, Any], sentence: str) -> None:
    name = "Deployment shop/web"
    plan = Plan(
        workloads=(WorkloadSummary(workload=name, priority=0, pods=6, wanted=3, **fields),),
        until_s=600.0,
    )
    assert [*summary_lines(plan, wide=False)][1:] == [f"{name}{sentence}"]


def test_pods_that_no_event_wakes_are_all_named_at_full_width_only() -> None:
    names = [f"shop/web-{number}" for number in range(7)]
    sleeping = tuple(
        PendingPod(
            pod=name, namespace="shop", priority=0, message="", fits_on="n1", tried_at_s=300.0
        )
        for name in names
    )
    plan = Plan(pending=sleeping, until_s=600.0)
    assert [line for line in summary_lines(plan, wide=True) if "shop/web-6" in line]
    short = "\n".join(summary_lines(plan, wide=False))
    assert "shop/web-0" in short
    assert "shop/web-6" not in short
    assert "pods more that no event wakes, with -o wide." in short
