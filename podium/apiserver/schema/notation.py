"""The notation of types in the files of `data`, one for each API group.

A file consists of blocks with a blank line between them:

    PodSpec                                        a struct
      containers* [Container] keys=name merge=name   a required list; see `ListOf`
      nodeSelector {string} atomic                   a map that is replaced as a whole
      affinity Affinity                              a type of this file
      priority? int32                                0 differs from an absent field
      failurePolicy? string fill=Fail                has a default
      resources ResourceRequirements written            written even if it is empty
      selector meta.LabelSelector replace            a type of another file
      rollingUpdate Rolling fill={} if=type:Rolling  has a default if another field has this value
    LabelSelector atomic                           a struct that is always replaced as a whole
    Container defaults                             has a function for further defaults
    ResourceList = {quantity} rounded              an alias; quantities are rounded up to 1/1000
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.apiserver.schema.model import SCALARS, Field, ListOf, MapOf, Scalar, Struct, Type

Resolve = Callable[[str], Type]
"""Returns the type of a reference."""


def read_blocks(
    text: str, resolve: Resolve, family: str = ""
) -> tuple[dict[str, Struct], dict[str, Type]]:
    """Parse the structs of a file, and its aliases of other types.

    References are resolved at the first use of a struct's fields.
    """
    structs: dict[str, Struct] = {}
    names: dict[str, Type] = {}
    for part in text.strip().split("\n\n"):
        head, *lines = part.split("\n")
        name, *words = head.split()
        if words[:1] == ["="]:
            kind = read_type(words[1], SCALARS.__getitem__)
            if isinstance(kind, MapOf):
                kind = replace(kind, is_rounded="rounded" in words)
            names[name] = kind
        else:
            structs[name] = Struct(
                name,
                "atomic" in words,
                partial(_fields, lines, resolve),
                family=family,
                has_defaults="defaults" in words,
            )
    return structs, names


def read_type(text: str, resolve: Resolve) -> Type:
    """Parse a type, such as `[Container]` or `{string}`."""
    if text.startswith("["):
        return ListOf(read_type(text[1:-1], resolve))
    if text.startswith("{"):
        return MapOf(read_type(text[1:-1], resolve))
    return SCALARS.get(text) or resolve(text)


def _fields(lines: Sequence[str], resolve: Resolve) -> Mapping[str, Field]:
    fields: dict[str, Field] = {}
    for line in lines:
        name, type_text, *flags = line.split()
        kind = read_type(type_text, resolve)
        options = {flag.partition("=")[0]: flag.partition("=")[2] for flag in flags}
        if isinstance(kind, ListOf):
            kind = replace(
                kind,
                keys=tuple(filter(None, options.get("keys", "").split(","))),
                is_set="set" in options,
                merges="merge" in options,
                merge_key=options.get("merge", ""),
                retain_keys="retainKeys" in options,
            )
        if isinstance(kind, MapOf):
            kind = replace(kind, is_atomic="atomic" in options)
        keeps_zero = name.endswith("?") or (isinstance(kind, Struct) and "written" not in options)
        written = "written" in options or name.endswith("*")
        fields[name.rstrip("*?")] = Field(
            kind,
            required=name.endswith("*"),
            keeps_zero=keeps_zero,
            written=written,
            omits_nothing=_has_nothing(kind) and not (keeps_zero or written),
            default=options.get("default"),
            fill=_literal(options["fill"]) if "fill" in options else msgspec.UNSET,
            fill_if=tuple(options["if"].split(":")) if "if" in options else (),
            is_atomic="atomic" in options,
            replaces="replace" in options,
            retain_keys="retainKeys" in options,
        )
    return fields


def _literal(text: str) -> Any:
    # A value in JSON, without blanks, or a text as it is.
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _has_nothing(kind: Type) -> bool:
    if isinstance(kind, Scalar):
        return kind.kind in ("string", "bool", "int32", "int64", "float64", "bytes")
    return isinstance(kind, ListOf | MapOf)
