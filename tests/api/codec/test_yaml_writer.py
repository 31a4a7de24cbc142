"""What is written as YAML means the same to whoever reads it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.codec.yaml_text import read_yaml, write_yaml

texts = st.text("yn01e.xo_-: #") | st.text(max_size=5)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.integers(-999, 999).map(lambda n: n / 8)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(texts, json_values, min_size=1))
def test_what_is_written_is_read_back(value: Any) -> None:
    (document,) = read_yaml(write_yaml(value))
    assert document.value == value


@pytest.mark.parametrize("text", ["y", "N", "0o17", "1e3", "08", "0X1f", ".inf"])
def test_a_text_that_would_be_read_as_something_else_is_quoted(text: str) -> None:
    assert write_yaml({"a": text, text: "b"}, sort_keys=False) == f"a: '{text}'\n'{text}': b\n"


def test_shared_values_are_written_out() -> None:
    shared = {"b": "c"}
    assert write_yaml({"x": shared, "y2": shared}) == "x:\n  b: c\ny2:\n  b: c\n"
