"""Validation: structure and values of the fields that Podium acts on, kind by kind.

Not everything that kube-apiserver would object to is found, only what could lead a decision
astray; what is found, it would object to as well. Fields and texts are its own where it names a
field, and plain words where it answers with a decoder's complaint.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds import kind_of
from podium.apiserver.validation.kinds import CHECKS

__all__ = ["CHECKS", "validate"]


def validate(obj: Mapping[str, Any]) -> list[FieldError]:
    """All faults of an object, in the order of its fields; none for a kind without a check."""
    kind = kind_of(obj)
    check = CHECKS.get(kind.name) if kind else None
    return list(check(obj, "")) if check else []
