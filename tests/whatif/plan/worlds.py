"""Random small clusters, tight and with everything that rolls out, and a change of each."""

from dataclasses import dataclass
from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS
from podium.api.objects import is_terminating, key
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.kubelet.simulated.behaviour import DEFAULT_BEHAVIOUR, NodeSettings
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import Scenario
from podium.simulation.scenario.steps import ScenarioStep, ServerSideApply
from podium.simulation.timeline.facts import TimelineEntry
from tests.objects import ZONE, Obj, budget, node, pod, priority_class, workload
from tests.replacing import replace

UNTIL_S = 150.0
# By then the scheduler has found that what waits in the state fits nowhere, as it had before.
APPLIED_S = 2.0
OPTIONS = ClusterOptions(nodes=NodeSettings(behaviour=DEFAULT_BEHAVIOUR))
_CLASSES = [priority_class("low", 1), priority_class("middle", 100), priority_class("high", 1000)]
_KINDS = ("Deployment", "Deployment", "StatefulSet", "DaemonSet", "Job")


@dataclass(frozen=True, slots=True)
class World:
    """A cluster's objects, as exported, and what is applied to it then."""

    state: list[Obj]
    applied: list[Obj]


def world(rng: Random) -> World:
    """A cluster that has come to rest, and a change of it."""
    nodes = [_node(rng, f"n{number}") for number in range(rng.randint(2, 4))]
    there = [_workload(rng, name) for name in "abc"]
    budgets = [budget(name, **_allowance(rng)) for name in "abc" if rng.random() < 0.3]
    state = exported([*nodes, *_CLASSES, *there, *budgets])
    changes = [_change(rng, there) for _ in range(rng.randint(1, 3))]
    return World(state, [*{str(one["metadata"]["name"]): one for one in changes}.values()])


def _node(rng: Random, name: str) -> Obj:
    taint = {"key": "keep", "value": "off", "effect": "NoSchedule"}
    taints = {"taints": [taint]} if rng.random() < 0.15 else {}
    return node(name, rng.choice(("2", "3", "4")), zone=rng.choice(("z1", "z2")), **taints)


def _allowance(rng: Random) -> Obj:
    return {rng.choice(("minAvailable", "maxUnavailable")): rng.choice((0, 1, "50%"))}


def _workload(rng: Random, name: str, kind: str = "") -> Obj:
    kind = kind or rng.choice(_KINDS)
    spec: Obj = {} if kind in ("DaemonSet", "Job") else {"replicas": rng.randrange(5)}
    if kind == "Deployment" and rng.random() < 0.5:
        bounds = rng.choice(({"maxSurge": 0, "maxUnavailable": 1}, {"maxSurge": "100%"}))
        spec["strategy"] = {"type": "RollingUpdate", "rollingUpdate": bounds}
    if kind == "Job":
        spec |= {"parallelism": rng.randint(1, 3), "completions": 3}
    template: Obj = {
        "priorityClassName": rng.choice(("low", "low", "middle", "high")),
        "terminationGracePeriodSeconds": rng.choice((0, 5, 30)),
        **_relations(rng, name),
    }
    if rng.random() < 0.2:
        template["tolerations"] = [{"operator": "Exists"}]
    return workload(kind, name, rng.choice(("500m", "1", "2")), template=template, **spec)


def _relations(rng: Random, name: str) -> Obj:
    selector = {"labelSelector": {"matchLabels": {"app": name}}, "topologyKey": ZONE}
    match rng.randrange(6):
        case 0:
            rule = {"requiredDuringSchedulingIgnoredDuringExecution": [selector]}
            return {"affinity": {"podAntiAffinity": rule}}
        case 1:
            bounds = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
            return {"topologySpreadConstraints": [{**selector, **bounds}]}
    return {}


def _change(rng: Random, there: list[Obj]) -> Obj:
    """Something new, or a workload that is there with another template."""
    if rng.random() < 0.2:
        on = {"on": "n1"} if rng.random() < 0.3 else {}
        return pod("new-0", "1", priorityClassName=rng.choice(("low", "high")), **on)
    # What makes up a Job can't be changed.
    changed = [one for one in there if one["kind"] != "Job"]
    if changed and rng.random() < 0.7:
        before = rng.choice(changed)
        return _workload(rng, before["metadata"]["name"], before["kind"])
    return _workload(rng, "new")


def exported(objects: list[Obj]) -> list[Obj]:
    """What a cluster of these objects is like after a while."""
    # With another seed than those that go on from here, or they would give the same uids again.
    cluster = Cluster(replace(OPTIONS, seed=7))
    cluster.load(objects)
    cluster.start()
    cluster.driver.advance(60)
    kinds = DECISIVE_KINDS.keys() & KINDS.keys()
    return [obj for kind in KINDS if kind in kinds for obj in cluster.store.list(kind).items]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who loses a place in the course of a change, and who has none in the end."""

    lost: frozenset[str]
    pending: frozenset[str]


def simulated(there: World, start_s: float, until_s: float = UNTIL_S) -> Outcome:
    """What a simulation of the change comes to."""
    scenario = Scenario(
        name="same",
        options=replace(OPTIONS, start_s=start_s - APPLIED_S),
        objects=there.state,
        steps=[ScenarioStep("spec.steps[0]", APPLIED_S, ServerSideApply(tuple(there.applied)))],
        until_s=APPLIED_S + until_s,
    )
    simulation = simulate(scenario)
    lost = {f"{e.namespace}/{e.name}" for e in simulation.entries if _tells_of_loss(e)}
    # Who had to go before the change isn't lost to it.
    leaving = {key(one) for one in there.state if is_terminating(one)}
    return Outcome(
        frozenset(lost - leaving), without_place(simulation.cluster.store.list("Pod").items)
    )


def without_place(pods: Any) -> frozenset[str]:
    """The keys of pods that have no node."""
    return frozenset(
        f"{one['metadata']['namespace']}/{one['metadata']['name']}"
        for one in pods
        if not one["spec"].get("nodeName")
    )


def _tells_of_loss(entry: TimelineEntry) -> bool:
    return entry.kind == "Pod" and bool(entry.details.get("disruption"))
