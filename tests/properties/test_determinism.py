"""The same input gives the same output, to the byte, in every process."""

import os
import subprocess
import sys

import msgspec
from hypothesis import given

from podium.simulation.decide.stream import answers
from tests.conformance.comparison import difference
from tests.conftest import ROOT
from tests.properties import clusters
from tests.properties.clusters import Obj, Scenes
from tests.properties.volume_clusters import Dice

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
