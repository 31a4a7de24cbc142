"""Fields that a list can be selected by, as text."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.objects import Object

ReadField = Callable[[Object], str]
"""Reads a field of an object as text; empty if it isn't there."""


def text(path: str) -> ReadField:
    """A text field by its path, such as `spec.nodeName`."""
    steps = path.split(".")

    def read(obj: Object) -> str:
        value: Any = obj
        for step in steps:
            value = value.get(step)
            if value is None:
                return ""
        return str(value)

    return read


def texts(*paths: str) -> Mapping[str, ReadField]:
    """Text fields that are called by their paths."""
    return {path: text(path) for path in paths}


def declared(field: str) -> tuple[str, ReadField]:
    """A field by a path, and how it is read: `spec.hostNetwork:boolean`, `spec.host:spec.nodeName`.

    A field that is `never` told may be asked for all the same.
    """
    name, _, how = field.partition(":")
    read = text(name)
    readers: Mapping[str, ReadField] = {
        "": read,
        "boolean": lambda obj: "true" if read(obj) == "True" else "false",
        "number": lambda obj: read(obj) or "0",
        "never": lambda _: "",
    }
    return name, readers.get(how) or text(how)


by_name = texts("metadata.name")
by_key = texts("metadata.name", "metadata.namespace")
