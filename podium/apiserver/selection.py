"""Selections: which objects of a kind a list or a watch shows, by labels and by fields.

Any kind can be selected by name and namespace, some by further fields; a selector with another
field is refused as v1.36's conversion of that kind refuses it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.api.custom_kinds import CustomKind
from podium.api.kinds import Kind
from podium.api.label_text import parse_selector
from podium.api.labels import EVERYTHING, Selector, SelectorError
from podium.api.objects import Object, status_of
from podium.apiserver.custom.json_paths import steps
from podium.apiserver.refusals import bad_request

ReadField = Callable[[Object], str]


def _at(*path: str) -> ReadField:
    """A text field by its path; empty if it isn't there."""

    def read(obj: Object) -> str:
        value: Any = obj
        for step in path:
            value = value.get(step)
            if value is None:
                return ""
        return str(value)

    return read


def _flag(*path: str) -> ReadField:
    read = _at(*path)
    return lambda obj: "true" if read(obj) == "True" else "false"


def _count(*path: str) -> ReadField:
    read = _at(*path)
    return lambda obj: read(obj) or "0"


def _pod_ip(pod: Object) -> str:
    addresses = status_of(pod).get("podIPs")
    return str(addresses[0].get("ip", "")) if addresses else _at("status", "podIP")(pod)


def _never(_obj: Object) -> str:
    """A field that may be asked for, but that objects don't tell."""
    return ""


NAMESPACE = _at("metadata", "namespace")
"""The namespace of an object; empty for one that stands in none."""

_NAME = _at("metadata", "name")
_BY_NAME = {"metadata.name": _NAME}
_BY_KEY = {"metadata.name": _NAME, "metadata.namespace": NAMESPACE}
_REFERENCE_FIELDS = (
    "kind",
    "namespace",
    "name",
    "uid",
    "apiVersion",
    "resourceVersion",
    "fieldPath",
)
_REPORTER = _at("reportingComponent")

FIELDS: Mapping[str, Mapping[str, ReadField]] = {
    "Pod": {
        **_BY_KEY,
        "spec.nodeName": _at("spec", "nodeName"),
        "spec.host": _at("spec", "nodeName"),
        "spec.restartPolicy": _at("spec", "restartPolicy"),
        "spec.schedulerName": _at("spec", "schedulerName"),
        "spec.serviceAccountName": _at("spec", "serviceAccountName"),
        "spec.hostNetwork": _flag("spec", "hostNetwork"),
        "status.phase": _at("status", "phase"),
        "status.podIP": _pod_ip,
        "status.podIPs": _never,
        "status.nominatedNodeName": _at("status", "nominatedNodeName"),
    },
    "Node": {**_BY_NAME, "spec.unschedulable": _flag("spec", "unschedulable")},
    "Namespace": {**_BY_NAME, "status.phase": _at("status", "phase")},
    "ReplicationController": {**_BY_KEY, "status.replicas": _count("status", "replicas")},
    "Secret": {**_BY_KEY, "type": _at("type")},
    "Service": {
        **_BY_KEY,
        "spec.clusterIP": _at("spec", "clusterIP"),
        "spec.type": _at("spec", "type"),
    },
    "Event": {
        **_BY_KEY,
        **{f"involvedObject.{one}": _at("involvedObject", one) for one in _REFERENCE_FIELDS},
        **{f"regarding.{one}": _at("involvedObject", one) for one in _REFERENCE_FIELDS},
        "reason": _at("reason"),
        "type": _at("type"),
        "reportingComponent": _REPORTER,
        "reportingController": _REPORTER,
        "source": lambda event: _at("source", "component")(event) or _REPORTER(event),
    },
    "Job": {**_BY_KEY, "status.successful": _count("status", "succeeded")},
    "StatefulSet": {**_BY_KEY, "status.successful": _never},
    "ResourceSlice": {
        **_BY_NAME,
        "spec.nodeName": _at("spec", "nodeName"),
        "spec.driver": _at("spec", "driver"),
    },
}
"""What each kind can be selected by; kinds that aren't named here, by name and namespace."""


def fields_of(kind: Kind) -> Mapping[str, ReadField]:
    """What a kind can be selected by, wherever it comes from."""
    if not isinstance(kind, CustomKind):
        return FIELDS.get(kind.key, _BY_KEY)
    paths = [one["jsonPath"] for one in kind.definition.get("selectableFields") or ()]
    declared = {".".join(steps(path)): _written(*steps(path)) for path in paths}
    return {**(_BY_KEY if kind.namespaced else _BY_NAME), **declared}


def _written(*path: str) -> ReadField:
    """A field of any type as JSON has it."""
    read = _at(*path)
    words = {"True": "true", "False": "false"}
    return lambda obj: words.get(read(obj), read(obj))


_UNSUPPORTED = {
    "Job": 'field label "{}" not supported for batchv1.Job',
    "StatefulSet": "field label not supported for appsv1.StatefulSet: {}",
    "ResourceSlice": "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {}",
}


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """One condition on a field.

    Attributes:
        field: its path, as in a selector's text.
        value: what it is compared with.
        equal: whether it must be equal, or differ.
        read: takes the field from an object.
    """

    field: str
    value: str
    equal: bool
    read: ReadField

    def matches(self, obj: Object) -> bool:
        """Whether an object meets the condition."""
        return (self.read(obj) == self.value) is self.equal


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a kind are meant.

    Attributes:
        labels: what their labels must be.
        fields: what their fields must be; all of the terms.
    """

    labels: Selector = EVERYTHING
    fields: tuple[FieldTerm, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Whether all objects are meant."""
        return self.labels.is_empty and not self.fields

    def matches(self, obj: Object) -> bool:
        """Whether an object is meant."""
        for term in self.fields:
            if not term.matches(obj):
                return False
        return self.labels.is_empty or self.labels.matches(obj["metadata"].get("labels") or {})


ALL = Selection()


def parse_selection(kind: Kind, label_text: str, field_text: str) -> Selection:
    """The meaning of the selectors of a request.

    Args:
        kind: what is to be selected.
        label_text: such as `app in (web, db)`; empty selects everything.
        field_text: such as `spec.nodeName=n,status.phase!=Failed`; empty selects everything.

    Raises:
        Refused: 400, the texts can't be understood, or the kind has no such field.
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


def _terms(kind: Kind, text: str) -> Iterator[FieldTerm]:
    for part in _PARTS.findall(text):
        match = _TERM.fullmatch(part)
        if match is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        field, sign, value = match.groups()
        read = fields_of(kind).get(field)
        value = _unescaped(value)
        if read is None:
            raise bad_request(_unsupported(kind, field))
        yield FieldTerm(field, value, sign != "!=", read)


def _unescaped(value: str) -> str:
    for escaped in _ESCAPE.findall(value):
        if escaped not in _ESCAPABLE or not escaped:
            raise bad_request(f"invalid field selector: invalid escape sequence: \\{escaped}")
    if "=" in _ESCAPE.sub("", value):
        raise bad_request("invalid field selector: unescaped character in value: =")
    return _ESCAPE.sub(r"\1", value)


def _unsupported(kind: Kind, field: str) -> str:
    if kind.key not in FIELDS and not isinstance(kind, CustomKind):
        known = ", ".join(f'"{one}"' for one in _BY_KEY)
        return f'"{field}" is not a known field selector: only {known}'
    return _UNSUPPORTED.get(kind.key, "field label not supported: {}").format(field)
