"""Label selectors: what they match, and what makes them errors."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.selectors.labels import (
    EVERYTHING,
    NOTHING,
    Selector,
    equality_selector,
    label_selector,
    parse_selector,
)


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


names = st.from_regex(r"[a-z]([a-z0-9]{0,3})", fullmatch=True)


@given(st.dictionaries(names, st.sets(names, min_size=1, max_size=3), max_size=3))
def test_what_a_selector_prints_means_the_same(wanted: dict[str, set[str]]) -> None:
    text = ",".join(f"{key} in ({','.join(values)})" for key, values in wanted.items())
    selector = parse_selector(text)
    assert parse_selector(str(selector)) == selector
    assert (selector == EVERYTHING) is (not wanted)


def test_blanks_without_end_are_looked_at_once() -> None:
    assert parse_selector("a" + " " * 300_000) == parse_selector("a")
