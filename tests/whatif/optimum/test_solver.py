"""The limits of the optimum's model, and what its report says beside the solution."""

from collections.abc import Iterable

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.config.scheduler_options import (
    BudgetPolicy,
    CandidateKey,
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
from tests.objects import ZONE, Obj, budget, near, node, pod, required

IN_ZONE = near("low", ZONE)
APART, NEAR = required("podAntiAffinity", IN_ZONE), required("podAffinity", IN_ZONE)
FULL = [pod(f"low-{n}", on=f"n-{n % 2 + 1}", uid=f"low-{n}", priority=1) for n in range(4)]


def solved(
    pods: Iterable[Obj],
    options: SchedulerOptions | None = None,
    budgets: str = "",
    seconds: float = 60.0,
    zones: Iterable[str] = "aa",
) -> Optimum:
    nodes = [node(f"n-{number}", "2", zone=zone.strip("-")) for number, zone in enumerate(zones, 1)]
    scheduler = Scheduler(options=options)
    pending = scheduler.load(nodes, pods)
    covering = ({**budget("low"), "metadata": {"name": n, "namespace": "default"}} for n in budgets)
    scheduler.budgets.replace(map(Budget.of, covering))
    return solve(scheduler, pending, seconds)


def old(on: str, priority: int) -> Obj:
    return pod("old", "2", on=on, app="low", uid="old", priority=priority)


def leaving(on: str) -> Obj:
    return pod("bye", "2", on=on, uid="bye", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})


CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
LEADER = pod("leader", priority=9, affinity=required("podAffinity", near("leader", ZONE)))
FOLLOWER = required("podAffinity", near("leader", ZONE), near("leader"))


@pytest.mark.parametrize(
    ("pods", "left", "reason"),
    [
        ([pod("stateful", priority=9, volumes=[CLAIM])], "stateful", "volumes"),
        ([LEADER, pod("f", priority=9, affinity=FOLLOWER)], "f", "affinity to default/leader"),
    ],
)
def test_a_pod_that_the_model_cannot_express_is_left_and_named(
    pods: list[Obj], left: str, reason: str
) -> None:
    optimum = solved([*FULL, pod("new", priority=9), *pods])
    assert ("default/new", "n-1") in [(place.pod, place.node) for place in optimum.placements]
    assert [pod.pod for pod in optimum.unexpressed] == [f"default/{left}"]
    assert reason in optimum.unexpressed[0].reason


def test_pods_of_which_the_model_can_express_none_are_all_left() -> None:
    optimum = solved([*FULL, pod("stateful", priority=9, volumes=[CLAIM])])
    assert (optimum.proven, optimum.verified, optimum.placements) == (True, True, ())
    assert [left.pod for left in optimum.unexpressed] == ["default/stateful"]


def costly(name: str, on: str, cost: str) -> Obj:
    annotations = {"controller.kubernetes.io/pod-deletion-cost": cost}
    return pod(name, "2", on=on, uid=name, priority=1, annotations=annotations)


LOWEST = pod("a", "2", on="n-1", uid="a", priority=-2 * 10**9)


@pytest.mark.parametrize(
    ("pods", "key", "victims"),
    [
        # The difference of these priorities is more than what one more victim costs.
        ([LOWEST, old("n-2", 1)], CandidateKey.PRIORITY_SUM, ["a"]),
        ([costly("a", "n-1", "7"), costly("b", "n-2", "-7")], CandidateKey.DELETION_COST, ["b"]),
        ([leaving("n-2"), old("n-1", 1)], CandidateKey.VICTIM_COUNT, []),
    ],
)
def test_the_least_by_the_configured_keys_is_preempted(
    pods: list[Obj], key: CandidateKey, victims: list[str]
) -> None:
    new = pod("new", "2", priority=2 * 10**9)
    optimum = solved([*pods, new], SchedulerOptions(candidate_order=[key]))
    assert optimum.tally.placed == 1
    assert [victim.pod for victim in optimum.victims] == [f"default/{name}" for name in victims]


def test_a_victim_of_several_budgets_stays_and_is_named() -> None:
    optimum = solved([*FULL, pod("new", priority=9)], budgets="ab")
    assert optimum.tally.placed == 0
    assert len(optimum.unexpressed) == 4


