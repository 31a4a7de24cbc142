"""Reports that Podium writes: dataclasses from which JSON in camel case and schemas are derived."""

from dataclasses import dataclass, field, fields
from functools import cache
from operator import not_
from typing import Annotated, Any, dataclass_transform

from pydantic import ConfigDict, Field, PlainSerializer, TypeAdapter
from pydantic.alias_generators import to_camel

from podium.api.objects import Object, controller_of, key, namespace
from podium.api.pods import priority_class_of
from podium.api.priority import pod_priority

API_VERSION = "podium.dev/v1alpha1"

HIDDEN = Field(exclude=True)
"""Marks a field that JSON omits."""

IF_ANY = Field(exclude_if=not_)
"""Marks a field that JSON omits if it is empty or false."""

IF_KNOWN = Field(exclude_if=lambda value: value is None)
"""Marks a field that JSON omits if it is None."""

OrNull = Annotated[str, PlainSerializer(lambda text: text or None, return_type=str | None)]
"""A text, null in JSON if it is empty."""


def json_name(field: str) -> str:
    """Return a field's name in JSON, in camel case; a unit keeps its capitals."""
    return to_camel(field).replace("Mib", "MiB")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class ReportType(type):
    """Makes each report a frozen dataclass with slots; options of a class are dataclass's."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> Any:
        kind = super().__new__(cls, name, bases, namespace)
        # To add slots, dataclass makes the class anew.
        is_made = "__slots__" in namespace
        return kind if is_made else dataclass(frozen=True, slots=True, **options)(kind)


class Report(metaclass=ReportType):
    """The base of all reports, whose fields are called as in JSON, in snake case."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(
        alias_generator=json_name,
        arbitrary_types_allowed=True,
        json_schema_serialization_defaults_required=True,
    )


def plain(report: Report, kind: type[Report] | None = None) -> dict[str, Any]:
    """Convert a report into plain values for JSON and YAML, with the fields of `kind` if given."""
    cls: Any = kind or type(report)
    value: dict[str, Any] = _adapter(cls).dump_python(report, mode="json", by_alias=True)
    return value


_adapter = cache(TypeAdapter[Any])


class PodReport(Report, kw_only=True):
    """A pod with its owner and priority."""

    pod: str
    """The pod, `namespace/name`."""
    namespace: str = ""
    """The pod's namespace."""
    owner: Annotated[str, IF_ANY] = ""
    """The pod's controller, `Kind namespace/name`; empty if it has none."""
    priority: int = 0
    """The pod's priority."""
    priority_class: OrNull = ""
    """The name of its PriorityClass; empty if it names none."""


def report_facts(report: Report, kind: type[Report]) -> dict[str, Any]:
    """Return the values that a report has for the fields of `kind`, by name."""
    names = (field.name for field in fields(kind))
    return {name: getattr(report, name) for name in names if hasattr(report, name)}


def pod_facts(pod: Object) -> dict[str, Any]:
    """Return a pod's values for the fields of `PodReport`, by name."""
    owner = controller_of(pod)
    return {
        "pod": key(pod),
        "namespace": namespace(pod),
        "owner": f"{owner['kind']} {namespace(pod)}/{owner['name']}" if owner else "",
        "priority": pod_priority(pod),
        "priority_class": priority_class_of(pod),
    }
