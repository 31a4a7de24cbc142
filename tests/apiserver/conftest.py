"""The recorded answers of kube-apiserver, as objects that were posted and what came of them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS

KINDS_BY_RESOURCE = {
    KINDS[name].plural: KINDS[name]
    for name in (
        "Pod",
        "Node",
        "Deployment",
        "ReplicaSet",
        "PriorityClass",
        "PodDisruptionBudget",
        "RuntimeClass",
    )
}


@dataclass(frozen=True)
class Exchange:
    """A request on a collection or an object of a known kind, and its answer.

    Attributes:
        scenario: the record's id.
        method: POST and so on.
        name: of the object, from the path or the body.
        obj: the body, with apiVersion and kind filled in.
        code: of the answer.
        answer: the body of the answer.
    """

    scenario: str
    method: str
    name: str
    obj: dict[str, Any]
    code: int
    answer: dict[str, Any]


@pytest.fixture(scope="session")
def exchanges(shared_conformance: Path) -> list[Exchange]:
    """All exchanges about the kinds above, in order."""
    return list(_read(shared_conformance / "api" / "exchanges.jsonl.gz"))


@pytest.fixture(scope="session")
def creations(exchanges: list[Exchange]) -> list[Exchange]:
    """The exchanges that were to create an object."""
    return [exchange for exchange in exchanges if exchange.method == "POST"]


def _read(path: Path) -> Iterator[Exchange]:
    with gzip.open(path, "rt") as lines:
        for record in map(json.loads, lines):
            text = json.dumps(record["steps"]).replace("{id}", "an-id").replace("{ns}", "a-ns")
            for step in json.loads(text):
                yield from _exchange(record["id"], step)


def _exchange(scenario: str, step: dict[str, Any]) -> Iterator[Exchange]:
    request, response = step["request"], step["response"]
    body = request.get("body")
    parts = request["path"].partition("?")[0].split("/")
    named, resource = "", parts[-1]
    if request["method"] != "POST":
        named, resource = parts[-1], parts[-2]
    if resource not in KINDS_BY_RESOURCE or not isinstance(body, dict | None):
        return
    kind = KINDS_BY_RESOURCE[resource]
    obj = {"apiVersion": kind.api_version, "kind": kind.name, **(body or {})}
    named = named or (obj.get("metadata") or {}).get("name", "")
    answer = response.get("body") or {}
    yield Exchange(scenario, request["method"], named, obj, response["code"], answer)
