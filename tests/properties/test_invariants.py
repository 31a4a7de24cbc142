"""No node is given more than it has; the same input gives the same output, to the byte."""

import os
import subprocess
import sys

import msgspec
from hypothesis import given

from podium.scheduler.scheduler import Scheduler
from podium.simulation.decide.stream import answers
from tests.conformance.comparison import difference
from tests.conftest import ROOT
from tests.properties import clusters
from tests.properties.clusters import Obj, Scenes
from tests.properties.mirrors import loaded
from tests.properties.volume_clusters import Dice
from tests.reference.node_resources import allocatable, requested

ROUNDS = 3


@given(clusters.scenes())
def test_no_node_exceeds_what_it_has(scenes: Scenes) -> None:
    for drawn, dice in scenes:
        scheduler, read = loaded(drawn)
        assert_within_allocatable(scheduler)
        queue = [scheduler.pending(pod) for pod in read.pending]
        for number in range(ROUNDS):
            kind = clusters.pending_pod(dice, f"more-{number}", [*scheduler.snapshot.row_of])
            for copy in range(3):
                metadata = {**kind["metadata"], "name": f"more-{number}-{copy}"}
                queue.append(scheduler.pending({**kind, "metadata": metadata}))
            for pod in list(queue):
                decision = scheduler.decide(pod)
                if decision.node_name:
                    scheduler.bind(pod, decision.node_name)
                    queue.remove(pod)
                else:
                    scheduler.preempt(decision)
                assert_within_allocatable(scheduler)


def assert_within_allocatable(scheduler: Scheduler) -> None:
    snapshot = scheduler.snapshot
    for name, row in snapshot.row_of.items():
        node, pods = snapshot.nodes[row], [pod.obj for pod in snapshot.pods_on[row]]
        assert node is not None
        has = allocatable(node)
        assert len(pods) <= has["pods"], name
        for resource, amount in requested(pods).items():
            assert amount <= has[resource], (name, resource)


SEEDS = range(40)
ANSWER = """
import sys
from podium.simulation.decide.stream import answers
for answer in answers(sys.stdin.buffer):
    sys.stdout.buffer.write(answer + b"\\n")
"""


def answered(drawn: Obj) -> bytes:
    (answer,) = answers([msgspec.json.encode(drawn)])
    return answer


@given(clusters.scenes())
def test_again(scenes: Scenes) -> None:
    for drawn, _ in scenes:
        assert answered(drawn) == answered(drawn)


@given(clusters.scenes())
def test_the_order_of_nodes_plays_no_part(scenes: Scenes) -> None:
    for drawn, dice in scenes:
        shuffled = sorted(drawn["nodes"], key=lambda _, dice=dice: dice.one(*range(100)))
        one, other = (
            msgspec.json.decode(answered(drawn | {"nodes": nodes}))
            for nodes in (drawn["nodes"], shuffled)
        )
        assert difference(one, other) is None


def test_other_processes() -> None:
    """Hashes of strings differ from process to process, and with them the order of sets."""
    lines = b"\n".join(msgspec.json.encode(clusters.scenario(Dice(seed))) for seed in SEEDS)
    outputs = [
        subprocess.run(
            [sys.executable, "-c", ANSWER],
            input=lines,
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert outputs[0].count(b"\n") == len(SEEDS)
    assert outputs[0] == outputs[1]
