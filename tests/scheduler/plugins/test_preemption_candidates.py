"""Pods that may preempt, and preemption limited to some candidates, as upstream."""

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND
from podium.scheduler.config.load import load_configuration
from podium.scheduler.plugins.default_preemption import VICTIMS_TERMINATING, CandidateLimit
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from tests.objects import Obj, node, pod

ROWS = np.arange(20, 40)


class From(Random):
    """Starts where it is told."""

    def __init__(self, start: int) -> None:
        super().__init__()
        self._start = start

    def randrange(self, *args: Any) -> int:
        return self._start


def shortlist(
    limit: CandidateLimit, *, failing: tuple[int, ...] = (), violating: tuple[int, ...] = ()
) -> list[int]:
    """Of `ROWS`, where the dry run fails on some and breaks budgets on others; ascending."""
    is_candidate, violations = np.ones(50, bool), np.zeros(50, np.int64)
    is_candidate[list(failing)] = False
    violations[list(violating)] = 1
    run: Any = SimpleNamespace(is_candidate=is_candidate, violations=violations)
    return np.flatnonzero(limit.shortlist(run, np.isin(np.arange(50), ROWS))).tolist()


@pytest.mark.parametrize(
    ("percentage", "absolute", "count"),
    [(10, 0, 2), (10, 3, 3), (25, 1, 5), (0, 7, 7), (100, 0, 20), (1, 1, 1), (10, 100, 20)],
)
def test_the_greater_number_counts(percentage: int, absolute: int, count: int) -> None:
    limit = CandidateLimit(percentage, absolute, From(0))
    assert shortlist(limit) == ROWS[:count].tolist()


def test_starts_at_random_and_goes_round() -> None:
    assert shortlist(CandidateLimit(0, 3, From(18))) == [20, 38, 39]


def test_nodes_that_fail_are_looked_at_but_do_not_count() -> None:
    assert shortlist(CandidateLimit(0, 2, From(0)), failing=(20, 22)) == [20, 21, 22, 23]


def test_goes_on_until_one_breaks_no_budget() -> None:
    assert shortlist(CandidateLimit(0, 2, From(0)), violating=(20, 21, 22)) == [20, 21, 22, 23]


def test_looks_everywhere_if_there_never_are_enough() -> None:
    limit = CandidateLimit(0, 5, From(3))
    assert shortlist(limit, violating=tuple(ROWS)) == ROWS.tolist()
    assert shortlist(limit, failing=tuple(ROWS[4:])) == ROWS.tolist()


@given(st.integers(0, 100), st.integers(1, 30), st.integers())
def test_no_rows_but_potential_ones(percentage: int, absolute: int, seed: int) -> None:
    found = shortlist(CandidateLimit(percentage, absolute, Random(seed)))
    assert set(found) <= set(ROWS.tolist())


def scheduler(rng: Random | None, **args: int) -> Scheduler:
    """Ten nodes of which each holds a pod that may be preempted; some are worth more."""
    arguments = [{"name": "DefaultPreemption", "args": args}] if args else []
    document = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [{"pluginConfig": arguments}]}
    known = ("DefaultPreemption",)
    made = Scheduler(load_configuration([document], known).configuration, rng=rng)
    names = [f"n{index}" for index in range(10)]
    victims = [pod(f"low-{i}", "4", on=name, priority=9 - i) for i, name in enumerate(names)]
    made.load(map(node, names), victims)
    return made


def candidates(made: Scheduler) -> list[str]:
    preemption = made.decide(made.pending(pod("high", priority=100))).preemption
    assert preemption is not None
    assert preemption.node_name == max(made.snapshot.names[r] for r in preemption.candidate_rows)
    return sorted(made.snapshot.names[row] for row in preemption.candidate_rows)


def test_all_candidates_unless_the_configuration_says_how_many() -> None:
    assert len(candidates(scheduler(From(0)))) == 10


def test_as_many_candidates_as_the_configuration_says() -> None:
    args = {"minCandidateNodesPercentage": 20, "minCandidateNodesAbsolute": 3}
    assert candidates(scheduler(From(4), **args)) == ["n4", "n5", "n6"]


def test_limits_without_randomness_are_no_limits() -> None:
    assert len(candidates(scheduler(None, minCandidateNodesAbsolute=1))) == 10


def test_a_limit_prefers_candidates_that_break_no_budget() -> None:
    made = scheduler(From(0), minCandidateNodesAbsolute=1, minCandidateNodesPercentage=0)
    guarded = {"metadata": {"name": "b", "namespace": "default"}, "spec": {}, "status": {}}
    guarded["spec"] = {"selector": {"matchLabels": {"app": "low"}}}
    made.budgets.replace([Budget.of(guarded)])
    unguarded = pod("other", "4", on="n2", priority=7)
    for standing in list(made.snapshot.pods_on[made.snapshot.row_of["n2"]]):
        made.snapshot.remove_pod(standing)
    made.load([], [unguarded])
    preemption = made.decide(made.pending(pod("high", priority=100))).preemption
    assert preemption is not None
    assert [made.snapshot.names[r] for r in preemption.candidate_rows] == ["n0", "n1", "n2"]
    assert preemption.node_name == "n2"


def leaving(priority: int = 0, reason: str = "PreemptionByScheduler", status: str = "True") -> Obj:
    """A pod on n1 that takes all of it and is being removed."""
    obj = pod("old", "4", on="n1", priority=priority)
    obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    condition = {"type": "DisruptionTarget", "status": status, "reason": reason}
    obj["status"] = {"conditions": [{"type": "Ready", "status": "True"}, condition]}
    return obj


def preemption(pods: list[Obj], *, first: Obj, nominated: str = "n1") -> Preemption:
    """Of a pod of priority 5 which is nominated; there is a second node with a victim, too."""
    scheduler = Scheduler()
    scheduler.load([first, node("n2")], [*pods, pod("low", "4", on="n2")])
    wanting = scheduler.pending(pod("high", priority=5))
    scheduler.nominator.nominate(wanting, nominated)
    found = scheduler.decide(wanting).preemption
    assert found is not None
    return found


def test_it_waits_for_its_victims_to_go() -> None:
    found = preemption([leaving()], first=node("n1"))
    assert (found.eligible, found.message) == (False, VICTIMS_TERMINATING)
    assert not found.clears_nomination


@pytest.mark.parametrize(
    "there",
    [
        leaving(reason="EvictionByEvictionAPI"),
        leaving(status="False"),
        leaving(priority=5),
        pod("old", "4", on="n1"),
    ],
    ids=["evicted", "not disrupted", "no victim", "not leaving"],
)
def test_it_waits_for_nobody_else(there: Obj) -> None:
    assert preemption([there], first=node("n1")).eligible


def test_it_looks_elsewhere_if_waiting_is_in_vain() -> None:
    closed = node("n1") | {"spec": {"unschedulable": True}}
    found = preemption([leaving()], first=closed)
    assert found.eligible
    assert found.node_name == "n2"
