"""The patches that the recorded API server was sent: what they made, and why they were refused."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.decoding import PatchType, decode_patch
from podium.apiserver.patching import apply_configuration, apply_patch
from tests.conformance.exchanges import INNER_WORDS

BY_RESOURCE = {kind.plural: kind for kind in KINDS.values()}
NOW_S = 1_800_000_000.0
# Refusals of other parts of the API server.
OTHERS = (
    "metadata",
    "PatchOptions",
    "415",
    "Operation cannot be fulfilled",
    "not found",
    "updates",
)


@pytest.fixture(scope="module")
def records(shared_conformance: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_conformance / "api" / "exchanges.jsonl.gz", "rt") as lines:
        text = lines.read().replace('"<time>"', '"2026-01-01T00:00:00Z"')
    return [json.loads(line) for line in text.splitlines()]


def place(path: str) -> tuple[Kind, str, str] | None:
    """The kind, the object's own path and the subresource of a path, if it is an object's."""
    parts = path.partition("?")[0].strip("/").split("/")
    for at, part in enumerate(parts):
        if part in BY_RESOURCE and part != "namespaces" and len(parts) > at + 1:
            return BY_RESOURCE[part], "/".join(parts[: at + 2]), "/".join(parts[at + 2 :])
    return None


def patches(record: dict[str, Any]) -> Iterator[tuple[Kind, Any, dict[str, Any], str, Any]]:
    """Each patch with the kind, the object as last seen, its request and its answer."""
    seen: dict[str, Any] = {}
    for step in record["steps"]:
        request, answer = step["request"], step["response"]["body"]
        found = place(request["path"])
        if request["method"] == "PATCH" and found:
            kind, path, subresource = found
            yield kind, seen.get(path), request, subresource, step["response"]
        if isinstance(answer, dict) and "metadata" in answer and answer.get("kind") in KINDS:
            own = found[1] if found else request["path"].partition("?")[0].strip("/")
            name = answer["metadata"].get("name", "")
            seen[own if found else f"{own}/{name}"] = answer


def outcome(kind: Kind, current: Any, request: dict[str, Any], subresource: str) -> Any:
    """What becomes of a patch."""
    body = request["body"]
    sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    query = dict(part.partition("=")[::2] for part in request["path"].partition("?")[2].split("&"))
    patch_type = request["contentType"]
    try:
        patch = decode_patch(sent, patch_type).obj
        if patch_type != PatchType.APPLY:
            return apply_patch(kind, current, patch_type, patch, field_validation="Warn").obj
        force = query.get("force") == "true"
        options = WriteOptions(field_manager=query.get("fieldManager", ""), force=force)
        write = Attributes(kind, "", "", NOW_S, subresource, options)
        return apply_configuration(write, current, patch)
    except RefusedError as refused:
        return refused.status()


def test_json_patches_that_do_not_apply(records: list[dict[str, Any]]) -> None:
    (record,) = [record for record in records if record["id"] == "update/json-patch"]
    refused = 0
    for kind, current, request, subresource, response in patches(record):
        found = outcome(kind, current, request, subresource)
        if response["code"] >= 400:
            recorded = response["body"]
            assert (found["code"], found["reason"]) == (recorded["code"], recorded["reason"])
            if not INNER_WORDS.search(recorded["message"]):
                assert found["message"] == recorded["message"]
            refused += 1
    assert refused == 3


def test_what_is_patched_becomes_what_is_recorded(records: list[dict[str, Any]]) -> None:
    """The server may do more to it than the patch says, but not undo it."""
    count = 0
    for record in records:
        for kind, current, request, subresource, response in patches(record):
            is_seen = response["code"] == 200 and current is not None
            # Of nodes, a controller changes the taints in between.
            is_other = record["id"] in ("apply/own", "node/create")
            if not is_seen or is_other or subresource not in ("", "status"):
                continue
            found, recorded = outcome(kind, current, request, subresource), response["body"]
            assert names(found.get("spec")) <= names(recorded.get("spec")), record["id"]
            for field in ("labels", "annotations"):
                assert found["metadata"].get(field) == recorded["metadata"].get(field)
            count += 1
    assert count >= 20


def names(value: Any, at: str = "") -> set[str]:
    """The fields of an object, by path, with their plain values."""
    if isinstance(value, dict):
        return {one for name, part in value.items() for one in names(part, f"{at}.{name}")}
    if isinstance(value, list):
        return {one for part in value for one in names(part, f"{at}[]")}
    return {f"{at}={value}"}


def test_applying_in_turns(records: list[dict[str, Any]]) -> None:
    (record,) = [record for record in records if record["id"] == "apply/own"]
    live: Any = None
    for step in record["steps"]:
        request, expected = step["request"], step["response"]["body"]
        if "fieldManager" not in request["path"]:
            continue
        found = outcome(KINDS["Pod"], live, request, "")
        if step["response"]["code"] >= 400:
            assert found == expected
            continue
        assert found["metadata"]["labels"] == expected["metadata"]["labels"]
        live = found
