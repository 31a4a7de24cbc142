"""Selections: which objects of a kind a list or a watch shows, by labels and by fields.

Any kind can be selected by name and namespace, some by further fields; a selector with another
field is refused as v1.36's conversion of that kind refuses it.
"""

import re
from collections.abc import Iterator

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, labels
from podium.api.selectors.label_selector_text import parse_selector
from podium.api.selectors.labels import EVERYTHING, Selector, SelectorError
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.kinds.registration.selectable_fields import ReadField, text
from podium.apiserver.refusals import bad_request

NAMESPACE = text("metadata.namespace")
"""The namespace of an object; empty for one that stands in none."""


class FieldTerm(msgspec.Struct, frozen=True):
    """The condition that a field equals, or differs from, a value."""

    field: str
    value: str
    equal: bool
    read: ReadField

    def matches(self, obj: Object) -> bool:
        """Whether an object meets the condition."""
        return (self.read(obj) == self.value) is self.equal


class Selection(msgspec.Struct, frozen=True):
    """Which objects of a kind are meant."""

    labels: Selector = EVERYTHING
    fields: tuple[FieldTerm, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Whether all objects are meant."""
        return self.labels.is_empty and not self.fields

    def values_of(self, field: str) -> list[str]:
        """The values that a field is to have."""
        return [term.value for term in self.fields if term.equal and term.field == field]

    def matches(self, obj: Object) -> bool:
        """Whether an object is meant."""
        for term in self.fields:
            if not term.matches(obj):
                return False
        return self.labels.is_empty or self.labels.matches(labels(obj))


ALL = Selection()


def parse_selection(kind: Kind, label_text: str, field_text: str) -> Selection:
    """The meaning of the selectors of a request, such as `app in (web, db)` and `spec.nodeName!=n`.

    Empty texts select everything. Raises RefusedError: 400, they can't be understood, or the kind
    has no such field.
    """
    try:
        labels = parse_selector(label_text) if label_text else EVERYTHING
    except SelectorError as error:
        raise bad_request(str(error)) from None
    return Selection(labels, tuple(_terms(kind, field_text)) if field_text else ())


_TERM = re.compile(r"((?:\\.|[^\\=!]|!(?!=))*?)(!=|==|=)(.*)", re.DOTALL)
_PARTS = re.compile(r"(?:\\.|[^\\,]|\\$)+", re.DOTALL)
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_ESCAPABLE = frozenset("\\,=")


def _terms(kind: Kind, selector: str) -> Iterator[FieldTerm]:
    for part in _PARTS.findall(selector):
        match = _TERM.fullmatch(part)
        if match is None:
            raise bad_request(f"invalid selector: '{selector}'; can't understand '{part}'")
        field, sign, value = match.groups()
        registration = registration_of(kind)
        read = registration.field_reader(field)
        value = _unescaped(value)
        if read is None:
            raise bad_request(registration.not_selectable(field))
        yield FieldTerm(field, value, sign != "!=", read)


def _unescaped(value: str) -> str:
    for escaped in _ESCAPE.findall(value):
        if escaped not in _ESCAPABLE or not escaped:
            raise bad_request(f"invalid field selector: invalid escape sequence: \\{escaped}")
    if "=" in _ESCAPE.sub("", value):
        raise bad_request("invalid field selector: unescaped character in value: =")
    return _ESCAPE.sub(r"\1", value)
