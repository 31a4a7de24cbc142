"""YAML texts become documents, and each fault names its line."""

from typing import Any

import pytest

from podium.api.codec.yaml_text import DEPTH_MAX, read_yaml


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


def test_values_of_all_shapes() -> None:
    text = """
    plain: text
    number: 12
    quoted: "12"
    folded: >-
      two
      lines
    list: [1, two, {three: 3}]
    nothing:
    8080: a key that is a number
    on: a key that is a boolean
    """
    assert values(text) == [
        {
            "plain": "text",
            "number": 12,
            "quoted": "12",
            "folded": "two lines",
            "list": [1, "two", {"three": 3}],
            "nothing": None,
            "8080": "a key that is a number",
            "true": "a key that is a boolean",
        }
    ]


def test_aliases_and_merges() -> None:
    text = """
    base: &base {a: 1, b: 2}
    other: &other {b: 3, c: 4}
    one: {<<: *base, a: 9}
    both: {<<: [*base, *other]}
    again: *base
    quoted: {"<<": 1}
    """
    (found,) = values(text)
    assert found["one"] == {"a": 9, "b": 2}
    assert found["both"] == {"a": 1, "b": 2, "c": 4}
    assert found["again"] == {"a": 1, "b": 2}
    assert found["quoted"] == {"<<": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("# nothing\n", []),
        ("---\n---\na: 1\n", [(1, 2)]),
        ("# licence\n---\na: 1\n---\nb: 2\n", [(1, 2), (2, 4)]),
        ("a: 1\n--- # again\nb: 2\n---\n", [(1, 1), (2, 2)]),
        ("a: 1\n...\n---\nb: 2\n", [(1, 1), (2, 3)]),
        ("%YAML 1.1\n---\na: 1\n", [(1, 1)]),
        ("a: 1\n--- {b: 2}\n", [(1, 1), (2, 2)]),
        ("--- {a: 1}\n--- {b: 2}\n", [(1, 1), (2, 2)]),
        ("a: 1\r\n---\r\nb: 2\r\n", [(1, 1), (2, 2)]),
        ("a: |\n  ---\n  text\n---\nb: 2\n", [(1, 1), (2, 4)]),
    ],
)
def test_documents_are_numbered_and_located(text: str, expected: list[tuple[int, int]]) -> None:
    found = list(read_yaml(text))
    assert [(document.number, document.line) for document in found] == expected
    assert all(document.value for document in found)


def test_a_broken_document_does_not_hide_the_next() -> None:
    text = "a: 1\n---\nb: [1\n---\nc: 3\n---\nd: 'unclosed\n"
    documents = list(read_yaml(text))
    assert [document.value for document in documents] == [{"a": 1}, None, {"c": 3}, None]
    assert [line for _, line, _ in faults(text)] == [4, 8]


def test_all_duplicate_keys_are_reported() -> None:
    text = "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n"
    assert faults(text) == [
        (1, 4, 'the key "c" stands twice in the same mapping'),
        (1, 5, 'the key "a" stands twice in the same mapping'),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\n b: 2\n", 2, "not valid YAML"),
        ("a:\n\t- b\n", 2, "not valid YAML"),
        ("a: b\n\x07", 2, "not valid YAML"),
        ("a: *b\n", 1, "no anchor"),
        ("a: &x [*x]\n", 1, "no anchor"),
        ("a: !!int b\n", 1, "!!int"),
        ("a:\n- .inf\n", 2, "no number"),
        ("<<: 1\n", 1, "takes a mapping"),
        ("? [a]\n: 1\n", 1, "a key must be a string"),
        ("~: 1\n", 1, "a key must be a string"),
    ],
)
def test_faults_name_their_line(text: str, line: int, message: str) -> None:
    ((number, found_line, found_message),) = faults(text)
    assert (number, found_line) == (1, line)
    assert message in found_message


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
