"""Registrations: what the API server knows of a kind, in one value.

`registrations.txt` has a line of words for each kind of which there is something to say, by its
key; lines that are indented go on with the words of the kind before. Besides those of strategies:

    immutable=spec.a,spec.b  fields that never change, which are asked for last
    valid=spec               the parts of a changed object that are judged as those of a new one
    select=spec.a,spec.b     fields that a list can be selected by; see `selectable_fields`
    template=spec.template   where the template for pods stands, of which clients are warned
    names-pods               pods are called after the object, of whose name clients are warned
    numbers=replicas,ready   numbers of the status that aren't below zero
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files

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
from podium.apiserver.kinds.registration.selectable_fields import (
    ReadField,
    by_key,
    by_name,
    declared,
)
from podium.apiserver.kinds.registration.strategy import (
    Create,
    Creation,
    Prepare,
    Strategy,
    strategy_in,
)
from podium.apiserver.schema import Struct, struct_of
from podium.apiserver.validation.checks import Check, anything, fields
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.pods.pod_warnings import name_warnings, pod_warnings

metadata_alone: Check = fields(metadata=object_meta())
"""Objects of which only the metadata is judged."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Registration:
    """A kind as the API server handles it; the defaults are those of a kind without peculiarities.

    Attributes:
        defaults: fills in what the author left out, beside what the schema names (`fill=`).
        is_filled_by_schema: whether an object has the defaults of its schema first.
        defaults_of_new: fills in what is settled once, when an object is created.
        validate: finds faults of an object by itself.
        validate_new: finds further faults of an object that is created.
        validate_update: finds faults of a change, if not just those of the new object and of the
            change itself.
        validate_change: finds faults of the change itself, with the old object.
        validate_subresource_update: finds faults of changes by subresources, such as `status`.
        words: the kind's words, where `registrations.txt` doesn't have them.
        create: prepares a new object, which has its name, uid and time.
        update: prepares a change, before the strategy does.
        subresources: prepare changes by subresources, such as `status`.
        selectable: reads further fields that a list can be selected by.
        unselectable: the refusal of another field, with `{}` in its place, if not the usual one.
        warnings: for clients that create or change an object; where objects of the kind have a
            generation, only if it is new.
        warnings_of_new: further warnings at creation, by the object and what was sent.
    """

    kind: Kind
    defaults: Filler = nothing_new
    is_filled_by_schema: bool = True
    defaults_of_new: Filler = nothing_new
    validate: Check = metadata_alone
    validate_new: Check = anything
    validate_update: Rule | None = None
    validate_change: Rule | None = None
    validate_subresource_update: Mapping[str, Rule] = field(default_factory=dict)
    words: str = ""
    create: Create | None = None
    update: Prepare | None = None
    subresources: Mapping[str, Prepare] = field(default_factory=dict)
    selectable: Mapping[str, ReadField] = field(default_factory=dict)
    unselectable: str = ""
    warnings: Callable[[Object], Iterable[str]] = lambda _: ()
    warnings_of_new: Callable[[Object, Object], Iterable[str]] = lambda _obj, _sent: ()

    @cached_property
    def strategy(self) -> Strategy:
        """How objects of the kind are written."""
        return strategy_in(self._options, self.create, self.update, self.subresources)

    @cached_property
    def _options(self) -> Mapping[str, str]:
        words = self.words or words_of_kinds().get(self.kind.key, "")
        return dict(word.partition("=")[::2] for word in words.split())

    def _listed(self, word: str) -> list[str]:
        return [*filter(None, self._options.get(word, "").split(","))]

    @cached_property
    def zeros(self) -> Object:
        """The fields that all objects of the kind have, empty; who they are isn't among them."""
        return without(self.struct.zeros, "metadata") if self.struct else {}

    @cached_property
    def struct(self) -> Struct | None:
        """The type of the kind's objects; None for a kind that a definition brings."""
        is_custom = isinstance(self.kind, CustomKind)
        return None if is_custom else struct_of(self.kind.api_version, self.kind.name)

    def prepared(self, obj: Object, creation: Creation) -> Object:
        """A new object as it starts."""
        made = self.strategy.create(obj, creation)
        if not self.strategy.resets_status:
            return made
        return {**made, "status": self.zeros.get("status", {})}

    def rule(self, subresource: str) -> Rule | None:
        """What is asked of a change, by a subresource or by none; None if there is nothing."""
        return self._rules.get(subresource)

    @cached_property
    def _rules(self) -> Mapping[str, Rule]:
        by_subresource = {**self.validate_subresource_update}
        if numbers := self._listed("numbers"):
            above_zero = not_negative(*(f"status.{number}" for number in numbers))
            own = [by_subresource["status"]] if "status" in by_subresource else []
            by_subresource["status"] = all_of(metadata, above_zero, *own)
        last = [*filter(None, [self.validate_change]), *map(immutable, self._listed("immutable"))]
        whole = self.validate_update or changed(self.validate, *self._listed("valid"))
        return {**by_subresource, "": all_of(whole, *last)}

    def warned_of(self, obj: Object, sent: Object | None = None) -> Iterator[str]:
        """Warnings for a client that changes an object, or sent it to be created."""
        if place := self._options.get("template"):
            yield from pod_warnings(part(obj, *place.split(".")), place)
        yield from self.warnings(obj)
        if sent is not None:
            if "names-pods" in self._options:
                yield from name_warnings(obj)
            yield from self.warnings_of_new(obj, sent)

    def field_reader(self, path: str) -> ReadField | None:
        """How a field that a list can be selected by is read; None if it can't be by this one."""
        is_strict = (self._selectable or self.unselectable) and not self.kind.namespaced
        return {**(by_name if is_strict else by_key), **self._selectable}.get(path)

    @cached_property
    def _selectable(self) -> Mapping[str, ReadField]:
        return {**dict(map(declared, self._listed("select"))), **self.selectable}

    def not_selectable(self, path: str) -> str:
        """What is said of a field that no list can be selected by."""
        if self.unselectable or self._selectable:
            return (self.unselectable or "field label not supported: {}").format(path)
        known = ", ".join(f'"{one}"' for one in by_key)
        return f'"{path}" is not a known field selector: only {known}'


@cache
def words_of_kinds() -> Mapping[str, str]:
    """The words of built-in kinds by key."""
    data = files("podium.apiserver.kinds.registration") / "registrations.txt"
    lines = data.read_text(encoding="utf-8").replace("\n  ", " ").splitlines()
    return dict(line.split(maxsplit=1) for line in lines)
