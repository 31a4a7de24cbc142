"""Checks of names, labels, port names and metadata."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from podium.api.errors import ErrorKind, FieldError
from podium.api.selectors.labels import (
    validate_dns_label,
    validate_label_key,
    validate_label_value,
    validate_subdomain,
)
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, a_string, join

_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def _all_of(*rules: tuple[str, Callable[[str], object]]) -> Callable[[str], Sequence[str]]:
    return lambda name: [message for message, is_right in rules if not is_right(name)]


def _shorter(limit: int, unit: str = "characters") -> tuple[str, Callable[[str], object]]:
    return f"must be no more than {limit} {unit}", lambda name: len(name) <= limit


dns_label = a_string(validate_dns_label)
# As IsValidPortName judges.
port_name = a_string(
    _all_of(
        _shorter(15),
        (
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
            re.compile("[-a-z0-9]+").fullmatch,
        ),
        ("must contain at least one letter (a-z)", re.compile("[a-z]").search),
        ("must not contain consecutive hyphens", lambda name: "--" not in name),
        ("must not begin or end with a hyphen", lambda name: name == name.strip("-")),
    )
)
subdomain = a_string(validate_subdomain)
label_key = a_string(validate_label_key)
label_value = a_string(validate_label_value)


def label_map(labels: Mapping[str, str], path: str) -> Faults:
    """Check labels; all faults have the path of the map, as in kube-apiserver."""
    for key, value in labels.items():
        yield from label_key(key, path)
        yield from label_value(value, path)


config_key = a_string(
    _all_of(
        _shorter(253, "bytes"),
        (_KEY_RULE, re.compile(r"[-._a-zA-Z0-9]+", re.ASCII).fullmatch),
        ("must not be '.'", lambda key: key != "."),
        ("must not be '..'", lambda key: key != ".."),
        ("must not start with '..'", lambda key: key == ".." or not key.startswith("..")),
    )
)
"""Checks a key of the data of a ConfigMap or Secret, which must be usable as a file name."""


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


path_segment = a_string(_segment_faults)

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
