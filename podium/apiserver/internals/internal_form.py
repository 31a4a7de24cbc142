"""From an API object's part to the same part as kube-apiserver's internal type has it."""

import json
import re
from collections.abc import Callable, Mapping
from difflib import unified_diff
from functools import cache
from typing import Any, NamedTuple

from podium.api.codec.go_json import escaped
from podium.api.objects import Object, metadata_of, part
from podium.api.values.quantity import parse_quantity
from podium.apiserver.internals.types import TYPES

_INITIALS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z]+(?=\d)|[A-Z]")
_ZEROS: Mapping[str, Any] = {"string": "", "int": 0, "bool": False, "Quantity": "0"}
# Of the pod's own network and processes, the internal type speaks in its security context.
_HOST_FIELDS = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")


class _Field(NamedTuple):
    """A field of an internal type.

    Attributes:
        title: its name there.
        name: in the API; empty for one whose fields stand in its stead.
        render: writes its value; None stands for an absent one.
    """

    title: str
    name: str
    render: Callable[[Any], Any]


def internal(type_name: str, value: Object) -> dict[str, Any]:
    """A structure in kube-apiserver's words: all fields, in order, absent ones as null.

    Args:
        type_name: of the internal type, such as `PodSpec`.
        value: as in the API.
    """
    if type_name == "LabelSelector":
        # As in the API, without what is empty.
        return _maps_sorted(value)
    if type_name == "PodSpec":
        value = _with_host_fields(value)
    written: dict[str, Any] = {}
    for field in _fields(type_name):
        if field.name:
            written[field.title] = field.render(value.get(field.name))
        else:
            written.update(field.render(value))
    return written


@cache
def _fields(type_name: str) -> tuple[_Field, ...]:
    return tuple(map(_field, TYPES[type_name].split()))


def _field(declared: str) -> _Field:
    """A field from its declaration: `Title:type`, `Title=name:type`, or `+Type` for all of it."""
    if declared.startswith("+"):
        return _Field("", "", _renderer(declared[1:]))
    title, _, kind = declared.partition(":")
    title, _, name = title.partition("=")
    return _Field(title, name or _api_name(title), _renderer(kind or "string"))


def _api_name(title: str) -> str:
    """As the API spells it: initials at the front in lower case, `DNSPolicy` as `dnsPolicy`."""
    return _INITIALS.sub(lambda found: found[0].lower(), title, count=1)


def _renderer(kind: str) -> Callable[[Any], Any]:
    """What writes values of a type: `*x` and `[]x` are null where absent, others are empty."""
    if kind.startswith("*"):
        return _unless_absent(_renderer(kind[1:]))
    if kind.startswith("[]"):
        entry = _renderer(kind[2:])
        return lambda value: [entry(one) for one in value] if value else None
    if kind == "Quantities":
        return lambda value: _sorted({k: _quantity(v) for k, v in value.items()}) if value else None
    if kind == "map":
        return lambda value: _sorted(value) if value else None
    if kind == "Quantity":
        return lambda value: "0" if value is None else _quantity(value)
    if kind == "raw":
        return lambda value: value
    if kind == "ObjectMeta":
        return lambda value: _maps_sorted(metadata_of(value))
    if kind in _ZEROS:
        return lambda value: _ZEROS[kind] if value is None else value
    return lambda value: internal(kind, value or {})


def _unless_absent(render: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else render(value)


def _quantity(value: Any) -> str:
    return str(parse_quantity(value))


def _sorted(value: Object) -> dict[str, Any]:
    return dict(sorted(value.items()))


def _maps_sorted(value: Object) -> dict[str, Any]:
    return {k: _sorted(v) if isinstance(v, dict) else v for k, v in value.items() if v}


def _with_host_fields(spec: Object) -> Object:
    found = {field: spec[field] for field in _HOST_FIELDS if spec.get(field) is not None}
    if not found:
        return spec
    return {**spec, "securityContext": {**part(spec, "securityContext"), **found}}


_HEADER_LINES = 2


def difference(old: Any, new: Any) -> str:
    """The lines of the structures' JSON that differ, each with its neighbours; empty if none do."""
    lines = unified_diff(_lines(old), _lines(new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[_HEADER_LINES:])


def _lines(value: Any) -> list[str]:
    return escaped(json.dumps(value, indent=1, ensure_ascii=False)).split("\n")
