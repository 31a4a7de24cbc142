"""Registrations: what the API server knows of a kind, in one value."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, without
from podium.apiserver.kinds.registration.defaulting import Filler, filled_by_schema, nothing_new
from podium.apiserver.kinds.registration.rules import Rule, all_of, changed, immutable
from podium.apiserver.kinds.registration.selectable_fields import ReadField, by_key, by_name
from podium.apiserver.kinds.registration.strategy import (
    Create,
    Creation,
    Prepare,
    Strategy,
    strategy_in,
    words_of,
)
from podium.apiserver.schema import Struct, struct_of
from podium.apiserver.validation.checks import Check, anything, fields
from podium.apiserver.validation.metadata import object_meta

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
        validate_update: finds faults of a change, if not just those of the new object.
        immutable: the paths of fields that never change, which are asked for last.
        validate_subresource_update: finds faults of changes by subresources, such as `status`.
        written: the words of the strategy, where `strategies.txt` doesn't have them.
        create: prepares a new object, which has its name, uid and time.
        update: prepares a change, before the strategy does.
        subresources: prepare changes by subresources, such as `status`.
        selectable: reads the fields that a list can be selected by, beside those of the metadata.
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
    immutable: tuple[str, ...] = ()
    validate_subresource_update: Mapping[str, Rule] = field(default_factory=dict)
    written: str = ""
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
        words = self.written or words_of(self.kind)
        return strategy_in(words, self.create, self.update, self.subresources)

    @cached_property
    def zeros(self) -> Object:
        """The fields that all objects of the kind have, empty; who they are isn't among them."""
        return without(self.struct.zeros, "metadata") if self.struct else {}

    @cached_property
    def struct(self) -> Struct | None:
        """The type of the kind's objects; None for a kind that a definition brings."""
        is_custom = isinstance(self.kind, CustomKind)
        return None if is_custom else struct_of(self.kind.api_version, self.kind.name)

    def filled(self, obj: Object) -> Object:
        """An object with its defaults; the same object where nothing is missing."""
        if self.struct and self.is_filled_by_schema:
            obj = filled_by_schema(obj, self.struct)
        filled: Object = self.defaults(obj)
        return filled

    def prepared(self, obj: Object, creation: Creation) -> Object:
        """A new object as it starts."""
        made = self.strategy.create(obj, creation)
        if not self.strategy.resets_status:
            return made
        return {**made, "status": self.zeros.get("status", {})}

    def rule(self, subresource: str) -> Rule | None:
        """What is asked of a change, by a subresource or by none; None if there is nothing."""
        if subresource:
            return self.validate_subresource_update.get(subresource)
        return self._rule

    @cached_property
    def _rule(self) -> Rule:
        rule = self.validate_update or changed(self.validate)
        return all_of(rule, *map(immutable, self.immutable)) if self.immutable else rule

    def field_reader(self, path: str) -> ReadField | None:
        """How a field that a list can be selected by is read; None if it can't be by this one."""
        is_strict = (self.selectable or self.unselectable) and not self.kind.namespaced
        return {**(by_name if is_strict else by_key), **self.selectable}.get(path)

    def not_selectable(self, path: str) -> str:
        """What is said of a field that no list can be selected by."""
        if self.unselectable or self.selectable:
            return (self.unselectable or "field label not supported: {}").format(path)
        known = ", ".join(f'"{one}"' for one in by_key)
        return f'"{path}" is not a known field selector: only {known}'
