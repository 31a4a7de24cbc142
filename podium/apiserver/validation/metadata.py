"""The `metadata` of objects."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from podium.api.errors import ErrorKind, FieldError
from podium.api.selectors.labels import validate_label_key
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, a_dict, dicts, join
from podium.apiserver.validation.names import dns_label, label_key, label_map, subdomain
from podium.apiserver.validation.remembered import remembered

ANNOTATIONS_SIZE_MAX_BYTES = 256 * 1024
_STANDARD_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid")


def _each_owner(value: object, path: str) -> Faults:
    yield from checks.each(checks.fields())(value, path)
    first = ""
    for _, owner in dicts(value):
        # All faults stand at the list itself, as kube-apiserver has it.
        for field in _OWNER_FIELDS:
            text = owner.get(field) or ""
            if not isinstance(text, str):
                yield from checks.text(text, join(path, field))
            elif not text:
                what = "version must" if field == "apiVersion" else "must"
                yield FieldError(join(path, field), text, f"{what} not be empty")
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield FieldError(path, owner, "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller") is True:
            this = f"{owner.get('kind')}/{owner.get('name')}"
            if first:
                message = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {first} and {this}'
                )
                yield FieldError(path, value, message)
            first = first or this


owners = remembered(_each_owner)
"""The `ownerReferences` of an object."""


def annotations_size_bytes(entries: Mapping[str, Any]) -> int:
    """The size of annotations as their limit counts it: keys and values."""
    return sum(len(str(key).encode()) + len(str(entry).encode()) for key, entry in entries.items())


def _annotations_size(value: Any, path: str) -> Faults:
    if annotations_size_bytes(a_dict(value)) > ANNOTATIONS_SIZE_MAX_BYTES:
        message = f"may not be more than {ANNOTATIONS_SIZE_MAX_BYTES} bytes"
        yield FieldError(path, "", message, ErrorKind.TOO_LONG)


_annotation_key = checks.a_string(lambda key: validate_label_key(key.lower()))
annotations = checks.both(checks.mapping(checks.text, _annotation_key), _annotations_size)
"""The `annotations` of an object."""


def finalizer_names(value: object, path: str) -> Faults:
    """What is asked of the finalizers of objects of all kinds."""
    yield from checks.each(checks.text)(value, path)
    for name in value if isinstance(value, list) else ():
        if isinstance(name, str):
            yield from label_key(name, path)


def _finalizers(value: object, path: str) -> Faults:
    yield from finalizer_names(value, path)
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    if "orphan" in names and "foregroundDeletion" in names:
        yield FieldError(path, names, "finalizer orphan and foregroundDeletion cannot be both set")
    for index, name in enumerate(names):
        yield from finalizer_name(name, f"{path}[{index}]")


def finalizer_name(name: str, path: str) -> Faults:
    """A finalizer that isn't one of Kubernetes' own needs a domain."""
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        message = "name is neither a standard finalizer name nor is it fully qualified"
        yield FieldError(path, name, message)


def _beginning_of(name: Check) -> Check:
    def check(value: object, path: str) -> Faults:
        ends_in_dash = isinstance(value, str) and len(value) > 1 and value.endswith("-")
        whole = f"{str(value)[:-2]}a" if ends_in_dash else value
        for fault in name(whole, path):
            yield replace(fault, value=value)

    return check


def object_meta(name: Check = subdomain) -> Check:
    """The metadata of a whole object; `name` judges its name."""
    return checks.fields(
        generateName=_beginning_of(name),
        name=name,
        namespace=remembered(dns_label),
        uid=checks.text,
        labels=remembered(label_map),
        annotations=annotations,
        ownerReferences=owners,
        finalizers=_finalizers,
        creationTimestamp=remembered(checks.time),
        deletionTimestamp=checks.time,
        deletionGracePeriodSeconds=checks.integer(0),
    )


def _segment_faults(name: str) -> list[str]:
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{mark}'" for mark in "/%" if mark in name]


path_segment = checks.a_string(_segment_faults)
"""A name that can stand in a path."""

any_metadata = checks.fields(
    name=path_segment,
    labels=remembered(label_map),
    annotations=annotations,
    ownerReferences=owners,
    finalizers=finalizer_names,
)
"""What is asked of the metadata of objects of all kinds: names can stand in paths."""


def object_check(*rules: Check, name: Check = subdomain, **parts: checks.Part) -> Check:
    """A whole object: its metadata, its other fields, and rules that look at all of it."""
    return checks.fields(*rules, metadata=object_meta(name), **parts)


template_meta = checks.fields(labels=label_map, annotations=annotations)
"""The metadata of a template."""
