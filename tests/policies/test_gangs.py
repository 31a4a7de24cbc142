"""All pods of a gang that there must be are placed, or none, on clusters by seed."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from random import Random
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import POD_GROUP
from podium.api.objects import condition_of, name
from podium.simulation.runner.scenario_runner import Simulation
from tests.device_objects import GPU_CLASS, USE_SHARED, gpus, shared_claim
from tests.objects import Obj, priority_class
from tests.objects import pod as pod_of
from tests.policies.worlds import CLASSES, play

SEEDS = 6
by_seed = pytest.mark.seeds(SEEDS, 600)
APIS = ["scheduling.k8s.io", "scheduling.x-k8s.io"]
GANGS = {"gangs": {"podGroups": APIS, "timeout": "60s"}}
UNTIL_S = 900
_ALL_THREE = {"gang": {"minCount": 3}}


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


def test_pods_of_a_gang_that_share_a_claim_go_where_its_device_is() -> None:
    group = _object(f"{APIS[0]}/v1alpha2", "PodGroup", "g", {"schedulingPolicy": _ALL_THREE})
    pods = [pod_of(f"g-{number}", "1m", resourceClaims=[USE_SHARED]) for number in range(3)]
    for pod in pods:
        pod["spec"]["schedulingGroup"] = {"podGroupName": "g"}
    spec = {
        "until": "60s",
        "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": "2", "memory": "8Gi"}}],
        "manifests": [group, GPU_CLASS, shared_claim(), gpus("n1", 1), gpus("n2", 1)],
        "steps": [{"at": "5s", "apply": pod} for pod in pods],
    }
    scenario = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario", "spec": spec}
    store = play(scenario, GANGS)[0].cluster.store
    assert [pod["spec"].get("nodeName") for pod in store.list("Pod").items] == ["n1"] * 3
    assert not any("PreBind" in str(event) for event in store.list("Event").items)


def _parts(world: World, simulation: Simulation) -> list[tuple[float, str, int]]:
    """When which gang got pods bound that aren't enough together, and how many it then had."""
    found, running = [], defaultdict[str, set[str]](set)
    for at_s, entries in groupby(simulation.entries, key=lambda one: one.at_s):
        moment = list(entries)
        bound = {one.name for one in moment if one.type == "PodBound"}
        for gang in {_gang_of(pod) for pod in bound} & world.least.keys():
            # Whoever loses its place at the same moment had one.
            members = running[gang] | {pod for pod in bound if _gang_of(pod) == gang}
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
    return priority_class(name, CLASSES[name])


def _object(api_version: str, kind: str, name: str, spec: Obj) -> Obj:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _run(until_s: int, nodes: int, group: Obj, steps: dict[int, list[Obj | str]]) -> Simulation:
    """Run a scene in which a pod that takes ten minutes to end has a node of its own."""
    slow = _pod(Random(0), "slow-0", "batch", cpu="2")
    del slow["metadata"]["annotations"]
    slow["spec"]["terminationGracePeriodSeconds"] = 600
    spec = {
        "until": f"{until_s}s",
        "nodes": [{"name": "n-", "count": nodes, "capacity": {"cpu": "2", "memory": "8Gi"}}],
        "manifests": [*map(_class, CLASSES), group],
        "steps": [
            {"at": f"{at_s}s", ("delete" if isinstance(step, str) else "apply"): step}
            for at_s, listed in {1: [slow], **steps}.items()
            for step in listed
        ],
    }
    head = {"apiVersion": "podium.dev/v1alpha1", "kind": "Scenario"}
    simulation, taken = play({**head, "spec": spec}, GANGS)
    assert {one.victim.name for one in taken} <= {"slow-0"}
    return simulation


def _group_of(least: int) -> Obj:
    return _object(f"{APIS[1]}/v1alpha1", "PodGroup", "g", {"minMember": least})


def _member(number: int) -> Obj:
    pod = _pod(Random(number), f"g-{number}", "urgent", cpu="2")
    pod["metadata"]["labels"] = {"scheduling.x-k8s.io/pod-group": "g"}
    return pod


def _nominated(simulation: Simulation) -> dict[str, str]:
    pods = simulation.cluster.store.list("Pod").items
    assert not any(pod["spec"].get("nodeName") for pod in pods if _gang_of(name(pod)) == "g")
    return {name(pod): node for pod in pods if (node := pod["status"].get("nominatedNodeName"))}


@pytest.mark.parametrize(("until_s", "count"), [(40, 2), (100, 0)])
def test_room_is_given_up_when_the_time_is_over(until_s: int, count: int) -> None:
    members: list[Obj | str] = [_member(0), _member(1)]
    assert len(_nominated(_run(until_s, 2, _group_of(2), {20: members}))) == count


def test_room_is_made_at_once_for_a_gang_that_is_created_again() -> None:
    steps: dict[int, list[Obj | str]] = {20: [_member(0)], 30: ["pod/g-0"], 40: [_member(1)]}
    assert _nominated(_run(50, 1, _group_of(1), steps)) == {"g-1": "n-1"}


def test_a_group_of_pods_says_which_victims_it_waits_for() -> None:
    terms = {"schedulingPolicy": {"gang": {"minCount": 1}}, "priorityClassName": "urgent"}
    group, member = _object(f"{APIS[0]}/v1alpha2", "PodGroup", "g", terms), _member(0)
    member["spec"]["schedulingGroup"] = {"podGroupName": "g"}
    del member["metadata"]["labels"]
    (found,) = _run(30, 1, group, {20: [member]}).cluster.store.list(POD_GROUP.key).items
    condition = condition_of(found, "PodGroupScheduled")
    assert condition is not None
    assert condition["status"] == "False"
    assert "waits until" in condition["message"]
    assert "slow-0 to leave" in condition["message"]
