"""What docs/incremental.md promises: results that were kept say what new ones would say.

A scheduler lives through changes of every kind that the page lists. After each of them it decides
pods of some classes, and so does one that was made just now, of the same objects.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.explain.explanation import explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo
from tests import objects
from tests.conftest import ROOT
from tests.objects import HOST, ZONE, near, required

Obj = dict[str, Any]

BOUND = "pv.kubernetes.io/bind-completed"


def apart(kind: str, app: str, key: str) -> Obj:
    return {"affinity": required(kind, near(app, key))}


def preferring(app: str) -> Obj:
    term = {
        "topologyKey": ZONE,
        "labelSelector": {"matchLabels": {"app": app}},
        "namespaceSelector": {"matchLabels": {"kind": "lab"}},
    }
    preferred = {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "podAffinityTerm": term}]
    }
    return {"affinity": {"podAffinity": preferred}}


def spread(action: str, key: str) -> Obj:
    selector = {"matchLabels": {"team": "t"}}
    constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": action}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": selector}]}


CLASSES: dict[str, Obj] = {
    "plain": {},
    "spread": spread("DoNotSchedule", ZONE),
    "spread-softly": spread("ScheduleAnyway", ZONE),
    "apart": apart("podAntiAffinity", "apart", HOST),
    "near": apart("podAffinity", "plain", ZONE),
    "preferring": preferring("plain"),
    "ports": {"ports": 8080},
    "urgent": {"priority": 100},
    "urgent-spread": {"priority": 100, **spread("DoNotSchedule", ZONE)},
    "urgent-apart": {"priority": 100, **apart("podAntiAffinity", "plain", ZONE)},
}


def pod(app: str, name: str) -> Obj:
    spec = {"priority": 0, **CLASSES[app]}
    if port := spec.pop("ports", 0):
        spec["containers"] = [objects.container(ports=[{"hostPort": port}])]
    labels = {"app": app, "team": "t"}
    return objects.pod(name, uid=name, metadata={"labels": labels}, **spec)


def node(name: str, zone: str, cpu: int = 2, **status: Any) -> Obj:
    return objects.node(name, str(cpu), pods="9", zone=zone, status=status)


def namespace(kind: str) -> Obj:
    return {"kind": "Namespace", "metadata": {"name": "default", "labels": {"kind": kind}}}


@dataclass
class World:
    """A scheduler that lives on, and what it takes to make another one like it."""

    scheduler: Scheduler = field(default_factory=Scheduler)
    around: Obj = field(default_factory=lambda: namespace("lab"))
    budgets: tuple[Budget, ...] = ()
    serial: int = 0

    def __post_init__(self) -> None:
        nodes = [node(f"n{number}", f"z{number % 2}") for number in range(4)]
        self.scheduler.load(nodes, [], [self.around])

    def new_pod(self, app: str) -> Obj:
        self.serial += 1
        return pod(app, f"{app}-{self.serial}")

    def twin(self) -> Scheduler:
        """A scheduler that has just been made; pods are on their nodes in the same order."""
        old, twin = self.scheduler, Scheduler()
        nodes = [old.snapshot.nodes[row] for row in old.snapshot.row_of.values()]
        twin.load([n for n in nodes if n is not None], [], [self.around])
        for name, row in old.snapshot.row_of.items():
            for there in old.snapshot.pods_on[row]:
                bound = PodInfo(there.obj, twin.snapshot.classes.of(there.obj, wants_node=False))
                twin.snapshot.add_pod(bound, name)
        for name in old.snapshot.row_of:
            for nominated in old.nominator.on(name):
                twin.nominator.nominate(twin.pending(nominated.obj), name)
        twin.budgets.replace(self.budgets)
        return twin


def told(scheduler: Scheduler, obj: Obj) -> object:
    """A decision in full, by names."""
    decision = scheduler.decide(scheduler.pending(obj))
    said = explain(decision, scheduler.snapshot)
    candidates = {
        candidate.node_name: ([v.key for v in candidate.victims], candidate.pdb_violations)
        for candidate in said.candidates
    }
    return (
        kept_totals(scheduler, decision, said.feasible),
        (decision.node_name, decision.error, failure_message(decision, scheduler.snapshot)),
        (said.filter, said.scores, said.best),
        (candidates, said.rejected, said.selected),
    )


def kept_totals(
    scheduler: Scheduler, decision: Decision, feasible: Sequence[str]
) -> dict[str, int]:
    """What feasible nodes score in all, as the choice sees it."""
    if decision.evaluation is None or decision.outcome is not None:
        return {}
    scoring = decision.evaluation.scoring
    rows = {name: scheduler.snapshot.row_of[name] for name in feasible}
    return {
        name: int(scoring.local_total[row] + scoring.relative_total[row])
        for name, row in rows.items()
    }


def arrive(world: World, app: str, number: int) -> None:
    """A pod comes, and is bound or preempts."""
    scheduler = world.scheduler
    pending = scheduler.pending(world.new_pod(app))
    decision = scheduler.decide(pending)
    if decision.node_name:
        scheduler.bind(pending, decision.node_name)
    else:
        scheduler.preempt(decision)


def leave(world: World, app: str, number: int) -> None:
    pods = [one for on_row in world.scheduler.snapshot.pods_on for one in on_row]
    if pods:
        world.scheduler.snapshot.remove_pod(pods[number % len(pods)])


def change_node(world: World, app: str, number: int) -> None:
    """A node comes, or changes its zone or its size."""
    world.scheduler.snapshot.set_node(node(f"n{number % 6}", f"z{number % 3}", 1 + number % 3))


def report_conditions(world: World, app: str, number: int) -> None:
    """A node changes in a way that doesn't matter."""
    snapshot = world.scheduler.snapshot
    name = sorted(snapshot.row_of)[number % snapshot.node_count]
    there = snapshot.nodes[snapshot.row_of[name]]
    assert there is not None
    status = {**there["status"], "conditions": [{"type": "Ready", "status": "True"}] * number}
    assert not snapshot.set_node({**there, "status": status})


