"""Selectors as text: what they mean, and what is said of those that mean nothing."""

from hypothesis import given
from hypothesis import strategies as st

from podium.api.selectors.labels import EVERYTHING, parse_selector

names = st.from_regex(r"[a-z]([a-z0-9]{0,3})", fullmatch=True)


@given(st.dictionaries(names, st.sets(names, min_size=1, max_size=3), max_size=3))
def test_what_a_selector_prints_means_the_same(wanted: dict[str, set[str]]) -> None:
    text = ",".join(f"{key} in ({','.join(values)})" for key, values in wanted.items())
    selector = parse_selector(text)
    assert parse_selector(str(selector)) == selector
    assert (selector == EVERYTHING) is (not wanted)


def test_blanks_without_end_are_looked_at_once() -> None:
    assert parse_selector("a" + " " * 300_000) == parse_selector("a")
