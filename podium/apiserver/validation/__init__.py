"""Validation: structure and values of the fields that Podium acts on, kind by kind.

Not everything that kube-apiserver would object to is found, only what could lead a decision
astray; what is found, it would object to as well. Fields and texts are its own where it names a
field, and plain words where it answers with a decoder's complaint.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.kinds import KINDS, Kind

__all__ = ["KINDS", "Kind", "kind_of", "validate"]


def kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """The kind of a raw object by its API group and `kind`, whatever its version, if known."""
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    return KINDS.get((group, str(obj.get("kind", ""))))


def validate(obj: Mapping[str, Any]) -> list[FieldError]:
    """All faults of an object, in the order of its fields; none for an object of unknown kind."""
    kind = kind_of(obj)
    return list(kind.check(obj, "")) if kind else []
