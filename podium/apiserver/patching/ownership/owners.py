"""Who owns what of an object, as its managedFields say it.

Source: the field managers of apimachinery, v1.36.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.errors import quoted
from podium.api.objects import Object, part
from podium.api.values.times import TimeError, parse_time, timestamp
from podium.apiserver.patching.ownership.field_sets import (
    FieldSet,
    difference,
    from_fields_v1,
    to_fields_v1,
    union,
)

APPLY, UPDATE = "Apply", "Update"

UPDATERS_MAX = 10
"""How many updating managers are kept apart; the oldest beyond that are joined."""

_OLD_UPDATERS = "ancient-changes"
_FIELDS_TYPE = "FieldsV1"


class Manager(msgspec.Struct, frozen=True):
    """The owner of fields: an entry of managedFields without its fields.

    Attributes:
        operation: `Apply` or `Update`.
        subresource: through which it writes; empty for the object itself.
        api_version: in which it writes; empty for `Apply`, which goes by the latest.
    """

    name: str
    operation: str
    subresource: str = ""
    api_version: str = ""

    def __str__(self) -> str:
        by = f" with subresource {quoted(self.subresource)}" if self.subresource else ""
        using = f" using {self.api_version}" if self.operation == UPDATE else ""
        return f"{quoted(self.name)}{by}{using}"


class Owned(msgspec.Struct, frozen=True):
    """The fields that a manager owns in one version, and the time of its last change, if known."""

    fields: FieldSet
    api_version: str
    time: str = ""


Owners = Mapping[Manager, Owned]


def read_owners(entries: Sequence[Object]) -> Owners | None:
    """The owners in managedFields; None if they can't be understood."""
    owners: dict[Manager, Owned] = {}
    for entry in entries:
        operation, api_version = entry.get("operation"), entry.get("apiVersion") or ""
        is_known = operation in (APPLY, UPDATE) and entry.get("fieldsType") == _FIELDS_TYPE
        if not is_known or not api_version:
            return None
        manager = Manager(
            entry.get("manager") or "",
            str(operation),
            entry.get("subresource") or "",
            api_version if operation == UPDATE else "",
        )
        try:
            fields = from_fields_v1(part(entry, "fieldsV1"))
        except ValueError:
            return None
        owners[manager] = Owned(fields, api_version, entry.get("time") or "")
    return owners


def write_owners(owners: Owners) -> list[dict[str, Any]]:
    """The owners as managedFields, in order."""

    def place(item: tuple[Manager, Owned]) -> tuple[str, int, str, str, str]:
        manager, owned = item
        seconds = _nanos(owned.time) // 10**9
        return manager.operation, seconds, manager.name, owned.api_version, manager.subresource

    return [
        written_entry(manager, owned.api_version, owned.time, to_fields_v1(owned.fields))
        for manager, owned in sorted(owners.items(), key=place)
    ]


def _nanos(time: str) -> int:
    try:
        return parse_time(time) if time else 0
    except TimeError:
        return 0


def written_entry(
    manager: Manager, api_version: str, time: str, fields_v1: Mapping[str, Any]
) -> dict[str, Any]:
    """The entry of managedFields for a manager."""
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": api_version,
        "time": time,
        "fieldsType": _FIELDS_TYPE,
        "fieldsV1": fields_v1,
        "subresource": manager.subresource,
    }
    return {name: value for name, value in entry.items() if value or name == "fieldsV1"}


def taken(owners: Owners, fields: FieldSet, exempt: Manager | None = None) -> Owners:
    """The owners after fields have been taken from all but one of them."""
    left = {
        manager: owned
        if manager == exempt
        else replace(owned, fields=difference(owned.fields, fields))
        for manager, owned in owners.items()
    }
    return {manager: owned for manager, owned in left.items() if owned.fields}


def given(
    owners: Owners, manager: Manager, fields: FieldSet, api_version: str, now_s: float
) -> Owners:
    """The owners after a manager has come to own fields besides those that it owns."""
    if not fields:
        return owners
    before = owners.get(manager)
    joined = union(before.fields, fields) if before else fields
    return {**owners, manager: Owned(joined, api_version, timestamp(now_s))}


def capped(owners: Owners) -> Owners:
    """The owners with the oldest updating ones made one, where there are too many of them."""
    updaters = [manager for manager in owners if manager.operation == UPDATE]
    if len(updaters) <= UPDATERS_MAX:
        return owners
    oldest = sorted(updaters, key=lambda manager: (_nanos(owners[manager].time), str(manager)))
    excess = len(updaters) - UPDATERS_MAX + 1
    merged, left = oldest[:excess], dict(owners)
    for version in dict.fromkeys(owners[manager].api_version for manager in merged):
        same = [manager for manager in merged if owners[manager].api_version == version]
        if len(same) > 1:
            several = [left.pop(manager) for manager in same]
            fields = reduce(union, (owned.fields for owned in several))
            bucket = Manager(_OLD_UPDATERS, UPDATE, "", version)
            left[bucket] = Owned(fields, version, several[-1].time)
    return left
