"""Validation: structure and values of objects, kind by kind.

Found is what could lead a decision astray, and of the rest of a pod or a workload what people
get wrong: what no decision hangs on is marked as a detail. Not everything that kube-apiserver
would object to is found; what is found, it would object to as well. Fields, texts and their order
are its own where it names a field, and plain words where it answers with a decoder's complaint.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds import kind_of
from podium.apiserver.refusals import first_told
from podium.apiserver.validation.checks import MinorFieldError
from podium.apiserver.validation.kinds import CHECKS

__all__ = ["CHECKS", "decisive_faults", "first_faults", "validate"]


def decisive_faults(obj: Mapping[str, Any]) -> list[FieldError]:
    """The faults of an object that could lead a decision astray; without those of details."""
    return [fault for fault in validate(obj) if not isinstance(fault, MinorFieldError)]


def first_faults(obj: Mapping[str, Any]) -> list[FieldError]:
    """The first faults of an object: as many as are told, and one more if there are more."""
    kind = kind_of(obj)
    check = CHECKS.get(kind.name) if kind else None
    return first_told(check(obj, "")) if check else []


def validate(obj: Mapping[str, Any]) -> list[FieldError]:
    """All faults of an object, in the order of its fields; none for a kind without a check."""
    kind = kind_of(obj)
    check = CHECKS.get(kind.name) if kind else None
    return list(check(obj, "")) if check else []
