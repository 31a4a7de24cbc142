"""What is wrong with definitions."""

from typing import Any

import pytest

from podium.apiserver.kinds.registrations import validate
from tests.apiserver.custom.crontabs import DEFINITION, definition, serving
from tests.apiserver.requests.client import MERGE

SCHEMA = "spec.versions[0].schema.openAPIV3Schema"
CASES: list[tuple[str, Any, str]] = [
    ("metadata.name", "x", 'metadata.name: Invalid value: "x": must be spec.names.plural+'),
    ("spec.group", "stable", "should be a domain with at least one dot"),
    ("spec.scope", "Other", 'spec.scope: Unsupported value: "Other": supported values: "Cluster",'),
    ("spec.names.kind", "bad_kind", 'spec.names.kind: Invalid value: "bad_kind": may have mixed'),
    ("spec.versions.0.storage", False, "must have exactly one version marked as storage version"),
    ("spec.versions.0.schema", None, f"{SCHEMA}: Required value: schemas are required"),
    (
        "spec.conversion",
        {"strategy": "Webhook"},
        'spec.conversion.strategy: Unsupported value: "Webhook": supported values: "None": Podium',
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.mode.type",
        None,
        f"{SCHEMA}.properties[spec].properties[mode].type: Required value: must not be empty for",
    ),
    (
        "spec.versions.0.selectableFields.0.jsonPath",
        ".spec.list[0]",
        "must be a simple json path without array notation",
    ),
    ("spec.versions.0.additionalPrinterColumns.0.jsonPath", "{x", "is an invalid path: {x"),
    ("spec.group", "x.k8s.io", "metadata.annotations[api-approved.kubernetes.io]: Required value"),
]


def changed(value: Any, path: list[str], new: Any) -> Any:
    step, *rest = path
    if isinstance(value, list):
        entries = [*value]
        entries[int(step)] = changed(entries[int(step)], rest, new)
        return entries
    made = {**value, step: changed(value[step], rest, new) if rest else new}
    return {name: one for name, one in made.items() if one is not None}


def test_a_good_one() -> None:
    assert validate(definition()) == []


@pytest.mark.parametrize(("path", "value", "why"), CASES)
def test_a_bad_one(path: str, value: Any, why: str) -> None:
    found = validate(changed(definition(), path.split("."), value))
    assert any(why in str(fault) for fault in found), found


def test_what_never_changes() -> None:
    client = serving()
    patch = {"spec": {"scope": "Cluster", "names": {"kind": "X"}}}
    answer = client.ask("PATCH", DEFINITION, patch, content_type=MERGE)
    told = [f"{one['field']}: {one['message']}" for one in answer.body["details"]["causes"]]
    assert told == [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "X": field is immutable',
    ]
