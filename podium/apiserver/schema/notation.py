"""The notation of the types: one file an API group, read as little at a time as possible.

A file consists of blocks with a blank line between them:

    PodSpec                                        a struct
      containers* [Container] keys=name merge=name   a required list; see `ListOf`
      nodeSelector {string} atomic                   a map that is taken as a whole
      affinity Affinity                              a type of this file
      priority? int32                                0 isn't the same as nothing
      failurePolicy? string fill=Fail                stored where the author sets nothing
      resources ResourceRequirements told            written even if there is nothing in it
      selector meta.LabelSelector replace            a type of another file
    LabelSelector atomic                           a struct that is always taken as a whole
    ResourceList = {quantity}                      a name for a type
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.apiserver.schema.model import (
    SCALAR_KINDS,
    Field,
    ListOf,
    MapOf,
    Scalar,
    Struct,
    Type,
)

Resolve = Callable[[str], Type]
"""From a reference to the type."""

_SCALARS: Mapping[str, Type] = {kind: Scalar(kind) for kind in SCALAR_KINDS}


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one struct, a line for each field."""

    name: str
    is_atomic: bool
    lines: Sequence[str]

    def struct(self, resolve: Resolve, family: str = "") -> Struct:
        """The struct; references are resolved when its fields are first asked for."""

        def read_fields() -> Mapping[str, Field]:
            return dict(_fields(self.lines, resolve))

        return Struct(self.name, self.is_atomic, read_fields, family=family)


def read_blocks(text: str) -> tuple[dict[str, Block], dict[str, Type]]:
    """The structs of a file, unread, and the names that it gives to other types."""
    blocks: dict[str, Block] = {}
    names: dict[str, Type] = {}
    for part in text.strip().split("\n\n"):
        head, *lines = part.split("\n")
        words = head.split()
        if words[1:2] == ["="]:
            names[words[0]] = read_type(words[2], _SCALARS.__getitem__)
        else:
            blocks[words[0]] = Block(words[0], "atomic" in words, lines)
    return blocks, names


def read_type(text: str, resolve: Resolve) -> Type:
    """The type that stands for itself in the notation, such as `[Container]` or `{string}`."""
    if text.startswith("["):
        return ListOf(read_type(text[1:-1], resolve))
    if text.startswith("{"):
        return MapOf(read_type(text[1:-1], resolve))
    return _SCALARS.get(text) or resolve(text)


def _fields(lines: Sequence[str], resolve: Resolve) -> Iterator[tuple[str, Field]]:
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
        keeps_zero = name.endswith("?") or (isinstance(kind, Struct) and "told" not in options)
        told = "told" in options or name.endswith("*")
        yield (
            name.rstrip("*?"),
            Field(
                kind,
                required=name.endswith("*"),
                keeps_zero=keeps_zero,
                told=told,
                omits_nothing=_has_nothing(kind) and not (keeps_zero or told),
                default=options.get("default"),
                fill=_literal(options["fill"]) if "fill" in options else msgspec.UNSET,
                is_atomic="atomic" in options,
                replaces="replace" in options,
                retain_keys="retainKeys" in options,
            ),
        )


def _literal(text: str) -> Any:
    """A value as JSON has it, without blanks; a word that isn't JSON stands for itself."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _has_nothing(kind: Type) -> bool:
    if isinstance(kind, Scalar):
        return kind.kind in ("string", "bool", "int32", "int64", "float64", "bytes")
    return isinstance(kind, ListOf | MapOf)
