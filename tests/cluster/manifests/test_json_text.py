"""JSON texts become documents, and each fault names its line."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.cluster.manifests.json_text import decode_shared, read_json
from tests import objects
from tests.objects import Obj, container


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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=12,
)


def pod(name: str) -> Obj:
    """A pod whose container differs from that of another pod in its mount alone."""
    mounting = container(volumeMounts=[{"name": f"token-{name}", "mountPath": "/token"}])
    tolerations = [{"operator": "Exists"}]
    return objects.pod(name, app="web", containers=[mounting], tolerations=tolerations)


def decoded(*items: Any) -> Any:
    return decode_shared(msgspec.json.encode({"kind": "List", "items": items}))["items"]


@given(st.lists(VALUES, max_size=4), VALUES)
def test_that_what_is_decoded_is_what_stands_there(items: list[Any], other: Any) -> None:
    for value in ({"items": [{"spec": one} for one in items], "other": other}, items, other):
        text = msgspec.json.encode(value)
        # Also in the order of fields, and in whether a number is a truth value.
        assert repr(decode_shared(text)) == repr(msgspec.json.decode(text))


def test_that_equal_parts_are_one_value_and_objects_are_not() -> None:
    first, second = decoded(pod("a"), pod("b"))
    assert first["spec"]["tolerations"] is second["spec"]["tolerations"]
    assert first["metadata"]["labels"] is second["metadata"]["labels"]
    assert first["spec"] is not second["spec"]
    assert first["metadata"] is not second["metadata"]


def test_that_what_is_the_same_in_containers_that_differ_is_shared() -> None:
    (one,), (other,) = (item["spec"]["containers"] for item in decoded(pod("a"), pod("b")))
    assert one["volumeMounts"] != other["volumeMounts"]
    assert one["resources"] is other["resources"]


@pytest.mark.parametrize(
    "pair", [({"n": 1}, {"n": True}), ({"n": 1}, {"n": 1.0}), ([1, 2], [2, 1])]
)
def test_that_values_of_other_types_are_others(pair: tuple[Any, Any]) -> None:
    found = [item["spec"]["part"] for item in decoded(*({"spec": {"part": p}} for p in pair))]
    assert [*map(repr, found)] == [*map(repr, pair)]


def test_that_integers_beyond_64_bits_are_read() -> None:
    text = f'{{"items": [{{"spec": {{"part": {{"n": {2**64}}}}}}}]}}'.encode()
    assert decode_shared(text)["items"][0]["spec"]["part"] == {"n": 2**64}


@pytest.mark.parametrize("items", ["null", '"text"', "[]", "[null, 1, [2]]", '[{"spec": null}]'])
def test_that_odd_items_are_read_as_they_are(items: str) -> None:
    text = f' {{"kind": "List", "items": {items}}}'.encode()
    assert decode_shared(text) == msgspec.json.decode(text)


@pytest.mark.parametrize(
    "text", [b"", b"{", b'{"items": [}', b'{"items": [{"spec": {"a": "\\x"}}]}', b"[1,"]
)
def test_that_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_shared(text)
