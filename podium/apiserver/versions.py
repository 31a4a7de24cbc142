"""Conversion between the versions in which a kind is served.

Only Events have two versions with different fields, in v1 and events.k8s.io/v1. Custom objects are
equal in all versions, as conversion webhooks aren't called.
"""

from collections.abc import Mapping

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object

_RENAMED = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_RENAMED_BACK = {theirs: ours for ours, theirs in _RENAMED.items()}


def stored_version(kind: Kind, obj: Object) -> Object:
    """Convert an object to its stored version; a missing apiVersion means the kind's own."""
    api_version = obj.get("apiVersion") or kind.api_version
    if api_version == kind.stored_api_version and obj.get("kind") == kind.name:
        return obj
    header = {"apiVersion": kind.stored_api_version, "kind": kind.name}
    names = _RENAMED_BACK if _is_other(kind, api_version) else {}
    return {**_renamed(obj, names), **header}


def shown_version(kind: Kind, obj: Object, api_version: str) -> Object:
    """Convert a stored object to one of the kind's versions; empty for the kind's own."""
    if isinstance(kind, CustomKind):
        return {**obj, "apiVersion": kind.api_version}
    if not api_version or not _is_other(kind, api_version):
        return obj
    header = {"apiVersion": api_version, "kind": kind.name}
    return {**_renamed(obj, _RENAMED), **header}


def _is_other(kind: Kind, api_version: str) -> bool:
    group, _, version = api_version.rpartition("/")
    return (group, version) in kind.also


def _renamed(obj: Object, names: Mapping[str, str]) -> Object:
    # A field that already has its new name is unknown in the version of the object.
    unknown = frozenset(names.values())
    known = {field: value for field, value in obj.items() if field not in unknown}
    return {names.get(field, field): value for field, value in known.items()}
