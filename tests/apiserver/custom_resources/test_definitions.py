"""What is wrong with definitions."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registrations import validate
from tests.apiserver.custom_resources.crontabs import DEFINITION, definition, serving
from tests.apiserver.requests.client import MERGE

SCHEMA = "spec.versions[0].schema.openAPIV3Schema"
CASES: list[tuple[str, Any, str]] = [
    ("metadata.name", "x", 'metadata.name: Invalid value: "x": must be spec.names.plural+'),
    ("spec.names.shortNames", "ct", "expected a list, got a string"),
    ("spec.group", "stable", "should be a domain with at least one dot"),
    ("spec.scope", "Other", 'spec.scope: Unsupported value: "Other": supported values: "Cluster",'),
    ("spec.names.kind", "bad_kind", 'spec.names.kind: Invalid value: "bad_kind": may have mixed'),
    ("spec.versions.0.storage", False, "must have exactly one version marked as storage version"),
    ("spec.versions.0.schema", None, f"{SCHEMA}: Required value: schemas are required"),
    (
        "spec.conversion",
        {"strategy": "Other"},
        'spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"',
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
    ("spec.versions.0.additionalPrinterColumns.0.jsonPath", "{x", "starting with ."),
    ("spec.versions.0.additionalPrinterColumns.0.jsonPath", ".x[", "is an invalid path: .x["),
    ("spec.group", "x.k8s.io", "metadata.annotations[api-approved.kubernetes.io]: Required value"),
]

_SPEC = f"{SCHEMA}.properties[spec]"
_PARTS = "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties"
_LIST, _SET = f"{_PARTS}.list", f"{_PARTS}.set"
_KEYS = "x-kubernetes-list-map-keys"
_COLUMNS = "spec.versions.0.additionalPrinterColumns"
_SCALE = "spec.versions.0.subresources.scale"

# As kube-apiserver v1.36.2 answers, except that it moves what all versions share to `spec`.
RECORDED: list[tuple[str, Any, str]] = [
    (f"{_COLUMNS}.0.name", None, "additionalPrinterColumns[0].name: Required value"),
    (f"{_COLUMNS}.0.type", None, ".type: Required value: must be one of boolean,date,integer,"),
    (f"{_COLUMNS}.0.type", "x", '.type: Invalid value: "x": must be one of boolean,date,integer,'),
    (f"{_COLUMNS}.0.format", "x", '.format: Invalid value: "x": must be one of byte,date,date-ti'),
    (f"{_COLUMNS}.0.jsonPath", None, "additionalPrinterColumns[0].jsonPath: Required value"),
    (f"{_SCALE}.specReplicasPath", None, "subresources.scale.specReplicasPath: Required value"),
    (f"{_SCALE}.specReplicasPath", ".replicas", "should be a json path under .spec"),
    (f"{_SCALE}.statusReplicasPath", ".spec.x", "should be a json path under .status"),
    (f"{_SCALE}.labelSelectorPath", ".x", "should be a json path under either .spec or .status"),
    (f"{_PARTS}.mode.type", "int", f'{_SPEC}.properties[mode].type: Unsupported value: "int"'),
    (
        f"{_PARTS}.replicas.minimum",
        "x",
        f'{_SPEC}.properties[replicas].minimum: Invalid value: "x"',
    ),
    (f"{_PARTS}.replicas.default", "x", '.default: Invalid value: "string": in body must be of'),
    (f"{_PARTS}.mode.$ref", "#/x", f"{_SPEC}.properties[mode].$ref: Forbidden: $ref is not suppo"),
    (f"{_PARTS}.mode.anyOf", [{"type": "string"}], "anyOf[0].type: Forbidden: must be empty to"),
    (f"{_SET}.items", None, f"{_SPEC}.properties[set].items: Required value: must be specified"),
    (f"{_SET}.items", [{"type": "string"}], f"{_SPEC}.properties[set].items: Invalid value"),
    (f"{_SET}.items", {"type": "object"}, "items.x-kubernetes-map-type: Invalid value: null: must"),
    (f"{_SET}.uniqueItems", True, "uniqueItems: Forbidden: uniqueItems cannot be set to true"),
    (f"{_SET}.x-kubernetes-list-type", "bag", 'x-kubernetes-list-type: Unsupported value: "bag"'),
    (f"{_LIST}.{_KEYS}", None, f"{_KEYS}: Required value: must not be empty if"),
    (f"{_LIST}.{_KEYS}", ["z"], f'{_KEYS}: Invalid value: ["z"]: entries must all be names'),
    (f"{_LIST}.items.required", None, "items.properties[name].default: Required value: this prop"),
    (
        f"{_PARTS}.template.x-kubernetes-preserve-unknown-fields",
        None,
        "[template].properties: Requi",
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.nullable",
        True,
        "nullable cannot be true at the root",
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.metadata",
        {"type": "object", "properties": {"labels": {"type": "object"}}},
        f"{SCHEMA}.properties[metadata]: Forbidden: must not specify anything other than name",
    ),
    (
        "spec.versions.0.selectableFields",
        [{"jsonPath": ".spec.image"}, {"jsonPath": ".spec.image"}],
        'selectableFields[1].jsonPath: Duplicate value: ".spec.image"',
    ),
    ("spec.versions.0.selectableFields.0.jsonPath", ".spec.any", "must point to a field of type"),
    ("spec.versions.0.selectableFields.0.jsonPath", ".spec.z", "does not refer to a valid field"),
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


@pytest.mark.parametrize(("path", "value", "why"), CASES + RECORDED)
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
