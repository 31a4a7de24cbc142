"""The scheduler while things go wrong between it and the real API server."""

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cluster.real.conftest import StartPodium, on_both_in_soak
from tests.cluster.real.fault_proxy import FaultProxy, Faults
from tests.cluster.real.server import Json
from tests.cluster.real.world import World, pod, until

pytestmark = on_both_in_soak
ALONE = "--no-leader-elect"
NODES, CPUS = 4, 4


@pytest.fixture
def proxy(world: World) -> Iterator[FaultProxy]:
    with FaultProxy(world.plane.address[1], seed=7) as found:
        yield found


def config_of(world: World, proxy: FaultProxy) -> Path:
    return world.plane.kubeconfig(url=proxy.url)


def build(world: World) -> None:
    world.priority("high", 1000)
    for number in range(NODES):
        world.node(f"n{number}", cpu=str(CPUS))


def overcommitted(world: World) -> list[str]:
    """The nodes with more pods of one CPU than they have CPUs; those that terminate count, too."""
    placed = [node for node in world.places().values() if node]
    return [node for node in {*placed} if placed.count(node) > CPUS]


def waits_only_without_room(world: World) -> bool:
    placed = sum(bool(node) for node in world.places().values())
    return placed == NODES * CPUS


ALL = {"cut": 0.1, "lost": 0.1, "errors": 0.15, "latency_s": 0.05}
EACH = [{"cut": 0.3}, {"lost": 0.3}, {"errors": 0.25}, {"latency_s": 0.3}]


@pytest.mark.parametrize(
    "faults", [ALL, *(pytest.param(one, marks=pytest.mark.soak) for one in EACH)], ids=str
)
def test_pods_are_placed_once_and_preempt_whatever_goes_wrong(
    faults: dict[str, float], world: World, podium: StartPodium, proxy: FaultProxy
) -> None:
    build(world)
    proxy.faults = Faults(**faults)
    scheduler = podium(ALONE, kubeconfig=config_of(world, proxy))
    world.create(*(pod(f"low-{number}") for number in range(NODES * CPUS + 4)))
    until(lambda: waits_only_without_room(world))
    assert not overcommitted(world)
    vips = [f"vip-{number}" for number in range(4)]
    world.create(*(pod(name, priorityClassName="high") for name in vips))
    world.wait_bound(*vips)
    until(lambda: waits_only_without_room(world))
    assert not overcommitted(world)
    # Who has to go has to go once: each preemptor costs one pod its place.
    assert len(world.pods()) == NODES * CPUS + 4
    assert proxy.counts["requests"] > 20
    assert scheduler.process.poll() is None


@pytest.mark.soak
def test_a_burst_of_errors_is_outlasted(
    world: World, podium: StartPodium, proxy: FaultProxy
) -> None:
    build(world)
    scheduler = podium(ALONE, kubeconfig=config_of(world, proxy))
    world.create(pod("early-1"))
    world.wait_bound("early-1")
    proxy.faults.errors = 1.0
    names = [f"meanwhile-{number}" for number in range(NODES)]
    world.create(*(pod(name) for name in names))
    until(lambda: proxy.counts["errors"] >= 4 * NODES)
    assert set(world.places().values()) & {""}
    proxy.faults.errors = 0.0
    world.wait_bound(*names)
    assert not overcommitted(world)
    assert scheduler.process.poll() is None


def test_a_watch_that_falls_silent_is_noticed(
    world: World, podium: StartPodium, proxy: FaultProxy
) -> None:
    build(world)
    scheduler = podium(ALONE, "--watch-timeout", "2", kubeconfig=config_of(world, proxy))
    world.create(pod("early-1"))
    world.wait_bound("early-1")
    proxy.faults.stalls = True
    world.create(pod("late-1"))
    until(lambda: proxy.counts["stalled"])
    proxy.faults.stalls = False
    world.wait_bound("late-1")
    assert scheduler.process.poll() is None


def test_it_goes_on_after_a_restart_and_a_compaction(world: World, podium: StartPodium) -> None:
    build(world)
    scheduler = podium(ALONE)
    world.create(pod("early-1"))
    world.wait_bound("early-1")
    scheduler.process.send_signal(signal.SIGSTOP)
    world.create(*(pod(f"gone-{number}") for number in range(3)))
    for number in range(3):
        world.delete(f"gone-{number}", 0)
    world.create(pod("meanwhile-1"))
    world.plane.restart()
    scheduler.process.send_signal(signal.SIGCONT)
    world.wait_bound("meanwhile-1")
    world.create(pod("late-1"))
    world.wait_bound("late-1")
    assert scheduler.process.poll() is None
    assert not overcommitted(world)


