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


def boolean(path: str) -> ReadField:
    """A field that is true or, if it isn't there, false."""
    read = text(path)
    return lambda obj: "true" if read(obj) == "True" else "false"


def number(path: str) -> ReadField:
    """A number; 0 if it isn't there."""
    read = text(path)
    return lambda obj: read(obj) or "0"


def never(_obj: Object) -> str:
    """A field that may be asked for, but that objects don't tell."""
    return ""


by_name = texts("metadata.name")
by_key = texts("metadata.name", "metadata.namespace")
