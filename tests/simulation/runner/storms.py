"""What a storm is, seed by seed: faults, nodes that fail and come back, drains, scaling, rollouts.

`python -m tests.simulation.runner.storms SEED | podium simulate -` tells what happens in one.
"""

import json
import sys
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import yaml

NODES = tuple(f"n-{number}" for number in range(1, 5))
BUSY_S = 180
CALM = dict.fromkeys(
    ("refused", "unanswered", "slow", "repeated", "brokenWatches", "slowWatches", "restarts"), 0
)
STORMY = {
    "refused": 0.1,
    "unanswered": 0.1,
    "slow": 0.03,
    "repeated": 0.03,
    "brokenWatches": 0.01,
    "slowWatches": 0.05,
    "restarts": 0.006,
}
# How many replicas there are in the end.
SCALES = {"shop": 4, "crunch": 4}

_BASE = json.dumps(yaml.safe_load(Path(__file__).with_name("storm.yaml").read_text()))

Step = dict[str, Any]


def storm(seed: int, *, faults: bool = True) -> str:
    """The scenario of a seed; with or without faults of the API, watches and machines."""
    scenario = json.loads(_BASE)
    scenario["spec"]["faults"] = STORMY if faults else CALM
    steps = [*_busy(Random(seed), scenario["spec"]), (float(BUSY_S), {"faults": CALM})]
    steps.sort(key=lambda step: step[0])
    scenario["spec"]["steps"] = [{"at": f"{at_s:.3f}s", **step} for at_s, step in steps]
    scenario["spec"]["seed"] = seed
    scenario["spec"]["until"] = f"{BUSY_S}s"
    return json.dumps(scenario)


def _busy(rng: Random, spec: dict[str, Any]) -> list[tuple[float, Step]]:
    """What is done, and undone again before the storm is over."""
    steps: list[tuple[float, Step]] = []
    nodes = rng.sample(NODES, len(NODES))
    for node, trouble in zip(nodes, (_silence, _drain, _taint, _removal), strict=True):
        begins_s = rng.uniform(20, BUSY_S - 100)
        ends_s = begins_s + rng.uniform(5, BUSY_S - 10 - begins_s)
        begun, ended = trouble(node, spec["nodes"][0])
        steps += [(begins_s, begun), (ends_s, ended)]
    for _ in range(2):
        for name, most in (("shop", 5), ("crunch", 7)):
            steps.append((rng.uniform(10, BUSY_S - 20), _scale(name, rng.randint(3, most))))
    steps += [(BUSY_S - 5.0, _scale(name, replicas)) for name, replicas in SCALES.items()]
    for version in range(rng.randint(0, 2)):
        steps.append((rng.uniform(30, BUSY_S - 20), _rollout(spec["manifests"], version)))
    for _ in range(2):
        gone = {"delete": f"pod/db-{rng.randint(0, 2)}"}
        steps.append((rng.uniform(10, BUSY_S - 20), gone))
    return steps


def _silence(node: str, template: dict[str, Any]) -> tuple[Step, Step]:
    return {"down": node}, {"up": node}


def _drain(node: str, template: dict[str, Any]) -> tuple[Step, Step]:
    return {"drain": {"node": node, "timeout": "1m"}}, {"uncordon": node}


def _taint(node: str, template: dict[str, Any]) -> tuple[Step, Step]:
    return {"taint": f"{node} storm=here:NoExecute"}, {"untaint": f"{node} storm:NoExecute"}


def _removal(node: str, template: dict[str, Any]) -> tuple[Step, Step]:
    capacity = {**template["capacity"], "pods": "110"}
    again = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node, "labels": {"kubernetes.io/hostname": node}},
        "status": {"capacity": capacity, "allocatable": capacity},
    }
    return {"remove": node}, {"apply": again}


def _scale(name: str, replicas: int) -> Step:
    return {"scale": {"object": f"deployment/{name}", "replicas": replicas}}


def _rollout(manifests: list[dict[str, Any]], version: int) -> Step:
    """Another revision of the shop, however many replicas it has at the time."""
    shop = deepcopy(next(one for one in manifests if one["kind"] == "Deployment"))
    del shop["spec"]["replicas"]
    shop["spec"]["template"]["metadata"]["annotations"] = {"version": str(version)}
    return {"apply": shop}


if __name__ == "__main__":
    sys.stdout.write(storm(int(sys.argv[1])))
