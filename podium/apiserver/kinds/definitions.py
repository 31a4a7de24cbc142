"""CustomResourceDefinitions: defaults, validation and updates."""

from collections.abc import Callable, Sequence
from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.kinds.custom_kinds import DEFINITION, is_established
from podium.api.objects import Object, entries, metadata_of, part, spec_of, status_of
from podium.api.selectors.labels import validate_dns_1035_label
from podium.apiserver.custom_resources.structural_schemas import schema_faults, selectable_fault
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration, metadata_alone
from podium.apiserver.schema import json_paths
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import dns_label, subdomain

_APPROVED = "api-approved.kubernetes.io"
_PROTECTED = (".k8s.io", ".kubernetes.io")
_CONVERSIONS = ("None", "Webhook")
_SCALED = {
    "specReplicasPath": (".spec",),
    "statusReplicasPath": (".status",),
    "labelSelectorPath": (".spec", ".status"),
}
_COLUMN_WORDS = {
    "type": ("boolean", "date", "integer", "number", "string"),
    "format": ("byte", "date", "date-time", "double", "float", "int32", "int64", "password"),
}
_REMAINS = (
    "missing from spec.versions; {0} was previously a storage version, and must remain in "
    "spec.versions until a storage migration ensures no data remains persisted in {0} and removes "
    "{0} from status.storedVersions"
)


def _valid(obj: Any, path: str) -> checks.Faults:
    yield from metadata_alone(obj, path)
    spec = spec_of(obj)
    names, group = spec.get("names") or {}, spec.get("group") or ""
    metadata = metadata_of(obj)
    name = metadata.get("name")
    if name != f"{names.get('plural')}.{group}":
        yield FieldError("metadata.name", name, 'must be spec.names.plural+"."+spec.group')
    if group.endswith(_PROTECTED) and not (metadata.get("annotations") or {}).get(_APPROVED):
        why = (
            f'protected groups must have approval annotation "{_APPROVED}", see '
            "https://github.com/kubernetes/enhancements/pull/1111"
        )
        yield checks.required(f"metadata.annotations[{_APPROVED}]", why)
    yield from _PLAIN(spec, "spec")
    yield from _names(names)
    strategy = part(spec, "conversion").get("strategy") or "None"
    if strategy not in _CONVERSIONS:
        yield unsupported("spec.conversion.strategy", strategy, _CONVERSIONS)
    elif strategy == "Webhook" and not spec["conversion"].get("webhook"):
        why = "required when strategy is set to Webhook"
        yield checks.required("spec.conversion.webhookClientConfig", why)
    if spec.get("preserveUnknownFields"):
        why = "must be false in order to use defaults in the schema"
        yield FieldError("spec.preserveUnknownFields", True, why)
    yield from _versions(entries(spec, "versions"))


_domain = checks.must("should be a domain with at least one dot", lambda group: "." in group)
_PLAIN = checks.fields(
    group=checks.needed(checks.both(subdomain, _domain)),
    scope=checks.needed(checks.one_of("Cluster", "Namespaced")),
)


def _names(names: Object) -> checks.Faults:
    for field in ("plural", "singular", "kind", "listKind"):
        name, path = names.get(field) or "", f"spec.names.{field}"
        if not name and field in ("plural", "kind"):
            yield checks.required(path)
        elif name and (faults := validate_dns_1035_label(name.lower())):
            is_mixed = field in ("kind", "listKind")
            ahead = "may have mixed case, but should otherwise match: " if is_mixed else ""
            yield FieldError(path, name, ahead + ",".join(faults))
    for field in ("shortNames", "categories"):
        for index, name in enumerate(entries(names, field)):
            if faults := validate_dns_1035_label(name):
                yield FieldError(f"spec.names.{field}[{index}]", name, ",".join(faults))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        why = "kind and listKind may not be the same"
        yield FieldError("spec.names.listKind", names["listKind"], why)


def _versions(versions: Sequence[Any]) -> checks.Faults:
    if sum(bool(one.get("storage")) for one in versions) != 1:
        message = "must have exactly one version marked as storage version"
        yield FieldError("spec.versions", [one.get("name") for one in versions], message)
    seen = set()
    for index, version in enumerate(versions):
        path, name = f"spec.versions[{index}]", version.get("name") or ""
        yield from dns_label(name, f"{path}.name")
        if name in seen:
            yield FieldError(f"{path}.name", name, "must be unique", ErrorKind.DUPLICATE)
        seen.add(name)
        schema = part(version, "schema").get("openAPIV3Schema")
        faults = list(schema_faults(schema, f"{path}.schema.openAPIV3Schema"))
        yield from faults
        for number, column in enumerate(entries(version, "additionalPrinterColumns")):
            where = f"{path}.additionalPrinterColumns[{number}]"
            if not column.get("name"):
                yield checks.required(f"{where}.name")
            for field, choices in _COLUMN_WORDS.items():
                word, rule = column.get(field), f"must be one of {','.join(choices)}"
                if not word and field == "type":
                    yield checks.required(f"{where}.{field}", rule)
                elif word and word not in choices:
                    yield FieldError(f"{where}.{field}", word, rule)
            yield from _path(column, "jsonPath", where, json_paths.compiled)
        if scale := part(version, "subresources").get("scale"):
            yield from _scale(scale, f"{path}.subresources.scale")
        if not faults:
            yield from _selectable(entries(version, "selectableFields"), schema, path)


def _scale(scale: Object, path: str) -> checks.Faults:
    for field, places in _SCALED.items():
        if field == "labelSelectorPath" and not scale.get(field):
            continue
        faults = list(_path(scale, field, path, json_paths.steps))
        yield from faults
        if not faults and not scale[field].startswith(tuple(f"{place}." for place in places)):
            where = " or ".join(places)
            rule = f"should be a json path under {'either ' if len(places) > 1 else ''}{where}"
            yield FieldError(f"{path}.{field}", scale[field], rule)


def _selectable(fields: Sequence[Object], schema: Any, path: str) -> checks.Faults:
    seen = set()
    for index, field in enumerate(fields):
        where = f"{path}.selectableFields[{index}]"
        faults = list(_path(field, "jsonPath", where, json_paths.steps))
        yield from faults
        if faults:
            continue
        json_path = field["jsonPath"]
        if why := selectable_fault(schema, json_paths.steps(json_path)):
            yield FieldError(f"{where}.jsonPath", json_path, why)
        if json_path in seen:
            yield checks.duplicate(f"{where}.jsonPath", json_path)
        seen.add(json_path)


def _path(obj: Object, field: str, path: str, read: Callable[[str], object]) -> checks.Faults:
    text = obj.get(field)
    if not text:
        yield checks.required(f"{path}.{field}")
        return
    try:
        read(text)
    except ValueError as error:
        yield FieldError(f"{path}.{field}", text, str(error))


def _change(new: Object, old: Object) -> checks.Faults:
    yield from rules.metadata(new, old)
    yield from _valid(new, "")
    once_served = ("spec.scope", "spec.names.kind") if is_established(old) else ()
    for path in (*once_served, "spec.group", "spec.names.plural"):
        yield from rules.immutable(path)(new, old)
    there = [one.get("name") for one in rules.at(new, "spec.versions") or ()]
    for index, stored in enumerate(entries(status_of(old), "storedVersions")):
        if stored not in there:
            yield FieldError(f"status.storedVersions[{index}]", stored, _REMAINS.format(stored))


def _with_defaults(definition: Object) -> Object:
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


CUSTOM_RESOURCE_DEFINITION = Registration(
    kind=DEFINITION, defaults=_with_defaults, validate=_valid, validate_update=_change
)
