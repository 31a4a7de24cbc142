"""Decisions one after the other come to what kube-scheduler decided, pod after pod.

Left out are records that differ by their rules: where the pending pods don't stand in
queue order, where budgets keep their status whatever happens, where other pods wait already, and
where label keys haven't been merged as the API merges them.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds import KINDS
from podium.config.load import load_configuration
from podium.plan.preparing import Request, prepare
from podium.plan.run import Decided
from podium.plan.session import Session
from podium.profile import plugin_factories

KIND_OF_FIELD = {
    "nodes": "Node",
    "pods": "Pod",
    "namespaces": "Namespace",
    "services": "Service",
    "replicationControllers": "ReplicationController",
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "pvcs": "PersistentVolumeClaim",
    "pvs": "PersistentVolume",
    "storageClasses": "StorageClass",
    "csiNodes": "CSINode",
    "csiDrivers": "CSIDriver",
    "csiStorageCapacities": "CSIStorageCapacity",
    "priorityClasses": "PriorityClass",
    "pending": "Pod",
}


def sequences(folder: Path) -> Iterator[tuple[Any, Any]]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            for line in lines:
                record = json.loads(line)
                if is_comparable(record["input"], line):
                    yield record["input"], record["output"]["decisions"]


def is_comparable(scenario: Any, text: str) -> bool:
    priorities = [pod["spec"].get("priority", 0) for pod in scenario.get("pending") or ()]
    excluded = ("nominatedNodeName", "LabelKeys", "pluginConfig")
    return (
        bool(scenario.get("sequence"))
        and not scenario.get("pdbs")
        and priorities == sorted(priorities, reverse=True)
        and not any(word in text for word in excluded)
    )


def objects(scenario: Any) -> Iterator[Any]:
    for field, kind_name in KIND_OF_FIELD.items():
        kind = KINDS[kind_name]
        for obj in scenario.get(field) or ():
            place = {"namespace": "default"} if kind.namespaced else {}
            metadata = {**place, **obj.get("metadata", {})}
            header = {"apiVersion": kind.api_version, "kind": kind.name}
            yield {**header, **obj, "metadata": metadata}


def carried_out(scenario: Any) -> Decided:
    profile = scenario.get("profile")
    documents = [profile] if profile else []
    configuration = load_configuration(documents, plugin_factories().keys())
    request = Request(list(objects(scenario)), configuration=configuration)
    session = Session(prepare(request), request)
    session.decide_all()
    return session.decided


def recorded_victims(decision: Any) -> tuple[str, list[str]]:
    preemption = decision["preemption"]
    (candidate,) = (c for c in preemption["candidates"] if c["node"] == preemption["nominated"])
    return preemption["nominated"], candidate["victims"]


@pytest.fixture(scope="module")
def comparable(shared_conformance: Path) -> list[tuple[Any, Any]]:
    found = list(sequences(shared_conformance / "differential"))
    assert len(found) > 100
    return found


def test_pods_get_the_same_places(comparable: list[tuple[Any, Any]]) -> None:
    for scenario, decisions in comparable:
        outcome = carried_out(scenario)
        bound = {decision["pod"]: decision["bound"] for decision in decisions if decision["bound"]}
        assert {p.pod: p.node for p in outcome.placements.values()} == bound, scenario["id"]
        taken = [
            (p.preemptor, p.node, [victim.pod for victim in p.chosen.victims])
            for p in outcome.preemptions
        ]
        assert taken == [
            (decision["pod"], *recorded_victims(decision))
            for decision in decisions
            if (decision["preemption"] or {}).get("nominated")
        ], scenario["id"]
