"""Registrations: everything that is specific to a kind in the API server, as a value.

`registrations.txt` has a line of options for each kind; indented lines continue the previous one.
In addition to the options of `strategy`, there are:

    immutable=spec.a,spec.b  fields that never change, checked last
    valid=spec               the parts that are checked again when an object changes; default: all
    select=spec.a,spec.b     selectable fields: `spec.a:boolean` and `spec.a:number` are of these
                             types, `spec.a:spec.b` has the value of `spec.b`, and `spec.a:never`
                             is known, but always empty
    template=spec.template   path of the pod template, for warnings
    names-pods               names of pods begin with the object's; enables a warning
    numbers=replicas,ready   fields of the status that mustn't be negative
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, part, without
from podium.apiserver.kinds.registration.defaulting import Filler, nothing_new
from podium.apiserver.kinds.registration.rules import (
    Rule,
    all_of,
    changed,
    immutable,
    metadata,
    not_negative,
)
from podium.apiserver.kinds.registration.strategy import Create, Creation, Prepare, Strategy
from podium.apiserver.schema.model import Struct
from podium.apiserver.schema.struct_types import struct_of
from podium.apiserver.validation.checks import Check, Faults, anything, fields
from podium.apiserver.validation.names import object_meta
from podium.apiserver.validation.pods.pod_warnings import name_warnings, pod_warnings

NamespaceRule = Callable[[Object, Object | None, Object], Faults]
"""Yields the faults of an object, given the stored object, if there is one, and the namespace."""
ReadField = Callable[[Object], str]
"""Returns a field of an object as text; empty if the field is absent."""


def text(path: str) -> ReadField:
    """Return a function that reads the field at a path, such as `spec.nodeName`, as text."""
    steps = path.split(".")

    def read(obj: Object) -> str:
        value: Any = obj
        for step in steps:
            value = value.get(step)
            if value is None:
                return ""
        return str(value)

    return read


def _declared(field: str) -> tuple[str, ReadField]:
    name, _, how = field.partition(":")
    read = text(name)
    readers: Mapping[str, ReadField] = {
        "": read,
        "boolean": lambda obj: "true" if read(obj) == "True" else "false",
        "number": lambda obj: read(obj) or "0",
        "never": lambda _: "",
    }
    return name, readers.get(how) or text(how)


_BY_KEY = {path: text(path) for path in ("metadata.name", "metadata.namespace")}

metadata_alone: Check = fields(metadata=object_meta())


@dataclass(frozen=True, kw_only=True, eq=False)
class Registration:
    """Everything that is specific to a kind in the API server."""

    kind: Kind
    defaults: Filler = nothing_new
    """Sets defaults in addition to those of the schema (`fill=`)."""
    is_filled_by_schema: bool = True
    """Whether the defaults of the schema are set first."""
    defaults_of_new: Filler = nothing_new
    validate: Check = metadata_alone
    validate_new: Check = anything
    validate_update: Rule | None = None
    """Rule for changes; by default, `validate` and the rule for metadata."""
    validate_change: Rule | None = None
    """Further rule for changes."""
    validate_subresource_update: Mapping[str, Rule] = field(default_factory=dict)
    namespace_rules: Mapping[str, NamespaceRule] = field(default_factory=dict)
    """Further rules that depend on the namespace: under `""` for new objects, and for changes of
    subresources."""
    words: str = ""
    """Options of the kind, unless they are in `registrations.txt`."""
    create: Create | None = None
    """Prepares a new object, which already has its name, uid and time."""
    update: Prepare | None = None
    """Prepares a change, before the strategy does; `subresources`, those of subresources."""
    subresources: Mapping[str, Prepare] = field(default_factory=dict)
    selectable: Mapping[str, ReadField] = field(default_factory=dict)
    unselectable: str = ""
    """Custom message on other fields, with `{}` for the field."""
    warnings: Callable[[Object], Iterable[str]] = lambda _: ()
    """Warnings for clients that create or change an object; if the kind has generations, only if
    the generation changes."""
    warnings_of_new: Callable[[Object, Object], Iterable[str]] = lambda _obj, _sent: ()
    """Further warnings on a new object, given the stored and the sent object."""

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy of the kind."""
        return Strategy(self._options, self.create, self.update, self.subresources)

    @cached_property
    def _options(self) -> Mapping[str, str]:
        words = self.words or words_of_kinds().get(self.kind.key, "")
        return dict(word.partition("=")[::2] for word in words.split())

    def _listed(self, word: str) -> list[str]:
        return [*filter(None, self._options.get(word, "").split(","))]

    @cached_property
    def zeros(self) -> Object:
        """The fields that are always written, with their empty values; without metadata."""
        return without(self.struct.zeros, "metadata") if self.struct else {}

    @cached_property
    def struct(self) -> Struct | None:
        """The schema type of the kind's objects; None for custom kinds."""
        is_custom = isinstance(self.kind, CustomKind)
        return None if is_custom else struct_of(self.kind.api_version, self.kind.name)

    def prepared(self, obj: Object, creation: Creation) -> Object:
        """Return a new object prepared for validation."""
        made = self.strategy.create(obj, creation)
        if "reset" not in self._options:
            return made
        return {**made, "status": self.zeros.get("status", {})}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rules for changes by subresource; the key `""` has the rule for the object itself."""
        by_subresource = {**self.validate_subresource_update}
        if numbers := self._listed("numbers"):
            above_zero = not_negative(*(f"status.{number}" for number in numbers))
            own = [by_subresource["status"]] if "status" in by_subresource else []
            by_subresource["status"] = all_of(metadata, above_zero, *own)
        last = [*filter(None, [self.validate_change]), *map(immutable, self._listed("immutable"))]
        whole = self.validate_update or changed(self.validate, *self._listed("valid"))
        return {**by_subresource, "": all_of(whole, *last)}

    def warned_of(self, obj: Object, sent: Object | None = None) -> Iterator[str]:
        """Yield the warnings for a client that changed an object or, with `sent`, created it."""
        if place := self._options.get("template"):
            yield from pod_warnings(part(obj, *place.split(".")), place)
        yield from self.warnings(obj)
        if sent is not None:
            if "names-pods" in self._options:
                yield from name_warnings(obj)
            yield from self.warnings_of_new(obj, sent)

    def field_reader(self, path: str) -> ReadField | None:
        """Return the reader of a selectable field; None if the field isn't selectable."""
        is_strict = (self._selectable or self.unselectable) and not self.kind.namespaced
        usual = without(_BY_KEY, "metadata.namespace") if is_strict else _BY_KEY
        return {**usual, **self._selectable}.get(path)

    @cached_property
    def _selectable(self) -> Mapping[str, ReadField]:
        return {**dict(map(_declared, self._listed("select"))), **self.selectable}

    def not_selectable(self, path: str) -> str:
        """Return the message on a field that isn't selectable."""
        if self.unselectable or self._selectable:
            return (self.unselectable or "field label not supported: {}").format(path)
        known = ", ".join(f'"{field}"' for field in _BY_KEY)
        return f'"{path}" is not a known field selector: only {known}'


@cache
def words_of_kinds() -> Mapping[str, str]:
    """Return the options of built-in kinds in `registrations.txt`, by kind key."""
    data = files("podium.apiserver.kinds.registration") / "registrations.txt"
    lines = data.read_text(encoding="utf-8").replace("\n  ", " ").splitlines()
    return dict(line.split(maxsplit=1) for line in lines)
