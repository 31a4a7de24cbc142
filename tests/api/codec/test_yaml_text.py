"""YAML texts become documents, and each fault names its line."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.codec.yaml_text import DEPTH_MAX, read_yaml, write_yaml


def values(text: str) -> list[Any]:
    documents = list(read_yaml(text))
    assert not [fault for document in documents for fault in document.faults]
    return [document.value for document in documents]


def faults(text: str) -> list[tuple[int, int, str]]:
    return [
        (document.number, fault.line, fault.message)
        for document in read_yaml(text)
        for fault in document.faults
    ]


def test_a_broken_document_does_not_hide_the_next() -> None:
    text = "a: 1\n---\nb: [1\n---\nc: 3\n---\nd: 'unclosed\n"
    documents = list(read_yaml(text))
    assert [document.value for document in documents] == [{"a": 1}, None, {"c": 3}, None]
    assert [line for _, line, _ in faults(text)] == [4, 8]


def test_nesting_is_bounded() -> None:
    inside = "[" * (DEPTH_MAX - 1) + "]" * (DEPTH_MAX - 1)
    assert len(values(f"a: {inside}")) == 1
    beyond = "[" * 5000 + "]" * 5000
    ((_, line, message),) = faults(f"a: {beyond}")
    assert line == 1
    assert "deeper" in message


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_nobody_reads_on_where_nesting_has_no_end(opening: str) -> None:
    # libyaml would take minutes: its work grows with the square of the depth.
    ((number, _, message),) = faults(opening * 300_000)
    assert number == 1
    assert "deeper" in message


def test_so_is_what_aliases_make_of_a_few_lines() -> None:
    shared = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b, *a]\n"
    assert values(shared)[0]["c"] == [[["x", "x"], ["x", "x"]]] * 2 + [["x", "x"]]
    lines = ["k0: &k0 [x, x]"]
    lines += [f"k{i + 1}: &k{i + 1} [*k{i}, *k{i}]" for i in range(60)]
    ((_, line, message),) = faults("\n".join(lines))
    assert 10 < line < 20
    assert message == "document contains excessive aliasing"


def test_the_lines_of_the_items_of_a_list() -> None:
    text = "a: 1\n---\nkind: List\nitems:\n- a:\n  - 1\n# b\n- {b: [1]}\nother:\n- 1\n"
    plain, listed = read_yaml(text)
    assert (plain.item_lines, listed.item_lines) == ([], [5, 8])
    (document,) = read_yaml("spec:\n  items:\n  - 1\n")
    assert not document.item_lines
    (document,) = read_yaml("items: {a: [1, 2]}\n")
    assert not document.item_lines


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
