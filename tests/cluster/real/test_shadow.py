"""Podium in shadow mode beside the real kube-scheduler, on the same API server."""

from random import Random

import pytest

from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.server import Json
from tests.cluster.real.world import World, pod, until
from tests.objects import near as near_pods

ZONES, APPS, SIZES = ("z1", "z2", "z3"), ("web", "db", "job"), ("100m", "250m", "500m", "1", "2")
SEED = 36
EXPLAINED = 3
"""Of so many placements the other order of decisions may be to blame."""


def random_pod(number: int, rng: Random) -> Json:
    """A pod that asks for a little of everything that default plugins look at."""
    app, other, weight = rng.choice(APPS), rng.choice(APPS), rng.randint(1, 100)
    spread = {"maxSkew": 2, "topologyKey": "zone", "labelSelector": {"matchLabels": {"app": app}}}
    spread["whenUnsatisfiable"] = rng.choice(("ScheduleAnyway", "DoNotSchedule"))
    near = {"weight": weight, "podAffinityTerm": near_pods(other)}
    match = {"key": "disk", "operator": "In", "values": ["ssd"]}
    ssd = {"weight": weight, "preference": {"matchExpressions": [match]}}
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    kind = rng.choice(("podAffinity", "podAntiAffinity"))
    wishes: list[Json] = [
        {"nodeSelector": {"zone": rng.choice(ZONES)}},
        {"tolerations": [{"key": "special", "operator": "Exists"}]},
        {"topologySpreadConstraints": [spread]},
        {"affinity": {kind: {preferred: [near]}}},
        {"affinity": {kind: {preferred: [near]}, "nodeAffinity": {preferred: [ssd]}}},
    ]
    spec: Json = {"terminationGracePeriodSeconds": 60}
    for wish in wishes:
        spec |= wish if rng.random() < 0.25 else {}
    return pod(f"{app}-{number}", cpu=rng.choice(SIZES), **spec)


def build(world: World, nodes: int, rng: Random) -> None:
    for number in range(nodes):
        disk = rng.choice(("ssd", "hdd"))
        labels = {"zone": ZONES[number % 3], "disk": disk}
        world.node(f"n{number:02}", cpu=rng.choice(("4", "8")), **labels)
        if rng.random() < 0.2:
            taint = {"key": "special", "value": "yes", "effect": "NoSchedule"}
            path = f"/api/v1/nodes/n{number:02}"
            world.plane.merge(path, {"spec": {"taints": [taint]}})


def judgements(metrics: str, kind: str) -> dict[str, int]:
    prefix = f'podium_shadow_judgements_total{{kind="{kind}",result="'
    found = [line for line in metrics.splitlines() if line.startswith(prefix)]
    return {line.split('"')[3]: int(float(line.rpartition(" ")[2])) for line in found}


@pytest.mark.parametrize(
    ("nodes", "pods", "preemptors"), [(9, 60, 4), pytest.param(30, 300, 10, marks=pytest.mark.soak)]
)
def test_it_agrees_with_kube_scheduler(
    nodes: int, pods: int, preemptors: int, world: World, podium: StartPodium
) -> None:
    if not (world.plane.binaries / "kube-scheduler").exists():
        pytest.skip("no kube-scheduler beside the API server")
    rng = Random(SEED)
    build(world, nodes, rng)
    world.priority("high", 1000)
    shadow = podium("--dry-run")
    until(lambda: shadow.get("/readyz").text == "ok")
    options = ("--secure-port", "0", "--leader-elect=false")
    world.plane.launch("kube-scheduler", *options)
    try:
        world.create(*(random_pod(number, rng) for number in range(pods)))
        until(lambda: sum(_placements(shadow).values()) >= _bound(world) > pods // 2)
        fill(world, 3 * nodes)
        start(world)
        vips = [f"vip-{number}" for number in range(preemptors)]
        for name in vips:
            world.create(pod(name, cpu="3", priorityClassName="high"))
            until(lambda name=name: _settled(world, name))
        until(lambda: sum(_preemptions(shadow).values()) >= len(vips))
    finally:
        world.plane.stop("kube-scheduler")
    until(lambda: sum(_placements(shadow).values()) >= _bound(world))
    placed, told = _placements(shadow), shadow.said("would have decided otherwise")
    assert placed.get("disagrees", 0) <= EXPLAINED, told
    assert _preemptions(shadow) == {"agrees": len(vips)}, told
    assert len(told) == placed.get("disagrees", 0)
    assert shadow.metric("rest_client_requests_total") == 0
    assert shadow.end() == 0


def fill(world: World, count: int) -> None:
    """Leave no room for what comes next without preemption."""
    world.create(
        *(pod(f"fill-{number}", terminationGracePeriodSeconds=60) for number in range(count))
    )
    until(lambda: all(node or _refused(world, name) for name, node in world.places().items()))


def start(world: World) -> None:
    """What kubelets say first. Without it, the order of victims is chance in kube-scheduler."""
    for number, (name, node) in enumerate(sorted(world.places().items())):
        if node:
            at = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
            path = f"/api/v1/namespaces/default/pods/{name}/status"
            world.plane.merge(path, {"status": {"startTime": at, "phase": "Running"}})


def _refused(world: World, name: str) -> bool:
    found = world.pod(name)
    return bool(found and (found.get("status") or {}).get("conditions"))


def _settled(world: World, name: str) -> bool:
    """Whether a preemptor is placed; who has to go for it does so after a while."""
    for one in world.pods():
        if one["metadata"].get("deletionTimestamp"):
            world.delete(one["metadata"]["name"], 0)
    return bool(world.places()[name])


def _bound(world: World) -> int:
    return sum(bool(node) for node in world.places().values())


def _placements(shadow: object) -> dict[str, int]:
    return judgements(shadow.get("/metrics").text, "placement")


def _preemptions(shadow: object) -> dict[str, int]:
    return judgements(shadow.get("/metrics").text, "preemption")
