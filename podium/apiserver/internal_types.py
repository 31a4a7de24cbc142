"""Conversion of parts of API objects to v1.36's internal types, which error messages quote.

`internal_types.txt` declares the types of pods, taints and budgets: one type per block, its fields
in order. A field is `Title:type`, or `Title=name:type` if its API name isn't derived from the
title; the type of strings is omitted. `*` marks optional values, `[]` lists and `raw` values in
their API form; `+Type` includes the fields of a type.
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

_DATA = files("podium.apiserver") / "internal_types.txt"
_INITIALS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z]+(?=\d)|[A-Z]")
_ZEROS: Mapping[str, Any] = {"string": "", "int": 0, "bool": False, "Quantity": "0"}
# The internal type has the pod's own network and processes in its security context.
_HOST_FIELDS = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_HEADER_LINES = 2

_Render = Callable[[Any], Any]


class _Field(NamedTuple):
    """A field of an internal type; without a `name` in the API, its own fields replace it."""

    title: str
    name: str
    render: _Render


def internal(type_name: str, value: Object) -> dict[str, Any]:
    """Return an object in an internal type, such as `PodSpec`: absent fields are null or zero."""
    if type_name == "LabelSelector":
        # As in the API, without empty fields.
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
    """Return the field declarations of all internal types, by type name."""
    blocks = _DATA.read_text(encoding="utf-8").split("\n\n")
    return {name: fields for name, *fields in map(str.split, blocks)}


@cache
def _fields(type_name: str) -> tuple[_Field, ...]:
    fields = []
    for declared in declared_types()[type_name]:
        if declared.startswith("+"):
            fields.append(_Field("", "", _renderer(declared[1:])))
            continue
        title, _, kind = declared.partition(":")
        title, _, name = title.partition("=")
        # The API has leading initials in lower case, such as `dnsPolicy` for `DNSPolicy`.
        name = name or _INITIALS.sub(lambda initials: initials[0].lower(), title, count=1)
        fields.append(_Field(title, name, _renderer(kind or "string")))
    return tuple(fields)


def _renderer(kind: str) -> _Render:
    """Return the function that converts values to a type: absent `*x` and `[]x` become null."""
    if kind.startswith("*"):
        render = _renderer(kind[1:])
        return lambda value: None if value is None else render(value)
    if kind.startswith("[]"):
        entry = _renderer(kind[2:])
        return lambda value: [entry(item) for item in value] if value else None
    if kind == "Quantities":
        return lambda value: (
            _sorted({k: str(parse_quantity(v)) for k, v in value.items()}) if value else None
        )
    if kind == "map":
        return lambda value: _sorted(value) if value else None
    if kind == "Quantity":
        return lambda value: "0" if value is None else str(parse_quantity(value))
    if kind == "raw":
        return lambda value: value
    if kind == "ObjectMeta":
        return lambda value: _maps_sorted(metadata_of(value))
    if kind in _ZEROS:
        return lambda value: _ZEROS[kind] if value is None else value
    return lambda value: internal(kind, value or {})


def _sorted(value: Object) -> dict[str, Any]:
    return dict(sorted(value.items()))


def _maps_sorted(value: Object) -> dict[str, Any]:
    return {k: _sorted(v) if isinstance(v, dict) else v for k, v in value.items() if v}


def difference(old: Any, new: Any) -> str:
    """Return the differing lines of two structures as JSON, with context; empty if equal."""
    lines = unified_diff(_lines(old), _lines(new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[_HEADER_LINES:])


def _lines(value: Any) -> list[str]:
    return escaped(json.dumps(value, indent=1, ensure_ascii=False)).split("\n")
