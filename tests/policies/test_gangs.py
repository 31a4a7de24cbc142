"""All pods of a gang that there must be are placed, or none, on clusters by seed."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from random import Random
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import POD_GROUP
from podium.api.objects import condition_of
from podium.simulation.runner.scenario_runner import Simulation
from tests.policies.worlds import CLASSES, play

SEEDS = 6
by_seed = pytest.mark.seeds(SEEDS, 600)
APIS = ["scheduling.k8s.io", "scheduling.x-k8s.io"]
GANGS = {"gangs": {"podGroups": APIS, "timeout": "60s"}}
UNTIL_S = 900

Obj = dict[str, Any]


class World:
    """Gangs of both APIs and single pods come to a few nodes, and end after a while."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.least: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.whole: set[str] = set()
        self.alpha: set[str] = set()
        names = [f"gang-{number}" for number in range(rng.randint(2, 4))]
        classes = {name: rng.choice((*CLASSES,)) for name in names}
        groups = [self._group(rng, *one) for one in classes.items()]
        pods = [pod for one in classes.items() for pod in self._members(rng, *one)]
        singles = [
            _pod(rng, f"single-{n}", rng.choice(("batch", "normal")))
            for n in range(rng.randint(2, 6))
        ]
        steps = [
            {"at": f"{rng.choice((5, 5, 10, 60, 61, 120))}s", "apply": pod}
            for pod in [*pods, *singles]
        ]
        self.scenario = {
            "apiVersion": "podium.dev/v1alpha1",
            "kind": "Scenario",
            "spec": {
                "seed": seed,
                "until": f"{UNTIL_S}s",
                "nodes": [{"name": "n-", "count": 3, "capacity": {"cpu": "2", "memory": "8Gi"}}],
                "manifests": [*map(_class, CLASSES), *groups],
                "steps": sorted(steps, key=lambda step: float(step["at"][:-1])),
            },
        }

    def _group(self, rng: Random, name: str, priority: str) -> Obj:
        self.sizes[name] = rng.randint(2, 5)
        self.least[name] = rng.randint(2, self.sizes[name])
        if rng.random() < 0.5:
            policy = {"gang": {"minCount": self.least[name]}}
            spec: Obj = {"schedulingPolicy": policy, "priorityClassName": priority}
            self.alpha.add(name)
            if rng.random() < 0.7:
                spec["disruptionMode"] = "PodGroup"
                self.whole.add(name)
            return _object(f"{APIS[0]}/v1alpha2", "PodGroup", name, spec)
        return _object(f"{APIS[1]}/v1alpha1", "PodGroup", name, {"minMember": self.least[name]})

    def _members(self, rng: Random, name: str, priority: str) -> Iterator[Obj]:
        for number in range(self.sizes[name]):
            pod = _pod(rng, f"{name}-{number}", priority, cpu="1")
            pod["metadata"]["labels"] = {"gang": name}
            if name in self.alpha:
                pod["spec"]["schedulingGroup"] = {"podGroupName": name}
            else:
                pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = name
            yield pod


@by_seed
def test_gangs_keep_their_promises(seed: int) -> None:
    world = World(seed)
    simulation, _ = play(world.scenario, GANGS)
    assert not _parts(world, simulation)
    assert not _torn(world, simulation)
    # None waits for ever for what another one holds.
    started = {_gang_of(one.name) for one in simulation.entries if one.type == "PodBound"}
    assert world.least.keys() <= started
    groups = simulation.cluster.store.list(POD_GROUP.key).items
    assert all(condition_of(group, "PodGroupScheduled") for group in groups)


def test_without_the_option_gangs_get_parts() -> None:
    found = [(world := World(seed), play(world.scenario, {})[0]) for seed in range(SEEDS)]
    assert any(_parts(*one) for one in found)


def test_gangs_preempt_and_are_preempted() -> None:
    played = [(world := World(seed), play(world.scenario, GANGS)) for seed in range(SEEDS)]
    assert any(_gang_of(one.preemptor.name) in w.least for w, (_, t) in played for one in t)
    assert any(_gang_of(one.victim.name) in w.whole for w, (_, t) in played for one in t)


def _parts(world: World, simulation: Simulation) -> list[tuple[float, str, int]]:
    """When which gang got pods bound that aren't enough together, and how many it then had."""
    found, running = [], defaultdict[str, set[str]](set)
    for at_s, entries in groupby(simulation.entries, key=lambda one: one.at_s):
        moment = list(entries)
        bound = {one.name for one in moment if one.type == "PodBound"}
        for gang in {_gang_of(name) for name in bound} & world.least.keys():
            # Whoever loses its place at the same moment had one.
            members = running[gang] | {name for name in bound if _gang_of(name) == gang}
            if len(members) < world.least[gang]:
                found.append((at_s, gang, len(members)))
        _follow(moment, running)
    return found


def _torn(world: World, simulation: Simulation) -> list[tuple[float, str]]:
    """When which gang lost some pods by preemption and kept others, though it goes as a whole."""
    found, running = [], defaultdict[str, set[str]](set)
    for at_s, entries in groupby(simulation.entries, key=lambda one: one.at_s):
        moment = list(entries)
        preempted = {
            one.name
            for one in moment
            if one.type in ("PodTerminating", "PodGone")
            and one.details.get("disruption") == "PreemptionByScheduler"
        }
        # Whoever ends by itself at the same moment stays behind by right.
        ended = {one.name for one in moment if one.type == "PodSucceeded"}
        found += [
            (at_s, gang)
            for gang in sorted(world.whole)
            if preempted & running[gang] and not running[gang] - ended <= preempted
        ]
        _follow(moment, running)
    return found


