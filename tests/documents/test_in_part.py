"""Contradictions are told beside other faults, where the fields that they concern are right."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any

import pytest

from podium.api.errors import FieldError
from podium.documents import Document, Range, Tuple, decode


class Span(Document):
    """From here to there."""

    first: Annotated[int, Range(0)]
    last: Annotated[int, Range(0)] = 9
    called: str | None = None

    def contradictions(self) -> Iterator[FieldError]:
        if self.last < self.first:
            yield FieldError("last", self.last, "comes before first")


class Spans(Document):
    """Some of them, and which is whose."""

    spans: Tuple[Span] = ()
    owners: dict[str, Span] | None = None
    most: int = 2
    least: int = 0

    def contradictions(self) -> Iterator[FieldError]:
        return chain(self._counts(), self._names())

    def _counts(self) -> Iterator[FieldError]:
        if self.gives("most") and self.most < self.least:
            yield FieldError("most", self.most, "is too few")

    def _names(self) -> Iterator[FieldError]:
        names = [one.called for one in self.spans]
        if len(set(names)) < len(names):
            yield FieldError("spans", names, "are called alike")


BAD, BACKWARDS = {"first": "x"}, {"first": 1, "last": 0}
ALIKE = ["spans: are called alike"]
COUNTS = {"most": 1, "least": 2}
WRONG = "spans[0].first: must be an integer"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"spans": [BACKWARDS], **COUNTS}, ["most: is too few", "spans[0].last: comes before"]),
        ({"spans": [{"first": -1, "last": 0}]}, ["spans[0].first: must be at least 0"]),
        ({"spans": [{"last": 0}]}, ["spans[0].first: "]),
        ({"spans": [BAD, {"first": 1}]}, [*ALIKE, WRONG]),
        (
            {"spans": [BAD, {**BACKWARDS, "called": 1}]},
            [WRONG, "spans[1].last: comes before first", "spans[1].called: must be a string"],
        ),
        ({"spans": [BAD], **COUNTS}, ["most: is too few", WRONG]),
        ({"spans": 1, **COUNTS}, ["most: is too few", "spans: must be a list"]),
        ({"spans": [1], **COUNTS}, ["most: is too few", "spans[0]: must be an object"]),
        ({"owners": {"a": BAD}, **COUNTS}, ["most: is too few", "owners.a.first: must be an"]),
        ({"most": "x", "least": 3}, ["most: must be an integer"]),
        ({"least": 3, "other": 1, "most": 1}, ["most: is too few", "other: unknown field"]),
        (1, [": must be an object"]),
    ],
)
def test_what_is_told(value: Any, expected: list[str]) -> None:
    found = [f"{one.field}: {one.message}" for one in decode(Spans, value).faults]
    assert len(found) == len(expected), found
    assert all(text.startswith(start) for text, start in zip(found, expected, strict=True)), found