def test_a_kill_in_the_middle_of_preemptions_costs_nobody_more(
    world: World, podium: StartPodium, proxy: FaultProxy
) -> None:
    kill_in_the_middle(world, podium, proxy, 0.3)


@pytest.mark.soak
@pytest.mark.parametrize("round_", range(20))
def test_kills_at_any_moment_cost_nobody_more(
    round_: int, world: World, podium: StartPodium, proxy: FaultProxy
) -> None:
    kill_in_the_middle(world, podium, proxy, 0.05 * round_)


def kill_in_the_middle(
    world: World, podium: StartPodium, proxy: FaultProxy, after_s: float
) -> None:
    """Kill a scheduler while its calls take their time, and have another one go on."""
    build(world)
    grace = {"terminationGracePeriodSeconds": 60}
    low = [f"low-{number}" for number in range(NODES * CPUS)]
    world.create(*(pod(name, nodeName=f"n{at % NODES}", **grace) for at, name in enumerate(low)))
    first = podium(ALONE, kubeconfig=config_of(world, proxy))
    until(lambda: first.get("/readyz").text == "ok")
    proxy.faults.latency_s = 0.15
    vips = [f"vip-{number}" for number in range(3)]
    world.create(*(pod(name, cpu="2", priorityClassName="high") for name in vips))
    until(lambda: any(_marked(one) for one in world.pods()))
    with suppress(subprocess.TimeoutExpired):
        first.process.wait(after_s)
    first.end(signal.SIGKILL)
    proxy.faults.latency_s = 0.0
    podium(ALONE, kubeconfig=config_of(world, proxy))

    def all_bound() -> bool:
        for one in world.pods():
            if one["metadata"].get("deletionTimestamp"):
                world.delete(one["metadata"]["name"], 0)
        return all(world.places().get(name) for name in vips)

    until(all_bound)
    left = [one for one in world.pods() if one["metadata"]["name"] in low]
    # Three preemptors of two CPUs each need six; a victim of the first is used by the second.
    assert len(left) == len(low) - 6
    assert not [one for one in left if one["metadata"].get("deletionTimestamp")]
    places = world.places()
    held = Counter(node for name, node in places.items() for _ in range(1 + name.startswith("vip")))
    assert held == {f"n{number}": CPUS for number in range(NODES)}


@pytest.mark.parametrize("is_gone_first", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_after_a_kill_nobody_goes_for_a_preemptor_that_is_gone(
    is_gone_first: bool, world: World, podium: StartPodium, proxy: FaultProxy
) -> None:
    build(world)
    grace = {"terminationGracePeriodSeconds": 60}
    for at in range(NODES * CPUS):
        world.create(pod(f"low-{at}", nodeName=f"n{at % NODES}", **grace))
    first = podium(ALONE, kubeconfig=config_of(world, proxy))
    until(lambda: first.get("/readyz").text == "ok")
    proxy.faults.latency_s = 0.3
    world.create(pod("vip-1", cpu=str(CPUS), priorityClassName="high"))
    until(lambda: any(_marked(one) for one in world.pods()))
    if is_gone_first:
        world.delete("vip-1", 0)
    first.end(signal.SIGKILL)
    if not is_gone_first:
        world.delete("vip-1", 0)
    proxy.faults.latency_s = 0.0
    # What was sent before the kill still arrives.
    time.sleep(0.5)
    until(lambda: not proxy.under_way)
    leaving = _leaving(world)
    second = podium(ALONE, kubeconfig=config_of(world, proxy))
    world.create(pod("next-1", nodeSelector={"kubernetes.io/hostname": "nowhere"}))
    until(lambda: second.metric("scheduler_schedule_attempts_total"))
    assert _leaving(world) == leaving
    assert len(world.pods()) == NODES * CPUS + 1


def _leaving(world: World) -> set[str]:
    return {
        one["metadata"]["name"] for one in world.pods() if one["metadata"].get("deletionTimestamp")
    }


def _marked(one: Json) -> bool:
    conditions = one["status"].get("conditions") or ()
    return any(condition["type"] == "DisruptionTarget" for condition in conditions)
