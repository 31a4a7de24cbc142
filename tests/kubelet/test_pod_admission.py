"""What pressure and running pods make a node refuse; `test_kubelet.py` of the plan has the rest."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from podium.kubelet.pod_admission import NodeLoad, PodRejection, pressure_rejection, rejection_of
from tests.kubelet.builders import info, node, pod

CPU = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"


@pytest.mark.parametrize("file", ["eviction-random/random", "eviction-tables/tables"])
def test_the_recorded_kubelet_agrees_about_pressure(shared_conformance: Path, file: str) -> None:
    compared = 0
    with gzip.open(shared_conformance / f"{file}.jsonl.gz", "rt") as lines:
        for record in map(json.loads, lines):
            if (asked := record["input"].get("admit")) is None:
                continue
            found = pressure_rejection(asked["conditions"], asked["pod"])
            answer = record["output"]
            expected = (answer["reason"], answer["message"]) if not answer["admit"] else None
            assert (found and (found.reason, found.message)) == expected, record["input"]["id"]
            compared += 1
    assert compared > 20


def under_pressure(*kinds: str) -> dict[str, Any]:
    return node(conditions=[{"type": kind, "status": "True"} for kind in kinds])


def test_a_node_out_of_memory_takes_only_who_requests_something() -> None:
    refused = rejection_of(under_pressure("MemoryPressure"), NodeLoad(), info(pod("p", cpu="")))
    assert refused == PodRejection("Evicted", "The node had condition: [MemoryPressure]. ")
    assert rejection_of(under_pressure("MemoryPressure"), NodeLoad(), info(pod("p"))) is None


def test_room_is_counted_as_pods_come_and_go() -> None:
    load, first = NodeLoad(), info(pod("first", "3"))
    load.add(first)
    newcomer = info(pod("p", "2"))
    assert rejection_of(node(), load, newcomer) == PodRejection("OutOfcpu", CPU)
    load.remove(first)
    assert rejection_of(node(), load, newcomer) is None


def test_a_port_is_free_again_when_its_pod_has_gone() -> None:
    ports = [{"name": "c", "ports": [{"hostPort": 80, "containerPort": 80}]}]
    there, newcomer = info(pod("there", containers=ports)), info(pod("p", containers=ports))
    load = NodeLoad([there])
    found = rejection_of(node(), load, newcomer)
    assert found is not None
    assert found.reason == "NodePorts"
    load.remove(there)
    assert rejection_of(node(), load, newcomer) is None
