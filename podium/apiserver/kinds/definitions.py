"""CustomResourceDefinitions: which kinds they bring, and what may change of that."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from podium.api.custom_kinds import CLEANUP, is_established
from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.kinds import KINDS
from podium.api.objects import Object, entries, metadata_of, part, spec_of, status_of
from podium.apiserver.custom import json_paths
from podium.apiserver.kinds import rules
from podium.apiserver.kinds.columns import CREATED, NAME
from podium.apiserver.kinds.registration import Registration
from podium.apiserver.kinds.rules import at
from podium.apiserver.kinds.strategy import workload
from podium.apiserver.schema.custom import INT_OR_STRING, PRESERVES
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import dns_label, subdomain

if TYPE_CHECKING:
    from jsonschema import Draft4Validator

Schema = Mapping[str, Any]

_APPROVED = "api-approved.kubernetes.io"
_PROTECTED = (".k8s.io", ".kubernetes.io")
_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
    f"'abc-123', regex used for validation is '{_LABEL}')"
)
_STORED_ONCE = "must have exactly one version marked as storage version"
_NO_WEBHOOKS = (
    "Podium serves objects the same in all versions, and calls no webhooks that could convert them"
)
_UNTYPED = "must not be empty for specified object fields"
_SCALED = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
_SHAPES = ("type", "anyOf")
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_ALWAYS = ("spec.group", "spec.names.plural")
_ONCE_SERVED = ("spec.scope", "spec.names.kind")
_REMAINS = (
    "missing from spec.versions; {0} was previously a storage version, and must remain in "
    "spec.versions until a storage migration ensures no data remains persisted in {0} and removes "
    "{0} from status.storedVersions"
)
_NO_NAMES = {"plural": "", "kind": ""}
_NAMES = dict.fromkeys(("plural", "singular", "kind", "listKind"), checks.text)
_VERSION = checks.fields(
    name=checks.text,
    served=checks.boolean,
    storage=checks.boolean,
    schema=checks.fields(openAPIV3Schema=checks.fields()),
    subresources=checks.fields(scale=checks.fields(**dict.fromkeys(_SCALED, checks.text))),
    additionalPrinterColumns=checks.each(
        checks.fields(name=checks.text, type=checks.text, jsonPath=checks.text)
    ),
    selectableFields=checks.each(checks.fields(jsonPath=checks.text)),
)
_SHAPE = object_check(
    spec=checks.fields(
        group=checks.text,
        scope=checks.text,
        names=checks.fields(
            shortNames=checks.each(checks.text), categories=checks.each(checks.text), **_NAMES
        ),
        conversion=checks.fields(strategy=checks.text),
        preserveUnknownFields=checks.boolean,
        versions=checks.each(_VERSION),
    )
)


def _valid(obj: Any, path: str) -> Faults:
    found = list(_SHAPE(obj, path))
    yield from found
    if not found:
        yield from _rules(obj)


def _rules(obj: Any) -> Faults:
    spec = spec_of(obj)
    names, group = spec.get("names") or {}, spec.get("group") or ""
    metadata = metadata_of(obj)
    name = metadata.get("name")
    if name != f"{names.get('plural')}.{group}":
        yield FieldError("metadata.name", name, 'must be spec.names.plural+"."+spec.group')
    notes = metadata.get("annotations") or {}
    if group.endswith(_PROTECTED) and not notes.get(_APPROVED):
        why = (
            f'protected groups must have approval annotation "{_APPROVED}", see '
            "https://github.com/kubernetes/enhancements/pull/1111"
        )
        yield checks.required(f"metadata.annotations[{_APPROVED}]", why)
    yield from _group(group)
    yield from _scope(spec.get("scope") or "")
    yield from _names(names)
    yield from _conversion(part(spec, "conversion"))
    if spec.get("preserveUnknownFields"):
        why = "must be false in order to use defaults in the schema"
        yield FieldError("spec.preserveUnknownFields", True, why)
    yield from _versions(entries(spec, "versions"))


def _group(group: str) -> Faults:
    if not group:
        yield checks.required("spec.group")
        return
    yield from subdomain(group, "spec.group")
    if "." not in group:
        yield FieldError("spec.group", group, "should be a domain with at least one dot")


def _scope(scope: str) -> Faults:
    if not scope:
        yield checks.required("spec.scope")
    elif scope not in ("Cluster", "Namespaced"):
        yield unsupported("spec.scope", scope, ("Cluster", "Namespaced"))


def _names(names: Object) -> Faults:
    for field in ("plural", "singular", "kind", "listKind"):
        name, path = names.get(field) or "", f"spec.names.{field}"
        if not name and field in ("plural", "kind"):
            yield checks.required(path)
        elif name and not re.fullmatch(_LABEL, name.lower()):
            is_mixed = field in ("kind", "listKind")
            ahead = "may have mixed case, but should otherwise match: " if is_mixed else ""
            yield FieldError(path, name, ahead + _LABEL_RULE)
    for field in ("shortNames", "categories"):
        for index, name in enumerate(entries(names, field)):
            if not re.fullmatch(_LABEL, name):
                yield FieldError(f"spec.names.{field}[{index}]", name, _LABEL_RULE)
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        why = "kind and listKind may not be the same"
        yield FieldError("spec.names.listKind", names["listKind"], why)


def _conversion(conversion: Object) -> Faults:
    strategy = conversion.get("strategy") or "None"
    if strategy != "None":
        supported = unsupported("spec.conversion.strategy", strategy, ("None",))
        message = f"{supported.message}: {_NO_WEBHOOKS}"
        yield FieldError(supported.field, strategy, message, ErrorKind.UNSUPPORTED)


def _versions(versions: Sequence[Any]) -> Faults:
    if sum(bool(one.get("storage")) for one in versions) != 1:
        yield FieldError("spec.versions", [one.get("name") for one in versions], _STORED_ONCE)
    seen = set()
    for index, version in enumerate(versions):
        path, name = f"spec.versions[{index}]", version.get("name") or ""
        yield from dns_label(name, f"{path}.name")
        if name in seen:
            yield FieldError(f"{path}.name", name, "must be unique", ErrorKind.DUPLICATE)
        seen.add(name)
        schema = part(version, "schema").get("openAPIV3Schema")
        where = f"{path}.schema.openAPIV3Schema"
        if not isinstance(schema, Mapping):
            yield checks.required(where, "schemas are required")
        else:
            wrong = [one for one in _schemas().iter_errors(schema) if one.validator in _SHAPES]
            for one in wrong:
                yield FieldError(where, one.instance, one.message)
            yield from () if wrong else _whole_schema(schema, where)
        yield from _paths(version, path)


def _whole_schema(schema: Schema, path: str) -> Faults:
    kind = schema.get("type")
    if not kind:
        yield checks.required(f"{path}.type", "must not be empty at the root")
    elif kind != "object":
        yield FieldError(f"{path}.type", kind, "must be object at the root")
    yield from _schema(schema, path)


def _schema(schema: Any, path: str) -> Faults:
    """A structural schema: each value has a type, and is described in one place."""
    if not isinstance(schema, Mapping):
        yield FieldError(path, schema, "must be a schema")
        return
    kind = schema.get("type")
    if kind is not None and kind not in _TYPES:
        yield unsupported(f"{path}.type", kind, _TYPES)
    if schema.get("properties") and schema.get("additionalProperties"):
        why = "additionalProperties and properties are mutual exclusive"
        yield FieldError(f"{path}.additionalProperties", None, why, ErrorKind.FORBIDDEN)
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and (why := _pattern_fault(pattern)):
        yield FieldError(f"{path}.pattern", pattern, why)
    for where, inner in _parts(schema, path):
        is_typed = isinstance(inner, Mapping) and (
            inner.get("type") or inner.get(INT_OR_STRING) or inner.get(PRESERVES)
        )
        if not is_typed and isinstance(inner, Mapping):
            yield checks.required(f"{where}.type", _UNTYPED)
        yield from _schema(inner, where)
    if kind == "array" and not schema.get("items"):
        yield checks.required(f"{path}.items", "must be specified")


def _parts(schema: Schema, path: str) -> Iterator[tuple[str, Any]]:
    for name, inner in part(schema, "properties").items():
        yield f"{path}.properties[{name}]", inner
    for name in ("items", "additionalProperties"):
        inner = schema.get(name)
        if inner is not None and not isinstance(inner, bool):
            yield f"{path}.{name}", inner


def _pattern_fault(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        return f"must be a valid regular expression, but isn't: {error}"
    return ""


def _paths(version: Object, path: str) -> Faults:
    for index, column in enumerate(entries(version, "additionalPrinterColumns")):
        try:
            json_paths.compiled(column.get("jsonPath") or "")
        except ValueError as error:
            where = f"{path}.additionalPrinterColumns[{index}].jsonPath"
            yield FieldError(where, column.get("jsonPath"), str(error))
    simple = [
        (f"selectableFields[{index}].jsonPath", one.get("jsonPath") or "")
        for index, one in enumerate(entries(version, "selectableFields"))
    ]
    scale = part(version, "subresources", "scale")
    simple += [(f"subresources.scale.{name}", scale[name]) for name in _SCALED if name in scale]
    for where, simple_path in simple:
        try:
            json_paths.steps(simple_path)
        except ValueError as error:
            yield FieldError(f"{path}.{where}", simple_path, str(error))


def _change(new: Object, old: Object) -> Faults:
    yield from rules.metadata(new, old)
    yield from _valid(new, "")
    for path in (*(_ONCE_SERVED if is_established(old) else ()), *_ALWAYS):
        yield from rules.immutable_value(at(new, path), at(old, path), path)
    there = [one.get("name") for one in at(new, "spec.versions") or ()]
    for index, stored in enumerate(entries(status_of(old), "storedVersions")):
        if stored not in there:
            why = _REMAINS.format(stored)
            yield FieldError(f"status.storedVersions[{index}]", stored, why)


def _with_defaults(definition: Object) -> Object:
    """The definition with the names that follow from others; the same if there is nothing new."""
    spec = spec_of(definition)
    names = spec.get("names") or {}
    kind = names.get("kind") or ""
    filled = {
        **names,
        "singular": names.get("singular") or kind.lower(),
        "listKind": names.get("listKind") or f"{kind}List",
    }
    conversion = spec.get("conversion") or {"strategy": "None"}
    if (filled == names and conversion == spec.get("conversion")) or not kind:
        return definition
    return {**definition, "spec": {**spec, "names": filled, "conversion": conversion}}


@cache
def _schemas() -> "Draft4Validator":
    # Takes its time, and only definitions need it.
    from jsonschema import Draft4Validator

    return Draft4Validator(Draft4Validator.META_SCHEMA)


CUSTOM_RESOURCE_DEFINITION = Registration(
    kind=KINDS["CustomResourceDefinition"],
    defaults=_with_defaults,
    validate=_valid,
    validate_update=_change,
    strategy=workload(unconditional_update=False, answers_object=True, deletion_finalizer=CLEANUP),
    columns=(NAME, CREATED),
)
