"""What kube-apiserver v1.36 refused as invalid is refused here, for the same fields and reasons."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.apiserver.validation import KINDS, validate

RESOURCES = {
    "pods": ("", "Pod"),
    "priorityclasses": ("scheduling.k8s.io", "PriorityClass"),
    "poddisruptionbudgets": ("policy", "PodDisruptionBudget"),
    "runtimeclasses": ("node.k8s.io", "RuntimeClass"),
    "nodes": ("", "Node"),
    "deployments": ("apps", "Deployment"),
    "replicasets": ("apps", "ReplicaSet"),
}

# Faults of the request rather than the object, and of what defaulting has added to it by then.
NOT_OF_THE_OBJECT = {"dryRun", "spec.containers[0].resources.requests[example.com/gpu]"}


@pytest.fixture(scope="module")
def creations(shared_conformance: Path) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every object that was posted: scenario, object with kind and version, response."""
    return list(_creations(shared_conformance / "api" / "exchanges.jsonl.gz"))


def _creations(path: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    with gzip.open(path, "rt") as lines:
        for record in map(json.loads, lines):
            text = json.dumps(record["steps"]).replace("{id}", "an-id").replace("{ns}", "a-ns")
            for step in json.loads(text):
                request = step["request"]
                resource = request["path"].partition("?")[0].rpartition("/")[2]
                body = request.get("body")
                creates = request["method"] == "POST" and resource in RESOURCES
                if creates and isinstance(body, dict):
                    kind = KINDS[RESOURCES[resource]]
                    named = {"apiVersion": kind.api_version, "kind": kind.name}
                    yield record["id"], {**named, **body}, step["response"]


def test_the_same_causes(
    creations: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    compared = 0
    for scenario, obj, response in creations:
        causes = (response["body"] or {}).get("details", {}).get("causes", [])
        if response["code"] != 422:
            continue
        expected = {
            (c["field"], c["message"]) for c in causes if c["field"] not in NOT_OF_THE_OBJECT
        }
        found = {(f.field, str(f).removeprefix(f"{f.field}: ")) for f in validate(obj)}
        assert _comparable(scenario, found) == _comparable(scenario, expected), scenario
        compared += 1
    assert compared > 30


# kube-apiserver prints its own structures, lists nothing to choose from, or says it three times.
IN_OTHER_WORDS = {
    "budget/both",
    "pod-invalid/unknown-resource",
    "pod-invalid/pod-affinity-topology",
}


def _comparable(scenario: str, causes: set[tuple[str, str]]) -> set[tuple[str, ...]]:
    if scenario in IN_OTHER_WORDS:
        return {(field,) for field, _ in causes}
    return causes


def test_what_was_created_is_valid(
    creations: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    created = [(scenario, obj, r) for scenario, obj, r in creations if r["code"] == 201]
    assert len(created) > 60
    for scenario, obj, response in created:
        assert validate(obj) == [], scenario
        stored = {k: v for k, v in response["body"].items() if v is not None}
        assert validate(stored) == [], scenario


@pytest.mark.parametrize("scenario", ["pod-invalid/quantity", "pod-invalid/wrong-type"])
def test_what_could_not_be_decoded_is_invalid(
    creations: list[tuple[str, dict[str, Any], dict[str, Any]]], scenario: str
) -> None:
    ((_, obj, response),) = [c for c in creations if c[0] == scenario]
    assert response["code"] == 400
    assert len(validate(obj)) == 1
