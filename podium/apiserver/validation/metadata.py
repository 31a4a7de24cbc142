"""Checks of the metadata of objects."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from podium.api.errors import ErrorKind, FieldError
from podium.api.selectors.labels import validate_label_key
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, join
from podium.apiserver.validation.names import dns_label, label_key, label_map, subdomain

ANNOTATIONS_SIZE_MAX_BYTES = 256 * 1024
_STANDARD_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid")


def _each_owner(owners: Any, path: str) -> Faults:
    first = ""
    for owner in owners:
        # All faults have the list's own path, as in kube-apiserver.
        for field in _OWNER_FIELDS:
            if not owner.get(field):
                what = "version must" if field == "apiVersion" else "must"
                yield FieldError(join(path, field), "", f"{what} not be empty")
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield FieldError(path, owner, "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            this = f"{owner.get('kind')}/{owner.get('name')}"
            if first:
                message = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {first} and {this}'
                )
                yield FieldError(path, owners, message)
            first = first or this


owners = checks.remembered(_each_owner)


def annotations_size_bytes(entries: Mapping[str, str]) -> int:
    """Return the total size of keys and values of annotations, for which there is a limit."""
    return sum(len(key.encode()) + len(entry.encode()) for key, entry in entries.items())


def annotations(notes: Mapping[str, str], path: str) -> Faults:
    """Check the `annotations` of an object."""
    for key in notes:
        for message in validate_label_key(key.lower()):
            yield FieldError(path, key, message)
    if annotations_size_bytes(notes) > ANNOTATIONS_SIZE_MAX_BYTES:
        message = f"may not be more than {ANNOTATIONS_SIZE_MAX_BYTES} bytes"
        yield FieldError(path, "", message, ErrorKind.TOO_LONG)


def finalizer_names(names: Any, path: str) -> Faults:
    """Check the finalizers of an object as for all kinds."""
    for name in names:
        yield from label_key(name, path)


def _finalizers(names: Any, path: str) -> Faults:
    yield from finalizer_names(names, path)
    if "orphan" in names and "foregroundDeletion" in names:
        yield FieldError(path, names, "finalizer orphan and foregroundDeletion cannot be both set")
    yield from checks.each(finalizer_name)(names, path)


def finalizer_name(name: str, path: str) -> Faults:
    """Check that a finalizer is one of Kubernetes' own, or has a domain."""
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        message = "name is neither a standard finalizer name nor is it fully qualified"
        yield FieldError(path, name, message)


def object_meta(name: Check = subdomain) -> Check:
    """Return a check of the metadata of an object; `name` is the check of its name."""

    def beginning_of_name(value: str, path: str) -> Faults:
        ends_in_dash = len(value) > 1 and value.endswith("-")
        for fault in name(f"{value[:-2]}a" if ends_in_dash else value, path):
            yield replace(fault, value=value)

    return checks.fields(
        generateName=beginning_of_name,
        name=name,
        namespace=checks.remembered(dns_label),
        labels=checks.remembered(label_map),
        annotations=annotations,
        ownerReferences=owners,
        finalizers=_finalizers,
        deletionGracePeriodSeconds=checks.integer(),
    )


def _segment_faults(name: str) -> list[str]:
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{mark}'" for mark in "/%" if mark in name]


path_segment = checks.a_string(_segment_faults)

any_metadata = checks.fields(
    name=path_segment,
    labels=checks.remembered(label_map),
    annotations=annotations,
    ownerReferences=owners,
    finalizers=finalizer_names,
)
"""Checks the metadata of an object by the rules for all kinds."""


def object_check(*rules: Check, name: Check = subdomain, **parts: checks.Part) -> Check:
    """Return a check of an object: its metadata, its other fields, and rules for the whole."""
    return checks.fields(*rules, metadata=object_meta(name), **parts)


template_meta = checks.fields(labels=label_map, annotations=annotations)
