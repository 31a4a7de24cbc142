"""The optimum, held against all sets of victims and places that there are in tiny clusters."""

from collections.abc import Iterator
from itertools import chain, combinations, permutations, product
from random import Random

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.framework.trial_changes import TrialChanges
from podium.scheduler.preemption.dry_run import PRIORITY_OFFSET
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.whatif.optimum.optimum_report import Optimum
from podium.whatif.optimum.solver import Placing, solve
from tests.covering import covers
from tests.objects import HOST, ZONE, Obj, budget, container, near, node, pod, required

SEEDS = 16
DEFAULT = "default-scheduler"

Places = dict[str, str]
Names = frozenset[str]


class World:
    """Two or three nodes, some pods on them, budgets, and two or three pods that wait."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.scheduler = Scheduler()
        count = rng.choice((2, 2, 3))
        nodes, placed = [], []
        for n in range(count):
            taint = {"key": "only", "value": "x", "effect": "NoSchedule"}
            taints = [taint] if rng.random() < 0.15 else []
            zone, cpu = rng.choice("ab"), rng.choice("234")
            nodes.append(node(f"n-{n}", cpu, pods="5", zone=zone, taints=taints))
        for n in range(rng.randint(2, 5)):
            on, start = f"n-{rng.randrange(count)}", f"2026-01-01T00:0{n}:00Z"
            placed.append(drawn_pod(rng, f"old-{n}", (0, 1, 1, 3), on=on, start=start))
        waiting = [drawn_pod(rng, f"new-{n}", (2, 5, 5)) for n in range(rng.choice((2, 2, 3)))]
        self.pending = self.scheduler.load(nodes, [*placed, *waiting])
        allowed = [{"disruptionsAllowed": rng.choice((0, 1, 5))} for _ in "xy"]
        budgets = (budget(app, status=status) for app, status in zip("xy", allowed, strict=True))
        self.scheduler.budgets.replace(map(Budget.of, budgets))
        self.on_nodes = [pod for pods in self.scheduler.snapshot.pods_on for pod in pods]

    def vector(self, places: Places, victims: Names) -> list[int]:
        """What is minimised, in order."""
        gone = [pod for pod in self.on_nodes if pod.key in victims]
        levels, found = sorted({pod.priority for pod in self.pending}, reverse=True), list[int]()
        for level, following in zip(levels, [*levels[1:], -(10**9)], strict=True):
            found.append(sum(p.priority == level and p.key not in places for p in self.pending))
            those = [pod for pod in gone if pod.priority >= following]
            excesses = [
                sum(covers(budget, pod.obj) for pod in those) - budget.allowed
                for budget in self.scheduler.budgets.budgets
            ]
            found += [
                sum(max(excess, 0) for excess in excesses),
                max((pod.priority for pod in those), default=-1),
                sum(pod.priority + PRIORITY_OFFSET for pod in those),
                len(those),
            ]
        return found

    def solutions(self) -> Iterator[tuple[Places, Names]]:
        """All that is allowed."""
        names = [*self.scheduler.snapshot.row_of]
        for chosen in product(["", *names], repeat=len(self.pending)):
            places = {pod.key: name for pod, name in zip(self.pending, chosen, strict=True) if name}
            lower = [
                victim
                for victim in self.on_nodes
                if any(
                    places.get(pod.key) == names[victim.row] and pod.priority > victim.priority
                    for pod in self.pending
                )
            ]
            sizes = range(len(lower) + 1)
            for gone in chain.from_iterable(combinations(lower, size) for size in sizes):
                victims = frozenset(pod.key for pod in gone)
                if self.is_allowed(places, victims):
                    yield places, victims

    def is_allowed(self, places: Places, victims: Names) -> bool:
        """Whether all fit in some order, and each would fit again in the end."""
        rows = self.scheduler.snapshot.row_of
        coming = [(pod, rows[places[pod.key]]) for pod in self.pending if pod.key in places]
        with TrialChanges(self.scheduler.handle) as changes:
            changes.take([pod for pod in self.on_nodes if pod.key in victims])
            return any(map(self._fit, permutations(coming))) and all(
                self._fit([other for other in coming if other is not last], last) for last in coming
            )

    def _fit(
        self, placed: list[tuple[PodInfo, int]], last: tuple[PodInfo, int] | None = None
    ) -> bool:
        with TrialChanges(self.scheduler.handle) as changes:
            placing = Placing(self.scheduler, changes)
            for pod, row in placed:
                if last is None and not placing.fits(pod, DEFAULT, row):
                    return False
                placing.add(pod, row)
            return last is None or placing.fits(last[0], DEFAULT, last[1])


@pytest.mark.seeds(SEEDS, 4_000)
def test_nothing_is_better(seed: int) -> None:
    world = World(seed)
    before = [[pod.uid for pod in pods] for pods in world.scheduler.snapshot.pods_on]
    found = solve(world.scheduler, world.pending, 60.0)
    assert [[pod.uid for pod in pods] for pods in world.scheduler.snapshot.pods_on] == before
    assert found.proven
    assert found.verified
    assert not found.unexpressed
    places = {place.pod: place.node for place in found.placements}
    victims = frozenset(victim.pod for victim in found.victims)
    assert world.is_allowed(places, victims)
    best = min(world.vector(*solution) for solution in world.solutions())
    assert world.vector(places, victims) == best


def test_the_clusters_are_of_all_kinds() -> None:
    found: list[Optimum] = []
    for seed in range(SEEDS):
        world = World(seed)
        found.append(solve(world.scheduler, world.pending, 60.0))
    assert any(one.tally.placed < one.pods for one in found)
    assert any(one.tally.victims > 1 for one in found)
    assert any(one.tally.pdb_violations for one in found)
    assert any(one.tally.victims == 0 for one in found)


def drawn_pod(rng: Random, name: str, priorities: tuple[int, ...], **fields: str) -> Obj:
    app, rules = rng.choice("xyz"), {}
    ports = {"ports": [{"hostPort": 80, "containerPort": 80}]} if rng.random() < 0.1 else {}
    containers = [container(rng.choice(("500m", "1", "2")), **ports)]
    if rng.random() < 0.2:
        rules["tolerations"] = [{"operator": "Exists"}]
    if rng.random() < 0.15:
        rules["nodeSelector"] = {ZONE: rng.choice("ab")}
    term, kind = near(rng.choice("xyz"), rng.choice((ZONE, HOST))), rng.random()
    if kind < 0.2:
        rules["affinity"] = required("podAntiAffinity", term)
    elif kind < 0.3:
        # The model leaves out pods with other affinity to pods that wait.
        term["labelSelector"] = {"matchLabels": {"near": name}}
        if rng.random() < 0.5:
            app = "w"
            term["labelSelector"] = {"matchLabels": {"app": app}}
        rules["affinity"] = required("podAffinity", term)
    elif kind < 0.45:
        spread = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **term}
        rules["topologySpreadConstraints"] = [spread]
    rules |= {"priority": rng.choice(priorities), "containers": containers}
    return pod(name, app=app, uid=name, **rules, **fields)
