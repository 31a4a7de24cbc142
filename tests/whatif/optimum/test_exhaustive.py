"""The optimum, held against all sets of victims and places that there are in tiny clusters."""

from collections.abc import Iterator
from itertools import chain, combinations, permutations, product
from random import Random
from typing import Any

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.preemption.dry_run import PRIORITY_OFFSET
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.trial_changes import TrialChanges
from podium.whatif.optimum.optimum_report import Optimum
from podium.whatif.optimum.solver import Placing, solve
from tests.covering import covers

SEEDS = 16
DEFAULT = "default-scheduler"
ZONE, HOSTNAME = "topology.kubernetes.io/zone", "kubernetes.io/hostname"

Obj = dict[str, Any]
Places = dict[str, str]
Names = frozenset[str]


class World:
    """Two or three nodes, some pods on them, budgets, and two or three pods that wait."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.scheduler = Scheduler()
        count = rng.choice((2, 2, 3))
        nodes = [_node(rng, f"n-{n}", rng.choice("ab")) for n in range(count)]
        placed = [_placed(rng, n, count) for n in range(rng.randint(2, 5))]
        waiting = [
            _pod(rng, f"new-{n}", rng.choice((2, 5, 5))) for n in range(rng.choice((2, 2, 3)))
        ]
        self.pending = self.scheduler.load(nodes, [*placed, *waiting])
        self.scheduler.budgets.replace([_budget(rng, app) for app in "xy"])
        self.on_nodes = [pod for pods in self.scheduler.snapshot.pods_on for pod in pods]

    def vector(self, places: Places, victims: Names) -> list[int]:
        """What is minimised, in order."""
        gone = sorted(
            (pod for pod in self.on_nodes if pod.key in victims), key=lambda pod: -pod.priority
        )
        levels, found = sorted({pod.priority for pod in self.pending}, reverse=True), list[int]()
        for level, following in zip(levels, [*levels[1:], -(10**9)], strict=True):
            found.append(sum(p.priority == level and p.key not in places for p in self.pending))
            those = [pod for pod in gone if pod.priority >= following]
            found += [
                self._violations(those),
                max((pod.priority for pod in those), default=-1),
                sum(pod.priority + PRIORITY_OFFSET for pod in those),
                len(those),
            ]
        return found

    def _violations(self, gone: list[PodInfo]) -> int:
        covering = [
            sum(covers(budget, pod.obj) for pod in gone) - budget.allowed
            for budget in self.scheduler.budgets.budgets
        ]
        return sum(max(excess, 0) for excess in covering)

    def solutions(self) -> Iterator[tuple[Places, Names]]:
        """All that is allowed."""
        names = [*self.scheduler.snapshot.row_of]
        for chosen in product(["", *names], repeat=len(self.pending)):
            places = {pod.key: node for pod, node in zip(self.pending, chosen, strict=True) if node}
            lower = [pod for pod in self.on_nodes if self._may_go(pod, places)]
            for gone in chain.from_iterable(
                combinations(lower, number) for number in range(len(lower) + 1)
            ):
                if self.is_allowed(places, list(gone)):
                    yield places, frozenset(pod.key for pod in gone)

    def _may_go(self, victim: PodInfo, places: Places) -> bool:
        node = self.scheduler.snapshot.names[victim.row]
        return any(
            places.get(pod.key) == node and pod.priority > victim.priority for pod in self.pending
        )

    def is_allowed(self, places: Places, gone: list[PodInfo]) -> bool:
        """Whether all fit in some order, and each would fit again in the end."""
        coming = [pod for pod in self.pending if pod.key in places]
        with TrialChanges(self.scheduler.snapshot) as changes:
            changes.take(gone)
            return any(self._fit(order, places) for order in permutations(coming))

    def _fit(self, order: tuple[PodInfo, ...], places: Places) -> bool:
        rows = [self.scheduler.snapshot.row_of[places[pod.key]] for pod in order]
        with TrialChanges(self.scheduler.snapshot) as changes:
            placing = Placing(self.scheduler, changes)
            for pod, row in zip(order, rows, strict=True):
                if not placing.fits(pod, DEFAULT, row):
                    return False
                placing.add(pod, row)
        return all(
            self._fits_again(pod, row, [*zip(order, rows, strict=True)])
            for pod, row in zip(order, rows, strict=True)
        )

    def _fits_again(self, pod: PodInfo, row: int, placed: list[tuple[PodInfo, int]]) -> bool:
        with TrialChanges(self.scheduler.snapshot) as changes:
            placing = Placing(self.scheduler, changes)
            for other, place in placed:
                if other is not pod:
                    placing.add(other, place)
            return placing.fits(pod, DEFAULT, row)


@pytest.mark.seeds(SEEDS, 4_000)
def test_nothing_is_better(seed: int) -> None:
    world = World(seed)
    before = [[pod.uid for pod in pods] for pods in world.scheduler.snapshot.pods_on]
    found = solve(world.scheduler, world.pending, 60.0)
    assert [[pod.uid for pod in pods] for pods in world.scheduler.snapshot.pods_on] == before
    assert found.is_proven
    assert found.is_verified
    assert not found.unexpressed
    places, victims = _of(found)
    assert _is_allowed(world, places, victims)
    best = min(world.vector(*one) for one in world.solutions())
    assert world.vector(places, victims) == best


def test_the_clusters_are_of_all_kinds() -> None:
    found = []
    for seed in range(SEEDS):
        world = World(seed)
        found.append((world, solve(world.scheduler, world.pending, 60.0)))
    assert any(one.tally.placed < one.pods for _, one in found)
    assert any(one.tally.victims > 1 for _, one in found)
    assert any(one.tally.violations for _, one in found)
    assert any(one.tally.victims == 0 for _, one in found)


def _of(found: Optimum) -> tuple[Places, Names]:
    places = {one.pod: one.node for one in found.placements}
    return places, frozenset(one.pod for one in found.victims)


def _is_allowed(world: World, places: Places, victims: Names) -> bool:
    gone = [pod for pod in world.on_nodes if pod.key in victims]
    return world.is_allowed(places, gone)


def _node(rng: Random, name: str, zone: str) -> Obj:
    taints = [{"key": "only", "value": "x", "effect": "NoSchedule"}] if rng.random() < 0.15 else []
    return {
        "metadata": {"name": name, "labels": {ZONE: zone, HOSTNAME: name}},
        "spec": {"taints": taints},
        "status": {"allocatable": {"cpu": rng.choice("234"), "memory": "4Gi", "pods": "5"}},
    }


def _budget(rng: Random, app: str) -> Budget:
    pdb = {
        "metadata": {"name": app, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": rng.choice((0, 1, 5))},
    }
    return Budget.of(pdb)


def _placed(rng: Random, number: int, nodes: int) -> Obj:
    made = _pod(rng, f"old-{number}", rng.choice((0, 1, 1, 3)))
    made["spec"]["nodeName"] = f"n-{rng.randrange(nodes)}"
    return {**made, "status": {"startTime": f"2026-01-01T00:0{number}:00Z"}}


def _pod(rng: Random, name: str, priority: int) -> Obj:
    app = rng.choice("xyz")
    container: Obj = {
        "name": "c",
        "resources": {"requests": {"cpu": rng.choice(("500m", "1", "2"))}},
    }
    if rng.random() < 0.1:
        container["ports"] = [{"hostPort": 80, "containerPort": 80}]
    spec: Obj = {"priority": priority, "containers": [container]}
    if rng.random() < 0.2:
        spec["tolerations"] = [{"operator": "Exists"}]
    if rng.random() < 0.15:
        spec["nodeSelector"] = {ZONE: rng.choice("ab")}
    term = {
        "topologyKey": rng.choice((ZONE, HOSTNAME)),
        "labelSelector": {"matchLabels": {"app": rng.choice("xyz")}},
    }
    kind = rng.random()
    if kind < 0.2:
        spec["affinity"] = {"podAntiAffinity": {_REQUIRED: [term]}}
    elif kind < 0.3:
        # Others that want to be near somebody are what the model leaves out.
        near = {**term, "labelSelector": {"matchLabels": {"near": name}}}
        if rng.random() < 0.5:
            near = {**term, "labelSelector": {"matchLabels": {"app": "w"}}}
            app = "w"
        spec["affinity"] = {"podAffinity": {_REQUIRED: [near]}}
    elif kind < 0.45:
        spread = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **term}
        spec["topologySpreadConstraints"] = [spread]
    metadata = {"name": name, "namespace": "default", "uid": name, "labels": {"app": app}}
    return {"metadata": metadata, "spec": spec}


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