def remove_node(world: World, app: str, number: int) -> None:
    snapshot = world.scheduler.snapshot
    empty = sorted(name for name, row in snapshot.row_of.items() if not snapshot.pods_on[row])
    if len(empty) > 1:
        world.scheduler.snapshot.remove_node(empty[number % len(empty)])


def relabel_namespace(world: World, app: str, number: int) -> None:
    world.around = namespace(("lab", "prod")[number % 2])
    world.scheduler.listers.set(world.around)


def set_budget(world: World, app: str, number: int) -> None:
    selector = {"matchLabels": {"app": "plain" if number else app}}
    metadata = {"name": "b", "namespace": "default"}
    status = {"disruptionsAllowed": number % 2}
    pdb = {"metadata": metadata, "spec": {"selector": selector}, "status": status}
    world.budgets = (Budget.of(pdb),)
    world.scheduler.budgets.replace(world.budgets)


def nominate(world: World, app: str, number: int) -> None:
    names = sorted(world.scheduler.snapshot.row_of)
    waiting = world.scheduler.pending(world.new_pod(app))
    world.scheduler.nominator.nominate(waiting, names[number % len(names)])


# Pods that come are the usual case.
CHANGES: tuple[Callable[[World, str, int], None], ...] = (
    arrive,
    arrive,
    arrive,
    leave,
    leave,
    change_node,
    report_conditions,
    remove_node,
    relabel_namespace,
    set_budget,
    nominate,
)


def live_through(seed: int, change_count: int) -> None:
    dice, world = Random(seed), World()
    for _ in range(4):
        arrive(world, "plain", 0)
    for _ in range(change_count):
        change, app = dice.choice(CHANGES), dice.choice(sorted(CLASSES))
        change(world, app, dice.randrange(10))
        twin = world.twin()
        # Not every class each time: others are to fall behind.
        for asked in ("urgent", "urgent-apart", *dice.sample(sorted(CLASSES), 2)):
            new = pod(asked, "new")
            assert told(world.scheduler, new) == told(twin, new), f"{asked} after {change.__name__}"


@pytest.mark.parametrize("uses_claim", [True, False])
def test_what_is_assumed_of_volumes_concerns_pods_with_claims_alone(uses_claim: bool) -> None:
    """Their results are made anew; those of other pods, for whom nothing changes, are kept."""
    world = World()
    volume: Obj = {"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {}}
    claim = {"kind": "PersistentVolumeClaim", "spec": {"volumeName": "v"}}
    metadata = {"name": "c", "namespace": "default", "annotations": {BOUND: "yes"}}
    world.scheduler.listers.set(volume)
    world.scheduler.listers.set({**claim, "metadata": metadata})
    asked = world.new_pod("plain")
    if uses_claim:
        asked["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]

    def filtering() -> object:
        evaluation = world.scheduler.decide(world.scheduler.pending(asked)).evaluation
        assert evaluation is not None
        return evaluation.filtering

    before = filtering()
    assert filtering() is before
    world.scheduler.listers.assume({**volume, "spec": {"claimRef": {"name": "c"}}})
    assert (filtering() is before) != uses_claim


@pytest.mark.parametrize("seed", range(10))
def test_kept_results_are_those_of_a_new_scheduler(seed: int) -> None:
    live_through(seed, change_count=40)


@pytest.mark.parametrize("seed", range(10))
def test_classes_may_be_forgotten_at_any_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = Random(seed)
    monkeypatch.setattr(PodClasses, "is_crowded", property(lambda _: dice.random() < 0.3))
    live_through(seed, change_count=40)


@pytest.mark.seeds(0, 1_000)
def test_kept_results_are_those_of_a_new_scheduler_for_long(seed: int) -> None:
    live_through(seed, change_count=100)


def signals() -> Iterator[str]:
    """The counters and logs in core that others compare, as `Class.attribute`."""
    for file in (ROOT / "podium/scheduler").rglob("*.py"):
        for cls in ast.walk(ast.parse(file.read_text())):
            for node in ast.walk(cls) if isinstance(cls, ast.ClassDef) else ():
                is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                if is_set and re.fullmatch(r"(?!_)\w*(epoch|log|restarts|stirs)", node.attr):
                    yield f"{cls.name}.{node.attr}"


def test_the_page_lists_every_signal() -> None:
    page = (ROOT / "docs/incremental.md").read_text()
    table = page.partition("## What notices a change")[2].partition("\n## ")[0]
    found = set(signals())
    assert "Snapshot.node_epoch" in found
    assert {signal for signal in found if f"| `{signal}`" not in table} == set()
