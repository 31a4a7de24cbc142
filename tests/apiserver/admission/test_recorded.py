"""Defaulting and admission together make of a pod what kube-apiserver v1.36 made of it."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.refused import RefusedError
from podium.api.values.quantity import QuantityError, parse_quantity
from podium.apiserver.admission import Admission
from podium.apiserver.attributes import Attributes
from podium.apiserver.kinds.registration.registrations import apply_defaults
from tests.apiserver.admission.shelf import Shelf, namespace

Obj = dict[str, Any]

# The API drops a field here that Podium keeps.
LEFT_OUT = ("pod/unknown-field",)
KINDS_BY_PLURAL = {kind.plural: kind for kind in KINDS.values()}


class World:
    """What was stored when a request of a scenario came in."""

    def __init__(self) -> None:
        self.shelf = Shelf([namespace("a-ns")])
        self.admission = Admission(self.shelf)

    def create(self, kind: Kind, obj: Obj) -> Any:
        """The object as it would be stored; what it uses of quotas is written down."""
        place = "a-ns" if kind.namespaced else ""
        request = Attributes(kind, place, "", 0.0)
        admitted = self.admission.admit(request, apply_defaults(obj, kind.name))
        for other in self.admission.validate(request, admitted):
            self.shelf.put(other)
        return admitted

    def learn(self, step: Obj) -> None:
        """Take an answer as the truth."""
        answer, path = step["response"].get("body"), step["request"]["path"]
        if isinstance(answer, dict) and answer.get("kind") in KINDS:
            self.shelf.put(answer)
        elif step["request"]["method"] == "DELETE" and step["response"]["code"] == 200:
            for kind in KINDS.values():
                self.shelf.remove(kind.name, path.rsplit("/", 1)[-1])


@pytest.fixture(scope="module")
def scenarios(shared_conformance: Path) -> list[tuple[str, list[Obj]]]:
    with gzip.open(shared_conformance / "api" / "exchanges.jsonl.gz", "rt") as lines:
        text = "".join(lines).replace("{id}", "an-id").replace("{ns}", "a-ns")
    records = map(json.loads, text.splitlines())
    return [(record["id"], record["steps"]) for record in records]


def creations(scenarios: list[tuple[str, list[Obj]]]) -> Iterator[tuple[str, Obj, World, Kind]]:
    """Each request to create an object, in the world that it came into."""
    for name, steps in scenarios:
        world = World()
        for step in steps:
            request = step["request"]
            kind = KINDS_BY_PLURAL.get(request["path"].partition("?")[0].rsplit("/", 1)[-1])
            decoded = isinstance(request.get("body"), dict) and step["response"]["code"] != 400
            in_place = "absent" not in request["path"] and not name.startswith("namespace/")
            if request["method"] == "POST" and kind and decoded and in_place:
                yield name, step, world, kind
            world.learn(step)


def refusal(world: World, kind: Kind, step: Obj) -> Obj | None:
    """The answer if the object isn't let in."""
    try:
        world.create(kind, step["request"]["body"])
    except RefusedError as refused:
        return refused.status()
    return None


def plain(value: Any, field: str = "") -> Any:
    """Without empty fields, and amounts in their canonical form."""
    if isinstance(value, dict):
        fields = {name: plain(entry, field or name) for name, entry in value.items()}
        return {name: entry for name, entry in fields.items() if entry not in (None, {}, [])}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    try:
        return str(parse_quantity(value)) if field in ("resources", "overhead") else value
    except QuantityError:
        return value


def test_objects_become_what_they_became(scenarios: list[Any]) -> None:
    compared = 0
    for name, step, world, kind in creations(scenarios):
        if step["response"]["code"] == 201 and name not in LEFT_OUT:
            obj = world.create(kind, step["request"]["body"])
            answer = step["response"]["body"]
            assert plain(obj.get("spec")) == plain(answer.get("spec")), name
            annotations = obj["metadata"].get("annotations")
            assert annotations == answer["metadata"].get("annotations"), name
            compared += 1
    assert compared >= 80


def test_objects_are_refused_in_the_same_words(scenarios: list[Any]) -> None:
    compared = []
    for name, step, world, kind in creations(scenarios):
        if (answer := refusal(world, kind, step)) is not None:
            assert answer == step["response"]["body"], name
            compared.append(name)
        else:
            assert step["response"]["code"] != 403, name
    assert len(compared) >= 10
    assert {"quota/by-class", "limits/defaults", "class/two-defaults"} <= set(compared)


def test_what_is_used_of_a_quota_is_written_down(scenarios: list[Any]) -> None:
    (steps,) = (steps for name, steps in scenarios if name == "quota/by-class")
    *_, before, create, _, _, after, _ = [step["response"]["body"] for step in steps]
    world = World()
    for step in steps[:3]:
        world.learn(step)
    assert world.shelf.get("ResourceQuota", "a-ns", "q") == before
    world.create(KINDS["Pod"], steps[3]["request"]["body"])
    assert create["kind"] == "Pod"
    assert world.shelf.get("ResourceQuota", "a-ns", "q") == after
