"""Victims on several nodes, held against all sets of victims that there are."""

from collections.abc import Iterator
from itertools import chain, combinations
from random import Random

import pytest

from podium.scheduler.config.scheduler_options import PreemptionScope, SchedulerOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.preemption.policies.victim_sets import VictimSets
from podium.scheduler.scheduler import Scheduler
from tests.objects import HOST, ZONE, Obj, near, node, pod, required

OPTIONS = SchedulerOptions(preemption_scope=PreemptionScope.CROSS_NODE)
SEEDS = 30


class World:
    """Three nodes in one zone or two, a few pods that may keep others away, and a preemptor."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        zones = rng.choice(("aaa", "aaa", "aab"))
        self.nodes = [node(f"n-{n}", "2", pods="10", zone=zone) for n, zone in enumerate(zones)]
        self.pods = [placed(rng, n) for n in range(rng.randint(3, 6))]
        self.preemptor = {**drawn(rng, "new", 2), "status": {}}

    def decide(self, without: frozenset[str] = frozenset(), nominated: str = "") -> Decision:
        scheduler = Scheduler(options=OPTIONS)
        left = [one for one in self.pods if one["metadata"]["name"] not in without]
        new = {**self.preemptor, "status": {"nominatedNodeName": nominated}}
        (pending,) = scheduler.load(self.nodes, [*left, new])
        return scheduler.decide(pending)

    def fits(self, without: frozenset[str], where: str) -> bool:
        return self.decide(without, where).nominated_only

    def sets(self) -> Iterator[frozenset[str]]:
        """All sets of pods of lower priority that make room somewhere."""
        lower = [one["metadata"]["name"] for one in self.pods if one["spec"]["priority"] < 2]
        subsets = chain.from_iterable(combinations(lower, n) for n in range(len(lower) + 1))
        return (one for names in subsets if self.decide(one := frozenset(names)).node_name)

    def priorities(self, names: frozenset[str]) -> list[int]:
        chosen = (one for one in self.pods if one["metadata"]["name"] in names)
        return sorted((one["spec"]["priority"] for one in chosen), reverse=True)


def placed(rng: Random, number: int) -> Obj:
    made = drawn(rng, f"p-{number}", rng.choice((0, 0, 1, 1, 2)))
    made["spec"]["nodeName"] = f"n-{rng.randint(0, 2)}"
    return {**made, "status": {"startTime": f"2026-01-01T00:0{rng.randint(0, 9)}:00Z"}}


def drawn(rng: Random, name: str, priority: int) -> Obj:
    cpu, affinity = rng.choice(("0", "1", "2")), {}
    if rng.random() < 0.8:
        term = near(rng.choice("xy"), rng.choice((ZONE, ZONE, ZONE, HOST)))
        affinity = {"affinity": required("podAntiAffinity", term)}
    return pod(name, cpu, app=rng.choice("xy"), priority=priority, **affinity)


def helped(decision: Decision) -> Preemption | None:
    found = decision.preemption
    return found if found is not None and found.node_name else None


@pytest.mark.seeds(SEEDS, 3_000)
def test_a_set_helps_is_needed_and_is_as_unimportant_as_any(seed: int) -> None:
    world = World(seed)
    decision = world.decide()
    found = helped(decision)
    if found is None:
        assert decision.node_name or not list(world.sets())
        return
    victims = frozenset(victim.name for victim in found.victims)
    assert world.fits(victims, found.node_name)
    for name in victims:
        assert not world.fits(victims - {name}, found.node_name)
    if isinstance(found.run, VictimSets):
        best = min(world.priorities(one) for one in world.sets())
        assert world.priorities(victims)[0] == best[0]


def test_the_worlds_have_sets_on_several_nodes() -> None:
    found = [helped(World(seed).decide()) for seed in range(SEEDS)]
    sets = [one for one in found if one is not None and isinstance(one.run, VictimSets)]
    assert len(sets) >= 5
    assert any(len({victim.row for victim in one.victims}) > 1 for one in sets)


def test_pods_stand_on_their_nodes_as_before() -> None:
    world = next(w for w in map(World, range(SEEDS)) if (f := helped(w.decide())) and f.victims)
    scheduler = Scheduler(options=OPTIONS)
    (pending,) = scheduler.load(world.nodes, [*world.pods, world.preemptor])
    before = [list(pods) for pods in scheduler.snapshot.pods_on]
    scheduler.decide(pending)
    assert scheduler.snapshot.pods_on == before
    positions = [[int(scheduler.snapshot.pods.positions[p.slot]) for p in on] for on in before]
    assert positions == [list(range(len(on))) for on in before]
