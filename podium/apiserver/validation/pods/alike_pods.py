"""A cache of valid pods, so that only the differences of further similar pods are checked.

The pods of a workload differ in name, node, times and the name of the service account token's
volume. The rest of a valid pod is the cache key.
"""

import re
from contextlib import suppress
from functools import lru_cache
from types import GenericAlias
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from podium.api.pods import DELETION_COST
from podium.api.priority import MIRROR_ANNOTATION
from podium.api.selectors.labels import validate_dns_label, validate_label_key, validate_subdomain
from podium.apiserver.memories import CAPACITY, SIZE_MAX, Memory
from podium.apiserver.validation.checks import Check, Faults

_OWN_METADATA = frozenset({"name", "uid", "annotations", "resourceVersion", "managedFields"})
_OWN_SPEC = frozenset({"nodeName", "hostname"})
# Their validity depends on other fields, so pods with them are checked as a whole.
_TELLING = (MIRROR_ANNOTATION, DELETION_COST)
_ANNOTATIONS_LENGTH_MAX = 1 << 13
# Days that every month has; in metadata and status, any such text is as good as any other.
_TIME = re.compile(
    rb'"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}Z"'
)
_TOKEN_PREFIX = b'"kube-api-access-'
_TOKEN = re.compile(_TOKEN_PREFIX + rb'[a-z0-9]{5}"')
_encode = msgspec.json.Encoder().encode
# JSON has no such byte.
_ANY = b"\0"


def _struct(fields: str, **types: Any) -> Any:
    return msgspec.defstruct(
        "Part", [(name, types.get(name, Any) | UnsetType, UNSET) for name in fields.split()]
    )


_ContainerStatuses = GenericAlias(
    list, (_struct("name restartCount allocatedResources resources"),)
)
# The fields of a status that are judged: msgspec takes them out ten times as fast as Python.
_Status = _struct(
    "phase qosClass nominatedNodeName reason resize startTime conditions initContainerStatuses "
    "containerStatuses allocatedResources resources",
    conditions=GenericAlias(list, (_struct("type status reason lastTransitionTime"),)),
    initContainerStatuses=_ContainerStatuses,
    containerStatuses=_ContainerStatuses,
)


def judged_alike(check: Check) -> Check:
    """Return a check of whole pods that caches valid pods; values may be of wrong types."""
    flawless = Memory[None]()

    def check_once(pod: Any, path: str) -> Faults:
        key = _shared(pod) if _own_is_flawless(pod) else None
        if key in flawless:
            return iter(())
        faults = [*check(pod, path)]
        if key is not None and not faults:
            flawless.put(key, None)
        return iter(faults)

    return check_once


def _shared(pod: Any) -> bytes | None:
    # All that is checked of a pod but what is its own; None if it can't be encoded.
    metadata, spec = pod["metadata"], pod["spec"]
    shared, rest = {**spec}, {**metadata}
    for field in _OWN_SPEC:
        shared.pop(field, None)
    for field in _OWN_METADATA:
        rest.pop(field, None)
    status = pod.get("status")
    # All of an odd status is compared.
    with suppress(msgspec.ValidationError):
        status = msgspec.convert(status, _Status)
    try:
        encoded = _encode(shared)
        others = _encode((rest, status))
    except (OverflowError, ValueError):
        return None
    if len(encoded) + len(others) > SIZE_MAX:
        return None
    if _TOKEN_PREFIX in encoded and (token := _TOKEN.search(encoded)):
        encoded = encoded.replace(token[0], _ANY)
    is_placed = b"1" if spec.get("nodeName") else b""
    return _ANY.join((is_placed, encoded, _without_times(others)))


@lru_cache(CAPACITY)
def _without_times(encoded: bytes) -> bytes:
    return _TIME.sub(_ANY, encoded)


def _own_is_flawless(pod: Any) -> bool:
    metadata, spec = pod.get("metadata"), pod.get("spec")
    if not isinstance(metadata, dict) or not isinstance(spec, dict):
        return False
    name, node, hostname = metadata.get("name"), spec.get("nodeName"), spec.get("hostname")
    return (
        isinstance(name, str)
        and not validate_subdomain(name)
        and (node is None or (isinstance(node, str) and not (node and _faults_of_node(node))))
        and (not hostname or (isinstance(hostname, str) and not validate_dns_label(hostname)))
        and isinstance(metadata.get("uid"), str | None)
        and _notes_are_flawless(metadata.get("annotations"))
    )


def _notes_are_flawless(notes: Any) -> bool:
    if notes is None:
        return True
    if not isinstance(notes, dict) or not notes.keys().isdisjoint(_TELLING):
        return False
    return sum(map(len, notes)) + sum(
        len(note) if isinstance(note, str) else _ANNOTATIONS_LENGTH_MAX for note in notes.values()
    ) < _ANNOTATIONS_LENGTH_MAX and all(map(_is_key, notes))


@lru_cache(CAPACITY)
def _is_key(note: str) -> bool:
    return not validate_label_key(note.lower())


_faults_of_node = lru_cache(CAPACITY)(validate_subdomain)
