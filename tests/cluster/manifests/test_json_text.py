"""JSON texts become documents, and each fault names its line."""

import pytest

from podium.cluster.manifests.json_text import read_json


def test_one_document() -> None:
    (document,) = read_json(b' {"a": [1, 2.5, "x", null, true]}\n')
    assert (document.number, document.line) == (1, 1)
    assert document.value == {"a": [1, 2.5, "x", None, True]}


@pytest.mark.parametrize("is_careful", [False, True])
def test_the_lines_of_the_items_of_a_list(is_careful: bool) -> None:
    text = b'{"items": [\n{"a": [\n1]}, {"a": [\n1]},\n\n {"b": "items"}\n], "kind": "List"}'
    (document,) = read_json(text, is_careful=is_careful)
    assert document.item_lines == [2, 3, 6]
    (document,) = read_json(text.replace(b"\n", b""), is_careful=is_careful)
    assert not document.item_lines
    (document,) = read_json(b'{"items":\n {"a":\n 1}}', is_careful=is_careful)
    assert not document.item_lines


def test_documents_in_a_row() -> None:
    documents = list(read_json(b'{"a": 1}\n\n{"b": 2}{"c": 3}\n'))
    assert [(d.number, d.line, d.value) for d in documents] == [
        (1, 1, {"a": 1}),
        (2, 3, {"b": 2}),
        (3, 3, {"c": 3}),
    ]


@pytest.mark.parametrize(
    ("data", "number", "line", "message"),
    [
        (b'{"a": [1,\n 2', 1, 2, "ends too early"),
        (b'{"a": "x', 1, 1, "ends too early"),
        (b'{"a": 1\n"b": 2}', 1, 2, "Expecting ',' delimiter"),
        (b'{"a": 1}\n{"b"}', 2, 2, "Expecting ':' delimiter"),
        (b'{"a": NaN}', 1, 1, "NaN is no number"),
        (b'{"a": 1}\n\x80', 1, 2, "not UTF-8"),
        (b'{"a": "\\ud800 and more text"}', 1, 1, "surrogate"),
        (b"[" * 100_000, 1, 1, "nested too deeply"),
    ],
)
def test_faults_name_their_line(data: bytes, number: int, line: int, message: str) -> None:
    (document,) = [d for d in read_json(data) if d.faults]
    (fault,) = document.faults
    assert (document.number, fault.line) == (number, line)
    assert message in fault.message
