"""The types of fields: scalars, lists, maps, and structs with named fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Scalar:
    """The type of a value without parts, such as a string or a quantity."""

    kind: str
    """Name of the type in the notation."""
    expected: str
    """Noun for messages on values of other types."""
    zero: Any = None
    """Value of an absent field."""
    plain: type | None = None
    """Python type whose values all have this type; None if there is none."""


SCALARS: Mapping[str, Scalar] = {
    scalar.kind: scalar
    for scalar in (
        Scalar("string", "a string", "", str),
        Scalar("bool", "true or false", False, bool),
        Scalar("int32", "an integer of 32 bits", 0),
        Scalar("int64", "an integer of 64 bits", 0),
        Scalar("float64", "a number", 0),
        Scalar("quantity", "a quantity", "0"),
        Scalar("intorstring", "an integer of 32 bits or a string", 0),
        Scalar("time", "a time"),
        Scalar("microtime", "a time"),
        Scalar("bytes", "a string of bytes in base64", ""),
        # Any value, which is stored as it is.
        Scalar("any", "an object"),
    )
}


class ListOf(msgspec.Struct, frozen=True):
    """The type of a list, and how server-side apply and strategic merge patches merge it."""

    items: "Type"
    keys: tuple[str, ...] = ()
    """Fields by which server-side apply merges entries; if empty, see `is_set`."""
    is_set: bool = False
    """Whether server-side apply merges entries as a set, instead of replacing the list."""
    merges: bool = False
    """Whether a strategic merge patch merges entries, instead of replacing the list."""
    merge_key: str = ""
    """Field by which the patch finds entries; empty for scalars."""
    retain_keys: bool = False
    """Whether entries are unions, whose alternatives `$retainKeys` removes."""

    @property
    def is_atomic(self) -> bool:
        """Whether server-side apply replaces the list as a whole."""
        return not self.keys and not self.is_set


class MapOf(msgspec.Struct, frozen=True):
    """The type of a map with string keys."""

    values: "Type"
    is_atomic: bool = False
    """Whether server-side apply replaces the map as a whole."""
    is_rounded: bool = False
    """Whether quantities are stored in thousandths, rounded up."""


class Field(msgspec.Struct, frozen=True):
    """A field of a struct: its type, its default, and how patches merge it."""

    type: "Type"
    required: bool = False
    keeps_zero: bool = False
    """Whether a zero value differs from an absent field, as of a pointer in Go."""
    written: bool = False
    """Whether an absent or empty field is written nevertheless (no `omitempty`)."""
    omits_nothing: bool = False
    """Whether empty and zero values are dropped before the object is stored."""
    default: str | None = None
    """Value of an absent key field, by which items of a list are matched."""
    fill: Any = msgspec.UNSET
    """Default of the field; of an object, defaults of absent fields within it."""
    fill_if: tuple[str, ...] = ()
    """A field and the value it needs for `fill` to apply; empty for no condition."""
    is_atomic: bool = False
    """Whether server-side apply replaces a struct in the field as a whole."""
    replaces: bool = False
    """Whether a strategic merge patch replaces the value instead of merging."""
    retain_keys: bool = False
    """Whether the patch strategy is `retainKeys`, for unions."""


@dataclass(eq=False)
class Struct:
    """The type of an object with named fields, which are parsed at their first use."""

    name: str
    is_atomic: bool
    """Whether server-side apply always replaces the object as a whole."""
    read_fields: Callable[[], Mapping[str, Field]]
    family: str = ""
    """First word of the API group, such as `apps`; `core`, `meta`, or empty."""
    is_open: bool = field(default=False, kw_only=True)
    """Whether the object may have unknown fields."""
    has_defaults: bool = field(default=False, kw_only=True)
    """Whether a function in `defaulting.DEFAULTS` sets further defaults."""
    _is_searched: bool = False

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """The fields by name, in alphabetical order."""
        return self.read_fields()

    @cached_property
    def fills(self) -> Mapping[str, Field]:
        """The fields that have defaults or contain such fields; those with conditions are last.

        A recursive type has no defaults within itself.
        """
        if self._is_searched:
            return {}
        self._is_searched = True
        fields = {
            name: part
            for name, part in self.fields.items()
            if part.fill is not msgspec.UNSET or _has_fills(part.type)
        }
        self._is_searched = False
        return dict(sorted(fields.items(), key=lambda item: bool(item[1].fill_if)))

    @cached_property
    def always(self) -> Mapping[str, Any]:
        """The fields that are always stored, with their values if unset.

        These are required strings, and quantities and structs that are always written, except spec
        (whose absence is a fault) and status (which clients don't set).
        """
        values: dict[str, Any] = {}
        for name, part in self.fields.items():
            of = part.type
            if isinstance(of, Scalar):
                is_text = of.kind == "string" and part.required
                if is_text or (of.kind == "quantity" and part.written and not part.required):
                    values[name] = of.zero
            elif isinstance(of, Struct) and not part.keeps_zero and name not in ("spec", "status"):
                values[name] = dict(of.always)
        return values

    @cached_property
    def zeros(self) -> Mapping[str, Any]:
        """The fields that are written even if absent, with their values in that case."""
        values: dict[str, Any] = {}
        for name, part in self.fields.items():
            of = part.type
            if part.written and isinstance(of, Struct):
                values[name] = None if part.keeps_zero else of.zeros
            elif part.written:
                values[name] = of.zero if isinstance(of, Scalar) else None
        return values


def _has_fills(of: "Type") -> bool:
    if isinstance(of, Struct):
        return of.has_defaults or bool(of.fills)
    if isinstance(of, MapOf):
        return of.is_rounded or _has_fills(of.values)
    return isinstance(of, ListOf) and _has_fills(of.items)


Type = Scalar | ListOf | MapOf | Struct