def test_budgets_may_be_a_wall() -> None:
    options = SchedulerOptions(disruption_budgets=BudgetPolicy.RESPECT)
    pods = [*FULL, pod("new", priority=9)]
    assert solved(pods, options, "a").tally.placed == 0
    assert solved(pods, None, "a").tally.pdb_violations == 1


def test_victims_are_elsewhere_only_where_preemption_may_look_there() -> None:
    new = pod("new", "2", priority=9, app="low", affinity=APART)
    pods = [pod("low-1", on="n-1", uid="low-1", priority=1), new]
    blocked = [*pods, pod("high", on="n-1", uid="high", priority=9)]
    assert solved(pods).tally.placed == 1
    assert solved(blocked).tally.placed == 0
    optimum = solved(blocked, SchedulerOptions(preemption_scope=PreemptionScope.CROSS_NODE))
    assert [(victim.pod, victim.node) for victim in optimum.victims] == [("default/low-1", "n-1")]
    assert [place.node for place in optimum.placements] == ["n-2"]


def lows(count: int) -> list[Obj]:
    return [
        pod(f"new-{n}", uid=f"new-{n}", app="low", priority=9, affinity=NEAR) for n in range(count)
    ]


def away() -> Obj:
    return pod("new", priority=9, affinity=APART)


@pytest.mark.parametrize(
    ("pods", "zones", "placed", "nodes", "victims"),
    [
        pytest.param(lows(2), "ab", 2, 1, 0, id="the first pod of a group needs no company"),
        pytest.param(lows(3), "ab", 2, 1, 0, id="all others go to its zone, if there is room"),
        pytest.param(lows(3), "aab", 3, 2, 0, id="others go to another node of its zone"),
        pytest.param([*lows(1), old("n-2", 9)], "ab", 0, 0, 0, id="no pod is the first beside one"),
        pytest.param([*lows(2), old("n-2", 1)], "ab", 2, 1, 1, id="the first replaces the last"),
        pytest.param(lows(2), "-a", 2, 1, 0, id="nodes without the label get none"),
        pytest.param([*lows(1), old("n-2", 9)], "a-", 1, 1, 0, id="pods without a zone are none"),
        pytest.param([away(), old("n-2", 9)], "aa", 0, 0, 0, id="pods that stay keep others away"),
        pytest.param([away(), old("n-2", 1)], "aa", 1, 1, 1, id="victims keep no pods away"),
    ],
)
def test_required_affinity_limits_places(
    pods: list[Obj], zones: str, placed: int, nodes: int, victims: int
) -> None:
    optimum = solved(pods, zones=zones)
    assert optimum.proven
    assert optimum.verified
    assert (optimum.tally.placed, optimum.tally.victims) == (placed, victims)
    assert len({place.node for place in optimum.placements}) == nodes


@pytest.mark.parametrize("is_holder", [True, False])
def test_pods_stay_apart_from_pods_that_may_not_go(is_holder: bool) -> None:
    there, new = old("n-1", 99), pod("new", app="low", priority=9)
    (there if is_holder else new)["spec"]["affinity"] = APART
    assert solved([there, new]).tally.placed == 0


@pytest.mark.parametrize(("victims", "placed"), [(1, 0), (2, 1), (4, 2)])
def test_a_rate_limits_the_victims_of_a_class(victims: int, placed: int) -> None:
    rate = PreemptionRate(namespace="default", victims=victims, per="1h")
    options = SchedulerOptions(protection=PreemptionProtection(rates=[rate]))
    new = [pod(name, "2", priority=9) for name in ("new-1", "new-2")]
    assert solved([*FULL, *new], options).tally.placed == placed


def test_without_time_the_bound_is_reported() -> None:
    optimum = solved([*FULL, pod("new", priority=9)], seconds=0.0)
    assert not optimum.proven
    assert optimum.verified
    assert optimum.tally.placed == 1
    assert any(gap.key == "fewest victims" and gap.bound < gap.value for gap in optimum.gaps)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_error, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"highspy.*podium\[optimal\]"):
        input_error.check_extra("podium plan --optimal", "optimal")