def _follow(moment: list[Any], running: dict[str, set[str]]) -> None:
    for one in moment:
        if one.type == "PodBound":
            running[_gang_of(one.name)].add(one.name)
        elif one.type in ("PodTerminating", "PodGone", "PodFailed", "PodSucceeded"):
            running[_gang_of(one.name)].discard(one.name)


def _gang_of(pod: str) -> str:
    return pod.rpartition("-")[0]


def _pod(rng: Random, name: str, priority: str, cpu: str = "") -> Obj:
    requests = {"cpu": cpu or rng.choice(("1", "2"))}
    pod = _object(
        "v1",
        "Pod",
        name,
        {
            "priorityClassName": priority,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": rng.choice((0, 5, 20)),
            "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
        },
    )
    pod["metadata"]["annotations"] = {"podium.dev/run-duration": f"{rng.randint(30, 90)}s"}
    return pod


def _class(name: str) -> Obj:
    meta = {"metadata": {"name": name}, "value": CLASSES[name]}
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", **meta}


def _object(api_version: str, kind: str, name: str, spec: Obj) -> Obj:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(("until_s", "nominated"), [(40, 2), (100, 0)])
def test_room_is_given_up_when_the_time_is_over(until_s: int, nominated: int) -> None:
    rng = Random(0)
    group = _object(f"{APIS[1]}/v1alpha1", "PodGroup", "g", {"minMember": 2})
    slow = _pod(rng, "slow-0", "batch", cpu="2")
    del slow["metadata"]["annotations"]
    slow["spec"]["terminationGracePeriodSeconds"] = 600
    members = [_pod(rng, f"g-{number}", "urgent", cpu="2") for number in range(2)]
    for one in members:
        one["metadata"]["labels"] = {"scheduling.x-k8s.io/pod-group": "g"}
    spec = {
        "until": f"{until_s}s",
        "nodes": [{"name": "n-", "count": 2, "capacity": {"cpu": "2", "memory": "8Gi"}}],
        "manifests": [*map(_class, CLASSES), group],
        "steps": [{"at": "1s", "apply": slow}, *({"at": "20s", "apply": one} for one in members)],
    }
    head = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario"}
    simulation, taken = play({**head, "spec": spec}, GANGS)
    pods = {pod["metadata"]["name"]: pod for pod in simulation.cluster.store.list("Pod").items}
    assert [one.victim.name for one in taken] == ["slow-0"] * len(taken)
    assert not any("nodeName" in pods[f"g-{number}"]["spec"] for number in range(2))
    nominees = [one for one in pods.values() if one["status"].get("nominatedNodeName")]
    assert len(nominees) == nominated


def test_a_gang_that_comes_anew_has_room_made_at_once() -> None:
    rng = Random(0)
    group = _object(f"{APIS[1]}/v1alpha1", "PodGroup", "g", {"minMember": 1})
    slow = _pod(rng, "slow-0", "batch", cpu="2")
    slow["spec"]["terminationGracePeriodSeconds"] = 600
    del slow["metadata"]["annotations"]
    first, second = (_pod(rng, f"g-{number}", "urgent", cpu="2") for number in range(2))
    for one in (first, second):
        one["metadata"]["labels"] = {"scheduling.x-k8s.io/pod-group": "g"}
    steps = [
        {"at": "1s", "apply": slow},
        {"at": "20s", "apply": first},
        {"at": "30s", "delete": "pod/g-0"},
        {"at": "40s", "apply": second},
    ]
    spec = {
        "until": "50s",
        "nodes": [{"name": "n-", "count": 1, "capacity": {"cpu": "2", "memory": "8Gi"}}],
        "manifests": [*map(_class, CLASSES), group],
        "steps": steps,
    }
    head = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario"}
    simulation, _ = play({**head, "spec": spec}, GANGS)
    found = simulation.cluster.store.get("Pod", "default", "g-1")
    assert found is not None
    assert found["status"]["nominatedNodeName"] == "n-1"


def test_a_group_of_pods_says_which_victims_it_waits_for() -> None:
    rng = Random(0)
    policy = {"gang": {"minCount": 1}}
    terms = {"schedulingPolicy": policy, "priorityClassName": "urgent"}
    group = _object(f"{APIS[0]}/v1alpha2", "PodGroup", "g", terms)
    slow = _pod(rng, "slow-0", "batch", cpu="2")
    slow["spec"]["terminationGracePeriodSeconds"] = 600
    del slow["metadata"]["annotations"]
    member = _pod(rng, "g-0", "urgent", cpu="2")
    member["spec"]["schedulingGroup"] = {"podGroupName": "g"}
    spec = {
        "until": "30s",
        "nodes": [{"name": "n-", "count": 1, "capacity": {"cpu": "2", "memory": "8Gi"}}],
        "manifests": [*map(_class, CLASSES), group],
        "steps": [{"at": "1s", "apply": slow}, {"at": "20s", "apply": member}],
    }
    head = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario"}
    simulation, _ = play({**head, "spec": spec}, GANGS)
    (found,) = simulation.cluster.store.list(POD_GROUP.key).items
    condition = condition_of(found, "PodGroupScheduled")
    assert condition is not None
    assert condition["status"] == "False"
    assert "waits until" in condition["message"]
    assert "slow-0 to leave" in condition["message"]
