"""Scales are found as the disruption controller finds them, and budgets count as recorded."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from podium.api.policy.disruption_budgets import (
    Scale,
    allowed_disruptions,
    expected_count,
    needs_scale,
    selects,
)
from tests.scheduler.owner_scales import scales

Obj = dict[str, Any]


def workload(kind: str, name: str, replicas: int | None = None, owner: Obj | None = None) -> Obj:
    spec = {} if replicas is None else {"replicas": replicas}
    metadata: Obj = {"name": name, "uid": f"uid-{name}"}
    if owner:
        metadata["ownerReferences"] = [{**reference(owner), "controller": True}]
    return {"kind": kind, "metadata": metadata, "spec": spec}


def reference(obj: Obj) -> Obj:
    return {"kind": obj["kind"], "name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"]}


DEPLOYMENT = workload("Deployment", "d", 5)
OWNED = workload("ReplicaSet", "d-1", 2, DEPLOYMENT)
FREE = workload("ReplicaSet", "r", 3)
ROLLED = workload("ReplicaSet", "x-1", 4, workload("Rollout", "x"))
STATEFUL = workload("StatefulSet", "s")
LEGACY = workload("ReplicationController", "c", 0)
DAEMON = workload("DaemonSet", "n")


@pytest.mark.parametrize(
    ("owner", "scale"),
    [
        (OWNED, Scale("uid-d", 5)),
        (FREE, Scale("uid-r", 3)),
        (ROLLED, Scale("uid-x-1", 4)),
        (STATEFUL, Scale("uid-s", 1)),
        (LEGACY, Scale("uid-c", 0)),
        (DAEMON, None),
        (workload("ReplicaSet", "absent", 3), None),
    ],
)
def test_scale(owner: Obj, scale: Scale | None) -> None:
    there = [DEPLOYMENT, OWNED, FREE, ROLLED, STATEFUL, LEGACY, DAEMON]
    assert scales(there)(reference(owner), "default") == scale


def test_another_object_of_the_same_name_is_not_the_owner() -> None:
    assert scales([FREE])({**reference(FREE), "uid": "older"}, "default") is None
    assert scales([FREE])(reference(FREE), "elsewhere") is None
    assert scales([OWNED])(reference(OWNED), "default") is None


def test_as_recorded(shared_conformance: Path) -> None:
    """Whenever a budget's counted status was looked at, the same status is computed."""
    compared = 0
    with gzip.open(shared_conformance / "api" / "exchanges.jsonl.gz", "rt") as lines:
        for record in map(json.loads, lines):
            if record["id"].startswith(("budget/", "evict/")):
                compared += _compare(record)
    assert compared >= 5


def _compare(record: Obj) -> int:
    """Follow the steps, keeping the last answer about each object; how often a status was seen."""
    seen: dict[str, Obj] = {}
    compared = 0
    for step in record["steps"]:
        path, answer = step["request"]["path"], step["response"]["body"] or {}
        if step["request"]["method"] == "DELETE" or "eviction" in path:
            return compared
        if answer.get("kind") == "PodDisruptionBudget" and step["request"]["method"] == "GET":
            assert _status(answer, seen) == _recorded(answer), record["id"]
            compared += 1
        if "metadata" in answer and "name" in answer["metadata"]:
            seen[f"{answer['kind']}/{answer['metadata']['name']}"] = answer
    return compared


def _recorded(pdb: Obj) -> tuple[int, ...]:
    fields = ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed")
    return tuple(pdb["status"][field] for field in fields)


def _status(pdb: Obj, seen: dict[str, Obj]) -> tuple[int, ...]:
    pods = [obj for obj in seen.values() if obj["kind"] == "Pod" and selects(pdb, obj)]
    expected = expected_count(pods, scales(seen.values()))
    for obj in seen.values():
        # The Deployment's pods aren't in the record, only that there were as many as it wants.
        if obj["kind"] == "Deployment" and needs_scale(pdb):
            expected = obj["spec"]["replicas"]
    found = allowed_disruptions(pdb, pods, expected)
    return (
        found.expected_pods,
        found.desired_healthy,
        found.current_healthy,
        found.disruptions_allowed,
    )
