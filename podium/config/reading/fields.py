"""Strict reading of one object of a document: known fields only, each of its type.

As in Kubernetes' decoding, null is the same as absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from podium.api.errors import ErrorKind, FieldError

_Scalar = TypeVar("_Scalar", str, int, bool)

_TYPE_NAMES: Mapping[type, str] = {str: "a string", int: "an integer", bool: "true or false"}


@dataclass(slots=True)
class Findings:
    """What a reading has come upon so far, in reading order."""

    faults: list[FieldError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Fields:
    """The fields of one object.

    Args:
        raw: what stands where an object should; a fault if it isn't one.
        path: where it stands, empty for a document's top.
        findings: takes the faults.
        known: names of all fields that may be there, each other one is a fault; None lets any be.
    """

    def __init__(
        self, raw: object, path: str, findings: Findings, known: Sequence[str] | None
    ) -> None:
        self.path = path
        self.findings = findings
        self._values: Mapping[str, object] = raw if isinstance(raw, Mapping) else {}
        if not isinstance(raw, Mapping):
            findings.faults.append(FieldError(path, raw, "must be an object"))
        unknown = [] if known is None else [name for name in self._values if name not in known]
        for name in unknown:
            self.fault(name, f"unknown field; known: {', '.join(known or ())}", ErrorKind.FORBIDDEN)

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def fault(self, name: str, message: str, kind: ErrorKind = ErrorKind.INVALID) -> None:
        """Note what is wrong with a field's value."""
        self.findings.faults.append(FieldError(self.at(name), self.raw(name), message, kind))

    def raw(self, name: str) -> object:
        """The value as it stands, None if there is none."""
        return self._values.get(name)

    def has(self, name: str) -> bool:
        """Whether there is a value."""
        return self.raw(name) is not None

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        return self._typed(name, str, default)

    def boolean(self, name: str, default: bool = False) -> bool:
        """True or false."""
        return self._typed(name, bool, default)

    def integer(self, name: str, default: int = 0, bits: int = 32) -> int:
        """A signed integer of so many bits."""
        number = self._typed(name, int, default)
        if -(1 << bits - 1) <= number < 1 << bits - 1:
            return number
        self.fault(name, f"must fit into {bits} bits")
        return default

    def integer_in(self, name: str, default: int, low: int, high: int) -> int:
        """An integer of 32 bits that should be from `low` to `high`, both included."""
        number = self.integer(name, default)
        if not low <= number <= high:
            self.fault(name, f"must be from {low} to {high}")
        return number

    def texts(self, name: str) -> list[str]:
        """A list of strings; others in it are faults and left out."""
        found = []
        for index, item in enumerate(self._list(name)):
            if isinstance(item, str):
                found.append(item)
            else:
                path = f"{self.at(name)}[{index}]"
                self.findings.faults.append(FieldError(path, item, "must be a string"))
        return found

    def strings(self) -> dict[str, str]:
        """All fields, each of which should be a string, as in labels."""
        return {name: self.text(name) for name in self._values if self.has(name)}

    def nested(self, name: str, known: Sequence[str] | None) -> "Fields":
        """An object, without any fields if absent."""
        raw = self.raw(name) if self.has(name) else {}
        return Fields(raw, self.at(name), self.findings, known)

    def each(self, name: str, known: Sequence[str] | None) -> "list[Fields]":
        """A list of objects."""
        return [
            Fields(item, f"{self.at(name)}[{index}]", self.findings, known)
            for index, item in enumerate(self._list(name))
        ]

    def _list(self, name: str) -> Sequence[object]:
        raw = self.raw(name)
        if raw is None:
            return ()
        if isinstance(raw, Sequence) and not isinstance(raw, str):
            return raw
        self.fault(name, "must be a list")
        return ()

    def _typed(self, name: str, wanted: type[_Scalar], default: _Scalar) -> _Scalar:
        raw = self.raw(name)
        if raw is None:
            return default
        if type(raw) is wanted:
            return raw
        self.fault(name, f"must be {_TYPE_NAMES[wanted]}")
        return default
