"""What the optimum tells beside its solution."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.config.scheduler_options import (
    BudgetPolicy,
    PreemptionProtection,
    PreemptionRate,
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


def _node(name: str, host: str = "") -> Obj:
    labels = {"zone": "a", **({"host": host} if host else {})}
    return {
        "metadata": {"name": name, "labels": labels},
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
    hosts: Collection[str] = (),
) -> Optimum:
    scheduler = Scheduler(options=options)
    nodes = [_node(name, name if name in hosts else "") for name in ("n-1", "n-2")]
    pending = scheduler.load(nodes, pods)
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


def _near(*names: str, cpu: str = "1") -> list[Obj]:
    """Pending pods that have to be on one node with other pods of their label, as they all are."""
    term = {"topologyKey": "host", "labelSelector": {"matchLabels": {"app": "low"}}}
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return [_pod(name, 9, cpu=cpu, affinity=near) for name in names]


HIGH = _pod("high", 99, "n-2")


@pytest.mark.parametrize(
    ("pods", "nodes", "victims"),
    [
        pytest.param(_near("a"), ["n-1"], [], id="the first pod of its kind goes anywhere"),
        pytest.param(_near("a", "b"), ["n-1", "n-1"], [], id="the second one goes to the first"),
        pytest.param(_near("a", "b", cpu="2"), ["n-1"], [], id="or nowhere, if there's no room"),
        pytest.param([HIGH, *_near("a")], ["n-2"], [], id="near a pod that may not go"),
        pytest.param([HIGH, *_near("a", cpu="2")], [], [], id="which leaves no room"),
        pytest.param(
            [_pod("low", 1, "n-2", cpu="2"), *_near("a", cpu="2")],
            ["n-2"],
            ["ns/low"],
            id="in place of the only pod of its kind",
        ),
    ],
)
def test_pods_are_near_pods_of_their_kind_or_the_first(
    pods: list[Obj], nodes: list[str], victims: list[str]
) -> None:
    found = _solved(pods, hosts=("n-1", "n-2"))
    assert found.is_verified
    assert [one.node for one in found.placements] == nodes
    assert [one.pod for one in found.victims] == victims


def test_a_node_without_the_topology_key_takes_no_pod_that_wants_to_be_near_others() -> None:
    assert [one.node for one in _solved(_near("a"), hosts=("n-2",)).placements] == ["n-2"]
    assert not _solved(_near("a"), hosts=()).placements


@pytest.mark.parametrize("is_holder", [True, False])
def test_pods_stay_apart_from_pods_that_may_not_go(is_holder: bool) -> None:
    there, new = _pod("high", 99, "n-1"), _pod("new", 9)
    (there if is_holder else new)["spec"]["affinity"] = APART
    assert _solved([there, new]).tally.placed == 0


@pytest.mark.parametrize(("victims", "placed"), [(1, 0), (2, 1), (4, 2)])
def test_a_rate_limits_the_victims_of_a_class(victims: int, placed: int) -> None:
    rate = PreemptionRate(namespace="ns", victims=victims, per="1h")
    options = SchedulerOptions(protection=PreemptionProtection(rates=[rate]))
    found = _solved([*FULL, _pod("new-1", 9, cpu="2"), _pod("new-2", 9, cpu="2")], options)
    assert found.tally.placed == placed


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
