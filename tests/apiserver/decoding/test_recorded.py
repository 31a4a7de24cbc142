"""The recorded API server: what it took and answered, and what it couldn't read."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.decoding.bodies import decode
from podium.apiserver.decoding.type_checker import Checker
from podium.apiserver.decoding.typed import DecodedObject
from podium.apiserver.schema.struct_types import BINDING, EVICTION, SCALE, struct_of
from tests.conformance.exchanges import INNER_WORDS

RESOURCES = {
    **{kind.plural: kind for kind in KINDS.values()},
    "eviction": EVICTION,
    "binding": BINDING,
    "scale": SCALE,
}
UNREADABLE = re.compile("cannot be handled as|is unrecognized")
OTHER_MEDIA_TYPES = {"text/plain", "application/vnd.kubernetes.protobuf"}


@pytest.fixture(scope="module")
def steps(shared_conformance: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_conformance / "api" / "exchanges.jsonl.gz", "rt") as lines:
        return [step for record in map(json.loads, lines) for step in record["steps"]]


def written(steps: list[dict[str, Any]]) -> Iterator[tuple[Kind, bytes, str, dict[str, Any]]]:
    """Bodies of creations and replacements, with how strict to be, and the answers."""
    for step in steps:
        request = step["request"]
        body, path = request.get("body"), request["path"].partition("?")[0]
        named = [RESOURCES[part] for part in path.split("/") if part in RESOURCES]
        is_write = request["method"] in ("POST", "PUT") and body is not None
        if is_write and named and request.get("contentType") not in OTHER_MEDIA_TYPES:
            if isinstance(body, str) and body.startswith("$"):
                continue
            sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            strict = re.search(r"fieldValidation=(\w+)", request["path"])
            yield named[-1], sent, strict[1] if strict else "Warn", step["response"]


def objects(answer: Any) -> Iterator[dict[str, Any]]:
    if isinstance(answer, dict) and "items" in answer:
        kind = answer["kind"].removesuffix("List")
        for item in answer["items"] or ():
            yield {"apiVersion": answer["apiVersion"], "kind": kind, **item}
    elif isinstance(answer, dict):
        yield answer


def test_bodies_are_read_or_refused_as_recorded(steps: list[dict[str, Any]]) -> None:
    read = refused = 0
    for kind, body, strictness, response in written(steps):
        expected = response["body"]
        found = outcome(body, kind, strictness)
        if isinstance(found, RefusedError):
            assert same_refusal(found.status(), expected)
            refused += 1
            continue
        assert not UNREADABLE.search(str(expected.get("message"))), expected
        warnings = [f"299 - {json.dumps(text)}" for text in found.warnings]
        assert warnings == [*filter(None, [response.get("warning")])]
        read += 1
    assert read >= 140
    assert refused >= 9


def same_refusal(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether code and reason agree, and the message unless the recorded one is in inner words."""
    both = [{key: one.get(key) for key in ("code", "reason")} for one in (found, expected)]
    is_free = INNER_WORDS.search(expected["message"])
    return both[0] == both[1] and bool(is_free or found["message"] == expected["message"])


def outcome(body: bytes, kind: Kind, strictness: str) -> DecodedObject | RefusedError:
    try:
        return decode(body, "application/json", kind, field_validation=strictness)
    except RefusedError as answer:
        return answer


def test_answers_have_no_unknown_fields(steps: list[dict[str, Any]]) -> None:
    count = 0
    for step in steps:
        text = json.dumps(step["response"]["body"]).replace('"<time>"', '"2026-01-01T00:00:00Z"')
        for obj in objects(json.loads(text)):
            struct = struct_of(obj.get("apiVersion", ""), obj.get("kind", ""))
            if struct is not None:
                checker = Checker()
                checker.check(obj, struct)
                assert checker.strict == (), obj
                count += 1
    assert count > 150
