"""Selectors as text: what they mean, and what is said of those that mean nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.selectors.label_selector_text import parse_selector
from podium.api.selectors.labels import EVERYTHING, SelectorError


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("", {}, True),
        ("app=web", {"app": "web"}, True),
        ("app==web", {"app": "db"}, False),
        ("app!=web", {}, True),
        (" app in ( web , db ) ", {"app": "db"}, True),
        ("app notin (web,db)", {"app": "db"}, False),
        ("app", {"app": ""}, True),
        ("!app", {"app": ""}, False),
        ("app,!canary", {"app": "x"}, True),
        ("app=", {"app": ""}, True),
        ("app=,b", {"app": "", "b": "1"}, True),
        ("app in (,)", {"app": ""}, True),
        ("app in (a,,b)", {"app": ""}, True),
        ("app in (a,)", {"app": ""}, True),
        ("in in (in,notin)", {"in": "notin"}, True),
        ("level>3", {"level": "4"}, True),
        ("level<3", {"level": "4"}, False),
        ("example.com/app=in", {"example.com/app": "in"}, True),
    ],
)
def test_meaning(text: str, labels: dict[str, str], expected: bool) -> None:
    assert parse_selector(text).matches(labels) is expected


IN_REQUIREMENT = "unable to parse requirement: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("app===x", IN_REQUIREMENT + "found '=', expected: identifier"),
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        ("a b", IN_REQUIREMENT + "found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a,", "found '', expected: identifier after ','"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("!", IN_REQUIREMENT + "found '', expected: identifier"),
        ("a in b", IN_REQUIREMENT + "found 'b' expected: '('"),
        ("a in (=", IN_REQUIREMENT + "found '=', expected: ',', ')' or identifier"),
        ("a in (b", IN_REQUIREMENT + "found '', expected: ',' or ')'"),
        ("a in (b,=", IN_REQUIREMENT + "found '=', expected: ',', or identifier"),
        (
            "a in ()",
            IN_REQUIREMENT
            + "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            "a>b",
            IN_REQUIREMENT
            + "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an "
            "integer",
        ),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_selector(text)
    assert str(caught.value) == message


def test_faulty_keys_are_named() -> None:
    with pytest.raises(SelectorError, match=r'requirement: <nil>: Invalid value: "-a": name part'):
        parse_selector("-a=b")


names = st.from_regex(r"[a-z]([a-z0-9]{0,3})", fullmatch=True)


@given(st.dictionaries(names, st.sets(names, min_size=1, max_size=3), max_size=3))
def test_what_a_selector_prints_means_the_same(wanted: dict[str, set[str]]) -> None:
    text = ",".join(f"{key} in ({','.join(values)})" for key, values in wanted.items())
    selector = parse_selector(text)
    assert parse_selector(str(selector)) == selector
    assert (selector == EVERYTHING) is (not wanted)


def test_blanks_without_end_are_looked_at_once() -> None:
    assert parse_selector("a" + " " * 300_000) == parse_selector("a")
