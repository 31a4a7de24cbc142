"""Comparison and hashes of pod templates, ignoring the hash label and notations of quantities."""

from typing import Any

from podium.api.objects import Object, metadata_of, part
from podium.api.values.generated_names import template_hash
from podium.api.values.quantity import nanos
from podium.api.well_known import HASH_LABEL

_AMOUNT_FIELDS = frozenset({"requests", "limits", "overhead"})


def same_template(one: Object, other: Object) -> bool:
    """Return whether two templates with defaults make equal pods, apart from the hash label."""
    return bool(_comparable(one) == _comparable(other))


def identical_template(one: Object, other: Object) -> bool:
    """Return whether two templates are literally equal apart from the hash label: a fast check."""
    if one.get("spec") != other.get("spec"):
        return False
    first, second = (
        {**metadata, "labels": {**part(metadata, "labels"), HASH_LABEL: ""}}
        for metadata in map(metadata_of, (one, other))
    )
    return first == second


def hash_of(template: Object, collisions: int = 0) -> str:
    """Return the hash of a template for names and labels; each count of collisions changes it."""
    comparable = _comparable(template)
    return template_hash([comparable, collisions] if collisions else comparable)


def _comparable(value: Any, field: str = "") -> Any:
    if isinstance(value, dict):
        if field in _AMOUNT_FIELDS:
            return {resource: nanos(amount) for resource, amount in value.items()}
        fields = {key: _comparable(entry, key) for key, entry in value.items() if key != HASH_LABEL}
        return {key: entry for key, entry in fields.items() if entry not in (None, {}, [], "")}
    return [_comparable(entry) for entry in value] if isinstance(value, list) else value
