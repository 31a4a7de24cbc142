"""Documents: what is read, and everything that is wrong at once."""

from collections.abc import Iterator
from typing import Annotated

import pytest
from pydantic import Field

from podium.api.documents import document
from podium.api.errors import FieldError


class Part(document.Document):
    """A part of the document."""

    name: Annotated[str, document.Required("the name of the part")]
    least_size: Annotated[int, document.Range(1)] = 1
    most_size: Annotated[int, document.Bits(32)] = 5

    def contradictions(self) -> Iterator[FieldError]:
        if self.most_size < self.least_size:
            yield FieldError("mostSize", self.most_size, "must be at least leastSize")


class Whole(document.Document):
    """The document."""

    parts: document.Tuple[Part] = ()
    one: Part | None = None
    tags: document.FrozenSet[str] = frozenset()
    after: document.Duration = 0.0
    order: Annotated[str, document.Choice(("Up", "Down"))] = "Up"
    share: Annotated[int, document.Range(0, 100)] = 0
    keys: Annotated[
        document.Tuple[Annotated[str, document.Choice(("A", "B"))]], Field(min_length=1)
    ] = ("A",)


def faults(value: object) -> list[str]:
    found = document.decode(Whole, value)
    assert (found.document is None) == bool(found.faults)
    return [str(one) for one in found.faults]


def test_values_are_taken_over() -> None:
    found = document.decode(
        Whole,
        {
            "parts": [{"name": "a", "leastSize": 2}],
            "tags": ["x", "x"],
            "after": "1m30s",
            "one": None,
        },
    ).document
    assert found == Whole(
        parts=(Part(name="a", least_size=2),), tags=frozenset({"x"}), after="1m30s"
    )
    assert found.after == 90
    assert found.gives("parts")
    assert not found.gives("order", "one")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], ["Invalid value: []: must be an object"]),
        ({"parts": {}}, ["parts: Invalid value: {}: must be a list"]),
        ({"tags": "x"}, ['tags: Invalid value: "x": must be a list']),
        ({"parts": ["a"]}, ['parts[0]: Invalid value: "a": must be an object']),
        ({"parts": [{}]}, ["parts[0].name: Required value: the name of the part"]),
        ({"one": {"name": ""}}, ["one.name: Required value: the name of the part"]),
        ({"one": {"name": 1}}, ["one.name: Invalid value: 1: must be a string"]),
        (
            {"one": {"name": "a", "Size": 1}},
            ["one.Size: Forbidden: unknown field; known: name, leastSize, mostSize"],
        ),
        ({"least_size": 1}, ["least_size: Forbidden: unknown field; known: parts, one, tags, "]),
        ({"share": 101}, ["share: Invalid value: 101: must be from 0 to 100"]),
        ({"share": True}, ["share: Invalid value: true: must be an integer"]),
        ({"share": "5"}, ['share: Invalid value: "5": must be an integer']),
        ({"share": 1.5}, ["share: Invalid value: 1.5: must be an integer"]),
        ({"order": "up"}, ['order: Unsupported value: "up": supported values: "Up", "Down"']),
        ({"after": 5}, ["after: Invalid value: 5: must be a duration such as "]),
        ({"after": "-1s"}, ['after: Invalid value: "-1s": must be a duration such as ']),
        (
            {"one": {"name": "a", "mostSize": 2**31}},
            ["one.mostSize: Invalid value: 2147483648: must fit into 32 bits"],
        ),
        (
            {"parts": [{"name": "a", "leastSize": 9}]},
            ["parts[0].mostSize: Invalid value: 5: must be at least leastSize"],
        ),
        (
            {"parts": [{"name": "a", "leastSize": 0}, {"name": 1}], "share": -1},
            [
                "parts[0].leastSize: Invalid value: 0: must be at least 1",
                "parts[1].name: Invalid value: 1: must be a string",
                "share: Invalid value: -1: must be from 0 to 100",
            ],
        ),
    ],
)
def test_faults(value: object, expected: list[str]) -> None:
    found = faults(value)
    assert len(found) == len(expected)
    assert all(text.startswith(start) for text, start in zip(found, expected, strict=True)), found


def test_faults_stand_under_a_path() -> None:
    (fault,) = document.decode(Part, {"name": ""}, "spec.part").faults
    assert fault.field == "spec.part.name"


def test_schemas_say_what_is_accepted() -> None:
    properties = Whole.model_json_schema()["properties"]
    assert properties["order"]["enum"] == ["Up", "Down"]
    assert (properties["share"]["minimum"], properties["share"]["maximum"]) == (0, 100)
    assert properties["after"]["format"] == "duration"


def test_a_list_that_is_only_short_of_its_wrong_items_is_told_once() -> None:
    assert faults({"keys": ["C"]}) == [
        'keys[0]: Unsupported value: "C": supported values: "A", "B"'
    ]
    assert faults({"keys": []}) == ["keys: Invalid value: []: must not be empty"]
