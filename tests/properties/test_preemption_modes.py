"""Asynchronous and synchronous preemption end alike where no other pod is decided meanwhile."""

from random import Random

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.cluster.drivers.faults import Latency
from podium.cluster.virtual.cluster import Cluster
from podium.cluster.virtual.cluster_options import ClusterOptions, SchedulerSetup
from podium.scheduler.machine.context import Features
from tests import objects

CLASSES = {"low": 10, "middle": 100, "high": 1000}
PODS = 14


def end_of(seed: int, *, asynchronous: bool, latency_s: float) -> dict[str, str]:
    """Where each pod is in the end; pods that were preempted are gone."""
    features = Features(scheduler_async_preemption=asynchronous)
    options = ClusterOptions(
        schedulers=(SchedulerSetup(features=features),),
        controllers=frozenset(),
        latency=Latency(latency_s, latency_s),
    )
    cluster = Cluster(options)
    rng = Random(seed)
    cluster.load(objects.priority_class(name, value) for name, value in CLASSES.items())
    cluster.load(
        objects.node(f"n{number}", str(rng.randint(3, 8))) for number in range(rng.randint(2, 4))
    )
    cluster.start()
    for number in range(PODS):
        attributes = Attributes(KINDS["Pod"], "default", "", cluster.driver.now_s)
        cluster.server.create(attributes, random_pod(f"p{number}", rng))
        assert cluster.driver.settle()
    pods = cluster.server.list(KINDS["Pod"], "default").items
    return {one["metadata"]["name"]: one["spec"].get("nodeName", "") for one in pods}


def random_pod(name: str, rng: Random) -> objects.Obj:
    return objects.pod(
        name,
        str(rng.randint(1, 4)),
        priorityClassName=rng.choice([*CLASSES]),
        terminationGracePeriodSeconds=rng.choice([0, 5, 30]),
    )


@pytest.mark.parametrize("latency_s", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(15))
def test_both_modes_end_in_the_same_placements(seed: int, latency_s: float) -> None:
    asynchronous = end_of(seed, asynchronous=True, latency_s=latency_s)
    assert asynchronous == end_of(seed, asynchronous=False, latency_s=latency_s)
    assert any(asynchronous.values())


def test_the_scenarios_do_preempt() -> None:
    left = [len(end_of(seed, asynchronous=True, latency_s=0.0)) for seed in range(5)]
    assert min(left) < PODS


@pytest.mark.seeds(0, 500)
def test_both_modes_end_in_the_same_placements_for_many_seeds(seed: int) -> None:
    asynchronous = end_of(seed, asynchronous=True, latency_s=0.2)
    assert asynchronous == end_of(seed, asynchronous=False, latency_s=0.2)
