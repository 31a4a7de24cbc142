"""Helpers and sample pods for tests of what is said of pod specs."""

from typing import Any

from podium.apiserver.kinds.registration.registrations import validate
from tests.apiserver.validation.samples import CONTAINER, an_object

Obj = dict[str, Any]


def faults(spec: Obj) -> list[str]:
    return [str(fault) for fault in validate(an_object("Pod", "spec", spec))]


def a_pod(**changes: Any) -> Obj:
    return {"containers": [CONTAINER], **changes}


def a_container(**changes: Any) -> Obj:
    return {"containers": [{**CONTAINER, **changes}]}


def assert_faults(spec: Obj, expected: list[str]) -> None:
    """The faults begin like those expected, one by one."""
    found = faults(spec)
    assert [fault[: len(begin)] for fault, begin in zip(found, expected, strict=False)] == expected
    assert len(found) == len(expected), found
