"""What the optimum tells beside its solution."""

from collections.abc import Iterable
from typing import Any

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.config.scheduler_options import (
    BudgetPolicy,
    PreemptionScope,
    SchedulerOptions,
)
from podium.scheduler.scheduler import Scheduler
from podium.ui.inputs import input_error
from podium.ui.inputs.input_error import InputError
from podium.whatif.optimum.optimum_report import Optimum
from podium.whatif.optimum.solver import solve

Obj = dict[str, Any]
TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "low"}}}
APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}


def _node(name: str) -> Obj:
    return {
        "metadata": {"name": name, "labels": {"zone": "a"}},
        "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "5"}},
    }


def _pod(name: str, priority: int, node: str = "", **spec: Any) -> Obj:
    requests = {"requests": {"cpu": spec.pop("cpu", "1")}}
    return {
        "metadata": {"name": name, "namespace": "ns", "uid": name, "labels": {"app": "low"}},
        "spec": {
            "priority": priority,
            "containers": [{"name": "c", "resources": requests}],
            **({"nodeName": node} if node else {}),
            **spec,
        },
    }


def _solved(
    pods: Iterable[Obj],
    options: SchedulerOptions | None = None,
    budgets: Iterable[Budget] = (),
    seconds: float = 60.0,
) -> Optimum:
    scheduler = Scheduler(options=options)
    pending = scheduler.load([_node("n-1"), _node("n-2")], pods)
    scheduler.budgets.replace(budgets)
    return solve(scheduler, pending, seconds)


def _budget(name: str) -> Budget:
    selector = {"matchLabels": {"app": "low"}}
    meta = {"name": name, "namespace": "ns"}
    return Budget.of({"metadata": meta, "spec": {"selector": selector}})


FULL = [_pod(f"low-{n}", 1, f"n-{n % 2 + 1}") for n in range(4)]


def test_a_pod_that_the_model_cannot_express_is_left_and_told() -> None:
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    found = _solved([*FULL, _pod("new", 9), _pod("stateful", 9, volumes=[claim])])
    assert [(one.pod, one.node) for one in found.placements] == [("ns/new", "n-1")]
    assert [one.pod for one in found.unexpressed] == ["ns/stateful"]
    assert "volumes" in found.unexpressed[0].reason


def test_a_victim_of_several_budgets_stays_and_is_told() -> None:
    found = _solved([*FULL, _pod("new", 9)], budgets=[_budget("a"), _budget("b")])
    assert found.tally.placed == 0
    assert len(found.unexpressed) == 4


def test_budgets_may_be_a_wall() -> None:
    options = SchedulerOptions(disruption_budgets=BudgetPolicy.RESPECT)
    pods = [*FULL, _pod("new", 9)]
    assert _solved(pods, options, [_budget("a")]).tally.placed == 0
    assert _solved(pods, None, [_budget("a")]).tally.violations == 1


def test_victims_are_elsewhere_only_where_preemption_may_look_there() -> None:
    pods = [_pod("low-1", 1, "n-1", cpu="2"), _pod("new", 9, affinity=APART, cpu="2")]
    blocked = [*pods, _pod("high", 9, "n-1", affinity={})]
    blocked[-1]["metadata"]["labels"] = {"app": "high"}
    assert _solved(pods).tally.placed == 1
    assert _solved(blocked).tally.placed == 0
    options = SchedulerOptions(preemption_scope=PreemptionScope.CROSS_NODE)
    found = _solved(blocked, options)
    assert [(one.pod, one.node) for one in found.victims] == [("ns/low-1", "n-1")]
    assert [one.node for one in found.placements] == ["n-2"]


def test_without_time_the_bound_is_told() -> None:
    found = _solved([*FULL, _pod("new", 9)], seconds=0.0)
    assert not found.is_proven
    assert found.is_verified
    assert found.tally.placed == 1
    assert any(one.key == "fewest victims" and one.bound < one.value for one in found.gaps)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_error, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"highspy.*podium\[optimal\]"):
        input_error.check_extra("podium plan --optimal", "optimal")
