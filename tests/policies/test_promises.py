"""What each option of preemption promises, on clusters by seed."""

from bisect import bisect_right
from collections import defaultdict

import pytest

from podium.api.objects import Object, annotations
from podium.api.values.times import NANOS_PER_SECOND, parse_time
from tests.policies.worlds import Taken, play, world

SEEDS = 4
by_seed = pytest.mark.seeds(SEEDS, 500)
MINIMUM_S = 90.0


def test_the_worlds_have_victims_of_all_kinds() -> None:
    taken = [one for seed in range(SEEDS) for one in play(world(seed), {})[1]]
    assert any("podium.dev/never-preempt" in annotations(one.obj) for one in taken)
    assert any(one.violated for one in taken)
    assert any(_ran_s(one) < MINIMUM_S for one in taken)


@by_seed
def test_nobody_goes_before_its_minimum_run_time(seed: int) -> None:
    times = [{"priorityClass": "*", "duration": f"{MINIMUM_S:g}s"}]
    _, taken = play(world(seed), {"protection": {"minimumRunTimes": times}})
    assert all(_ran_s(one) >= MINIMUM_S for one in taken)


@by_seed
def test_who_tolerates_preemption_below_a_priority_does_so_for_its_time(seed: int) -> None:
    scenario, prefix = world(seed), "preemption-toleration.scheduling.x-k8s.io/"
    (batch,) = (one for one in scenario["spec"]["manifests"] if one["metadata"]["name"] == "batch")
    asked = {"minimum-preemptable-priority": "1000", "toleration-seconds": f"{MINIMUM_S:g}"}
    batch["metadata"]["annotations"] = {f"{prefix}{key}": value for key, value in asked.items()}
    _, taken = play(scenario, {"protection": {"toleration": True}})
    below = [one for one in taken if one.victim.priority == 100 and one.preemptor.priority < 1000]
    assert all(_ran_s(one) >= MINIMUM_S for one in below)


@by_seed
def test_nobody_goes_that_may_ask_never_to(seed: int) -> None:
    never = {"priorityClasses": ["batch"]}
    _, taken = play(world(seed), {"protection": {"never": never}})
    batch = [one for one in taken if one.victim.priority == 100]
    assert not any("podium.dev/never-preempt" in annotations(one.obj) for one in batch)


@by_seed
def test_no_rate_is_exceeded(seed: int) -> None:
    rate = {"victims": 2, "per": "200s"}
    _, taken = play(world(seed), {"protection": {"rates": [rate]}})
    moments = defaultdict(list)
    for one in taken:
        moments[one.victim.priority].append(one.at_s)
    for listed in moments.values():
        for moment in listed:
            assert bisect_right(listed, moment) - bisect_right(listed, moment - 200) <= 2


@by_seed
def test_nobody_preempts_before_its_patience_ends(seed: int) -> None:
    patience = [{"priorityClass": "*", "delay": "20s"}]
    _, taken = play(world(seed), {"patience": patience})
    assert all(one.at_s >= _created_s(one.preemptor.obj) + 20 for one in taken)
    assert taken


@by_seed
def test_no_budget_is_violated(seed: int) -> None:
    _, taken = play(world(seed), {"disruptionBudgets": "Respect"})
    assert not any(one.violated for one in taken)


def _ran_s(one: Taken) -> float:
    started = one.victim.start_ns
    return 0.0 if started is None else one.at_s - started / NANOS_PER_SECOND


def _created_s(obj: Object) -> float:
    return parse_time(obj["metadata"]["creationTimestamp"]) / NANOS_PER_SECOND
