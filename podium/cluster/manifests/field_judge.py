"""Validation of an object's fields: unknown and repeated fields, and values of wrong types.

The rules are those of kube-apiserver with `fieldValidation=Strict`.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import OMITTED
from podium.api.objects import Object
from podium.apiserver.decoding.type_checker import Checker, DecodingError
from podium.apiserver.schema.struct_types import struct_of

_SIMILAR = 0.6
_WORDS = {True: "true, y, yes and on", False: "false, n, no and off"}


class FieldJudge:
    """Validates the fields of objects that are applied, or that are part of a cluster state.

    Objects of a state that have a uid come from an API server, and aren't validated again.
    """

    def __init__(self, validation: FieldValidation, *, is_applied: bool) -> None:
        self.is_applied = is_applied
        self.ignores = validation is FieldValidation.IGNORE
        self.is_strict = validation is FieldValidation.STRICT

    def faults(self, obj: Object) -> tuple[Sequence[str], str]:
        """Return messages about unknown and repeated fields, and about the first wrong type.

        Both are empty for custom resources, whose types are unknown.
        """
        struct = struct_of(obj["apiVersion"], obj["kind"])
        is_trusted = not self.is_applied and "uid" in obj["metadata"]
        if struct is None or is_trusted:
            return (), ""
        checker, mismatch = _SuggestingChecker(), ""
        try:
            checker.check(obj, struct)
        except DecodingError as error:
            names_value = error.fault.value is OMITTED
            mismatch = f"{error if names_value else error.fault}{checker.hint}"
        return () if self.ignores else checker.strict, mismatch


STRICT_JUDGE = FieldJudge(FieldValidation.STRICT, is_applied=False)
"""Judges states that were written by hand."""


class _SuggestingChecker(Checker):
    """Suggests a known field for an unknown one."""

    hint = ""
    """End of the message about the first value of a wrong type, such as `; quote it`."""
    _has_mismatch = False

    def unknown(self, name: str, path: str, known: Iterable[str]) -> str:
        by_lower = {one.lower(): one for one in known}
        close = get_close_matches(name.lower(), by_lower, n=1, cutoff=_SIMILAR)
        similar = by_lower[close[0]] if close else ""
        return f".{path}: unknown field" + (f"; did you mean {similar}?" if similar else "")

    def duplicate(self, path: str) -> str:
        return f".{path}: stands twice"

    def mismatch(self, value: Any, of: Any, at: Any) -> None:
        # A number or boolean may have been meant as text.
        if not self._has_mismatch and getattr(of, "kind", "") == "string":
            if type(value) is bool:
                self.hint = f"; YAML reads {_WORDS[value]} without quotes as {str(value).lower()}"
            if isinstance(value, int | float):
                self.hint += ": quote it" if self.hint else "; quote it"
        self._has_mismatch = True
        super().mismatch(value, of, at)
