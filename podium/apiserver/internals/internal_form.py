"""Parts of API objects as kube-apiserver's internal types of v1.36 have them.

`types.txt` declares pods, taints and budgets: a type a block, its fields in order. A field is
`Title:type`, with its name in the API where that isn't simply the title in the API's spelling
(`Title=name:type`); a string needs no type. `*` marks what may be absent, `[]` a list; `raw` stands
for what is written as in the API. `+Type` takes in all fields of a type.
"""

import json
import re
from collections.abc import Callable, Mapping
from difflib import unified_diff
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from podium.api.codec.text_decoder import escaped
from podium.api.objects import Object, metadata_of, part
from podium.api.values.quantity import parse_quantity

_DATA = files("podium.apiserver.internals") / "types.txt"
_INITIALS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z]+(?=\d)|[A-Z]")
_ZEROS: Mapping[str, Any] = {"string": "", "int": 0, "bool": False, "Quantity": "0"}
# The internal type has the pod's own network and processes in its security context.
_HOST_FIELDS = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_HEADER_LINES = 2

_Render = Callable[[Any], Any]
"""Writes a value; None stands for an absent one."""


class _Field(NamedTuple):
    """A field of an internal type; one without a name in the API is replaced by its fields."""

    title: str
    name: str
    render: _Render


def internal(type_name: str, value: Object) -> dict[str, Any]:
    """A structure in kube-apiserver's words: all fields, in order, absent ones as null.

    Args:
        type_name: of the internal type, such as `PodSpec`.
    """
    if type_name == "LabelSelector":
        # As in the API, without what is empty.
        return _maps_sorted(value)
    if type_name == "PodSpec":
        host = {field: value[field] for field in _HOST_FIELDS if value.get(field) is not None}
        if host:
            value = {**value, "securityContext": {**part(value, "securityContext"), **host}}
    written: dict[str, Any] = {}
    for field in _fields(type_name):
        if field.name:
            written[field.title] = field.render(value.get(field.name))
        else:
            written.update(field.render(value))
    return written


@cache
def declared_types() -> Mapping[str, list[str]]:
    """The declared fields of each type by the type's name."""
    blocks = _DATA.read_text(encoding="utf-8").split("\n\n")
    return {name: fields for name, *fields in map(str.split, blocks)}


@cache
def _fields(type_name: str) -> tuple[_Field, ...]:
    found = []
    for declared in declared_types()[type_name]:
        if declared.startswith("+"):
            found.append(_Field("", "", _renderer(declared[1:])))
            continue
        title, _, kind = declared.partition(":")
        title, _, name = title.partition("=")
        # The API has initials at the front in lower case: `DNSPolicy` is `dnsPolicy` there.
        name = name or _INITIALS.sub(lambda initials: initials[0].lower(), title, count=1)
        found.append(_Field(title, name, _renderer(kind or "string")))
    return tuple(found)


def _renderer(kind: str) -> _Render:
    """What writes values of a type: `*x` and `[]x` are null where absent, others are empty."""
    if kind.startswith("*"):
        render = _renderer(kind[1:])
        return lambda value: None if value is None else render(value)
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


def _quantity(value: Any) -> str:
    return str(parse_quantity(value))


def _sorted(value: Object) -> dict[str, Any]:
    return dict(sorted(value.items()))


def _maps_sorted(value: Object) -> dict[str, Any]:
    return {k: _sorted(v) if isinstance(v, dict) else v for k, v in value.items() if v}


def difference(old: Any, new: Any) -> str:
    """The lines of the structures' JSON that differ, each with its neighbours; empty if none do."""
    lines = unified_diff(_lines(old), _lines(new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[_HEADER_LINES:])


def _lines(value: Any) -> list[str]:
    return escaped(json.dumps(value, indent=1, ensure_ascii=False)).split("\n")
