"""What updates may change of each kind, in kube-apiserver v1.36's order and words.

A case has two mappings, with an arrow between them: what the stored object has beside a small
sample of its kind, and what is changed of that. Faults stand there as often as they are found.
Recorded updates are refused with the recorded causes.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.errors import StatusCause
from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS, Kind
from podium.apiserver.decoding.typed import typed
from podium.apiserver.kinds.registration.registrations import completed, validate_update
from podium.apiserver.refusals import invalid
from tests.apiserver.transcripts import Case, assert_answers, changed
from tests.apiserver.validation.samples import VALID, an_object
from tests.objects import Obj

FILES = sorted(Path(__file__).with_name("updates").glob("*.txt"))
METADATA = {
    "uid": "u",
    "resourceVersion": "1",
    "generation": 1,
    "creationTimestamp": "2026-01-01T00:00:00Z",
}


def stored(kind: str) -> Obj:
    sample = an_object(kind)
    return {**sample, "metadata": {**METADATA, **sample["metadata"]}}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_changes_are_refused_and_worded_as_by_kube_apiserver(file: Path) -> None:
    def answer(case: Case) -> Iterable[str]:
        kind = ALL_KINDS[case.kind]
        old = completed(kind, case.obj)
        new, _ = typed(kind, changed(old, case.changes))
        return map(str, validate_update(kind, new, old, case.subresource) or ["allowed"])

    assert_answers(file, stored, answer)


def paths(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        # A key with dots isn't a path.
        for field in (field for field in value if "." not in field):
            yield field
            yield from (f"{field}.{path}" for path in paths(value[field], depth - 1))


@pytest.mark.parametrize("kind", sorted(VALID))
@pytest.mark.parametrize("subresource", ["", "status"])
def test_whatever_an_update_leaves_out_is_judged(kind: str, subresource: str) -> None:
    old = {**completed(ALL_KINDS[kind], stored(kind)), "status": {"phase": "Active"}}
    for path in paths(old, 3):
        if path.partition(".")[0] not in ("apiVersion", "kind") and path != "metadata":
            new = changed(old, {path: None})
            assert isinstance(validate_update(ALL_KINDS[kind], new, old, subresource), list)


@pytest.mark.parametrize("kind", sorted(VALID))
def test_an_update_that_changes_nothing_is_valid(kind: str) -> None:
    old = completed(ALL_KINDS[kind], stored(kind))
    assert validate_update(ALL_KINDS[kind], old, old) == []


KINDS_BY_PLURAL = {kind.plural: kind for kind in KINDS.values()}
TIME = "2026-01-01T00:00:00Z"
SERVER_MADE = {"resourceVersion": "1", "uid": "<uid>", "creationTimestamp": TIME}


@pytest.fixture(scope="module")
def scenarios(shared_conformance: Path) -> list[tuple[str, list[Obj]]]:
    with gzip.open(shared_conformance / "api" / "exchanges.jsonl.gz", "rt") as lines:
        text = "".join(lines).replace("{id}", "an-id").replace("{ns}", "a-ns")
    return [(record["id"], record["steps"]) for record in map(json.loads, text.splitlines())]


def updates(scenarios: list[tuple[str, list[Obj]]]) -> Iterator[tuple[str, Obj, Kind, Obj]]:
    """Each patch of an object, with its kind and the object as it was."""
    for name, steps in scenarios:
        objects: dict[str, Obj] = {}
        for step in steps:
            request, answer = step["request"], step["response"].get("body")
            parts = request["path"].partition("?")[0].split("/")
            kind = KINDS_BY_PLURAL.get(parts[-2])
            if request["method"] == "PATCH" and kind and parts[-1] in objects:
                yield name, step, kind, objects[parts[-1]]
            if isinstance(answer, dict) and answer.get("kind") in KINDS:
                metadata = {**SERVER_MADE, **answer["metadata"]}
                if name == "delete/finalizer" and metadata.get("deletionGracePeriodSeconds") == 0:
                    metadata["deletionTimestamp"] = TIME
                objects[answer["metadata"]["name"]] = {**answer, "metadata": metadata}


def merged(value: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for field, change in patch.items():
        if change is None:
            result.pop(field, None)
        else:
            result[field] = merged(result.get(field), change)
    return result


def asked(step: Obj, old: Obj) -> Obj | None:
    """The object that a patch asks for; None for patches that this test doesn't understand."""
    body, media_type = step["request"]["body"], step["request"]["contentType"]
    if media_type == "application/merge-patch+json":
        return merged(old, body)  # type: ignore[no-any-return]
    if not isinstance(body, list) or [p["op"] for p in body] not in (["add"], ["replace"]):
        return None
    (patch,) = body
    new = json.loads(json.dumps(old))
    *path, last = patch["path"].split("/")[1:]
    place = new
    for part in path:
        place = place[int(part) if part.isdigit() else part]
    if last == "-":
        place.append(patch["value"])
    else:
        place[last] = patch["value"]
    return new


def test_the_same_causes(scenarios: list[tuple[str, list[Obj]]]) -> None:
    refused, let_through = 0, 0
    for name, step, kind, old in updates(scenarios):
        new = asked(step, old)
        if new is None or step["response"]["code"] == 400:
            continue
        faults = validate_update(kind, new, old)
        if step["response"]["code"] == 422:
            answer = step["response"]["body"]
            refusal = invalid(old["metadata"]["name"], faults, kind.name, kind.group)
            causes = answer["details"]["causes"]
            expected = [StatusCause(c["reason"], c["message"], c["field"]) for c in causes]
            assert list(refusal.causes) == expected, name
            assert refusal.message == answer["message"]
            refused += 1
        elif step["response"]["code"] == 200:
            assert faults == [], name
            let_through += 1
    assert refused >= 10
    assert let_through >= 10
