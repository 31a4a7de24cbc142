"""Label selectors: what they match, and what makes them errors."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.selectors.labels import _NAME_RULE as NAME_RULE
from podium.api.selectors.labels import _VALUE_RULE as VALUE_RULE
from podium.api.selectors.labels import (
    EVERYTHING,
    NOTHING,
    Operator,
    Requirement,
    Selector,
    SelectorError,
    equality_selector,
    label_selector,
    validate_label_key,
    validate_label_value,
    validate_subdomain,
)


@pytest.mark.parametrize(
    ("operator", "values", "value", "matches"),
    [
        ("In", ("a", "b"), "b", True),
        ("In", ("a", "b"), "c", False),
        ("In", ("a",), None, False),
        ("In", ("",), "", True),
        ("In", ("",), None, False),
        ("NotIn", ("a",), "b", True),
        ("NotIn", ("a",), "a", False),
        ("NotIn", ("a",), None, True),
        ("Exists", (), "", True),
        ("Exists", (), None, False),
        ("DoesNotExist", (), None, True),
        ("DoesNotExist", (), "", False),
        ("Gt", ("5",), "6", True),
        ("Gt", ("5",), "5", False),
        ("Gt", ("5",), None, False),
        ("Gt", ("5",), "six", False),
        ("Gt", ("5",), "6_0", False),
        ("Gt", ("5",), " 6", False),
        ("Gt", ("5",), "9223372036854775807", True),
        ("Gt", ("5",), "9223372036854775808", False),
        ("Lt", ("5",), "-4", True),
        ("Lt", ("5",), "+4", True),
        ("Lt", ("5",), "005", False),
        ("Lt", ("five",), "4", False),
    ],
)
def test_requirement(
    operator: Operator, values: tuple[str, ...], value: str | None, matches: bool
) -> None:
    assert Requirement("key", operator, values).matches(value) is matches


def test_absent_and_empty_selectors() -> None:
    assert label_selector(None) == NOTHING
    assert label_selector({}) == label_selector({"matchLabels": None}) == EVERYTHING
    assert (NOTHING.is_empty, NOTHING.matches_nothing) == (False, True)
    assert (EVERYTHING.is_empty, EVERYTHING.matches_nothing) == (True, False)
    assert EVERYTHING.matches({})
    assert not NOTHING.matches({})


def test_a_plain_map_is_not_validated() -> None:
    assert equality_selector({"not valid": "at all!"}).matches({"not valid": "at all!"})
    assert equality_selector(None) == equality_selector({}) == EVERYTHING


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            {"matchLabels": {"service": "{{.bad-value.}}"}},
            f'values[0][service]: Invalid value: "{{{{.bad-value.}}}}": {VALUE_RULE}',
        ),
        (
            {"matchLabels": {"z": "ok", "a b": "ok"}},
            f'key: Invalid value: "a b": name part {NAME_RULE}',
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Like", "values": ["b"]}]},
            '"Like" is not a valid label selector operator',
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
            '"Gt" is not a valid label selector operator',
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "In", "values": []}]},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
            'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
        ),
        (
            {"matchExpressions": [{"key": "", "operator": "DoesNotExist"}]},
            f'key: Invalid value: "": name part must be non-empty; name part {NAME_RULE}',
        ),
        ({"matchLabels": {"a": 1}}, "values[0][a]: Invalid value: 1: must be a string"),
        (
            {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b!", "c", "d!"]}]},
            f'[values[0][a]: Invalid value: "b!": {VALUE_RULE}, '
            f'values[2][a]: Invalid value: "d!": {VALUE_RULE}]',
        ),
    ],
)
def test_errors(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(SelectorError) as caught:
        label_selector(raw)
    assert str(caught.value) == message


@pytest.mark.parametrize("key", ["a", "A.b_c-9", "example.com/a", "a" * 63, "x.y/" + "a" * 63])
def test_valid_keys(key: str) -> None:
    assert validate_label_key(key) == []


@pytest.mark.parametrize(
    ("key", "faults"),
    [
        ("a" * 64, ["name part must be no more than 63 bytes"]),
        ("/a", ["prefix part must be non-empty"]),
        ("example.com/", ["name part must be non-empty", f"name part {NAME_RULE}"]),
        (
            "a/b/c",
            [
                f"a valid label key {NAME_RULE} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')"
            ],
        ),
    ],
)
def test_invalid_keys(key: str, faults: list[str]) -> None:
    assert validate_label_key(key) == faults


def test_a_prefix_is_a_subdomain() -> None:
    faults = validate_label_key("No_Good/a")
    assert faults == [f"prefix part {fault}" for fault in validate_subdomain("No_Good")]
    assert len(faults) == 1
    assert validate_subdomain("a" * 254) == ["must be no more than 253 characters"]


def test_values() -> None:
    assert validate_label_value("") == validate_label_value("a" * 63) == []
    assert validate_label_value("a" * 64) == ["must be no more than 63 bytes"]
    assert validate_label_value("é") == [VALUE_RULE]
    assert validate_label_value("a\n") == [VALUE_RULE]


def test_text() -> None:
    selector = label_selector(
        {
            "matchLabels": {"app": "web"},
            "matchExpressions": [
                {"key": "b", "operator": "NotIn", "values": ["y", "x"]},
                {"key": "c", "operator": "DoesNotExist"},
                {"key": "d", "operator": "Exists"},
            ],
        }
    )
    assert str(selector) == "app=web,b notin (x,y),!c,d"
    assert str(Requirement("gen", "Gt", ("3",))) == "gen>3"


KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.sampled_from(["", "x", "y"])
EXPRESSIONS = st.one_of(
    st.fixed_dictionaries(
        {
            "key": KEYS,
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": st.lists(VALUES, min_size=1, max_size=3),
        }
    ),
    st.fixed_dictionaries({"key": KEYS, "operator": st.sampled_from(["Exists", "DoesNotExist"])}),
)
OPPOSITES = {"In": "NotIn", "NotIn": "In", "Exists": "DoesNotExist", "DoesNotExist": "Exists"}


@given(EXPRESSIONS, st.dictionaries(KEYS, VALUES))
def test_opposite_operators_match_opposite_labels(
    expression: dict[str, Any], labels: dict[str, str]
) -> None:
    opposite = {**expression, "operator": OPPOSITES[expression["operator"]]}
    matches = [
        label_selector({"matchExpressions": [e]}).matches(labels) for e in (expression, opposite)
    ]
    assert sorted(matches) == [False, True]


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), st.dictionaries(KEYS, VALUES))
def test_a_selector_is_the_conjunction_of_its_expressions(
    expressions: list[dict[str, Any]], labels: dict[str, str]
) -> None:
    each = [label_selector({"matchExpressions": [e]}).matches(labels) for e in expressions]
    together: Selector = label_selector({"matchExpressions": expressions})
    assert together.matches(labels) is all(each)
    assert together == label_selector({"matchExpressions": expressions})
