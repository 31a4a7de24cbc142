"""Recordings of simulated clusters, made in virtual time."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from podium.simulation.recordings.recorder import RecorderMachine
from podium.simulation.recordings.segments import Recording, SegmentWriter, read_recording
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import read_scenario
from tests import objects
from tests.objects import priority_class, workload

CLASSES = {"low": 10, "mid": 100, "high": 1000}
# Of 4 nodes with 4 CPU each.
NODES = [{"name": "n-", "count": 4, "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}}]
NO_PREEMPTION = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}
"""

Step = dict[str, Any]


def record(
    directory: Path, text: str, configuration: str = "", *, path: str = "scenario"
) -> Recording:
    """What happens in a scenario, as it is recorded."""
    writer = SegmentWriter(directory, configuration)
    machine = RecorderMachine(writer)
    played = simulate(
        read_scenario(path, text), prepare=lambda cluster: cluster.driver.add(machine) and None
    )
    machine.end(played.cluster.driver.now_s)
    writer.close()
    return read_recording(directory)


def scenario(
    steps: Sequence[Step],
    *,
    nodes: Sequence[dict[str, Any]] = NODES,
    until: str = "5m",
    manifests: Sequence[dict[str, Any]] = (),
    **spec: Any,
) -> str:
    classes = [priority_class(name, value) for name, value in CLASSES.items()]
    document = {
        "apiVersion": "podium.dev/v1alpha1",
        "kind": "Scenario",
        "spec": {
            "nodes": [*nodes],
            "manifests": [*classes, *manifests],
            "steps": [*steps],
            "until": until,
            **spec,
        },
    }
    return json.dumps(document)


def pod(name: str, class_name: str, cpu: str, **spec: Any) -> dict[str, Any]:
    return objects.pod(name, cpu, priorityClassName=class_name, **spec)


def deployment(name: str, replicas: int, class_name: str, cpu: str) -> dict[str, Any]:
    template = {"priorityClassName": class_name}
    return workload("Deployment", name, cpu, replicas=replicas, template=template)


def busy(seed: int) -> str:
    """Pods of three classes come and go, more than there is room for, and a workload is scaled."""
    rng, steps, names = Random(seed), list[Step](), list[str]()
    for number in range(24):
        chance = rng.random()
        if names and chance < 0.25:
            step: Step = {"delete": f"pod/{names.pop(rng.randrange(len(names)))}"}
        elif chance < 0.4:
            step = {"scale": {"object": "deployment/web", "replicas": rng.randint(1, 5)}}
        else:
            names.append(f"p-{number}")
            cpu = rng.choice(["1", "1500m", "2", "3"])
            # The deletion of a pod that was preempted before is refused, which changes nothing.
            step = {"apply": pod(names[-1], rng.choice([*CLASSES]), cpu)}
        steps.append({"at": f"{number * 7 + 7}s", **step})
    web = deployment("web", 3, "mid", "1")
    spread = {"termination": "1s..20s", "startup": "1s..5s"}
    return scenario(steps, manifests=[web], pods=spread, seed=seed, until="4m")
