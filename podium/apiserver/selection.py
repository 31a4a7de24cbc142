"""Selections: label and field selectors of lists and watches; a kind declares its own fields."""

import re
from collections.abc import Iterator

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, labels
from podium.api.selectors.labels import EVERYTHING, Selector, SelectorError, parse_selector
from podium.apiserver.kinds.registration.registration import ReadField, text
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.refusals import bad_request

NAMESPACE = text("metadata.namespace")


class FieldTerm(msgspec.Struct, frozen=True):
    """A requirement that a field is equal to a value, or isn't."""

    field: str
    value: str
    equal: bool
    read: ReadField

    def matches(self, obj: Object) -> bool:
        """Return whether an object meets the requirement."""
        return (self.read(obj) == self.value) is self.equal


class Selection(msgspec.Struct, frozen=True):
    """The label and field requirements of a list or watch."""

    labels: Selector = EVERYTHING
    fields: tuple[FieldTerm, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Whether the selection has no requirements."""
        return self.labels.is_empty and not self.fields

    def values_of(self, field: str) -> list[str]:
        """Return the values that the selection requires a field to have."""
        return [term.value for term in self.fields if term.equal and term.field == field]

    def matches(self, obj: Object) -> bool:
        """Return whether an object is selected."""
        for term in self.fields:
            if not term.matches(obj):
                return False
        return self.labels.is_empty or self.labels.matches(labels(obj))


ALL = Selection()


def parse_selection(kind: Kind, label_text: str, field_text: str) -> Selection:
    """Parse selectors such as `app in (web, db)` and `spec.nodeName!=n`; raises RefusedError."""
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
        for escaped in _ESCAPE.findall(value):
            if escaped not in _ESCAPABLE or not escaped:
                raise bad_request(f"invalid field selector: invalid escape sequence: \\{escaped}")
        if "=" in _ESCAPE.sub("", value):
            raise bad_request("invalid field selector: unescaped character in value: =")
        if read is None:
            raise bad_request(registration.not_selectable(field))
        yield FieldTerm(field, _ESCAPE.sub(r"\1", value), sign != "!=", read)
