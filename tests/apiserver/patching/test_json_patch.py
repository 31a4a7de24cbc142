"""JSON patches, against the rules of RFC 6902."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import RefusedError
from podium.apiserver.patching.patch_result import json_patched

DOC: dict[str, Any] = {"a": {"b": [1, 2, 3], "c~/d": None}, "e": "f"}


def op(name: str, path: str, **fields: Any) -> dict[str, Any]:
    return {"op": name, "path": path, **fields}


def test_operations_follow_one_another_and_share_the_rest() -> None:
    operations = [op("add", "/a/g", value={}), op("add", "/a/g/h", value=1), op("remove", "/e")]
    result = json_patched(DOC, operations)
    assert result == {"a": {**DOC["a"], "g": {"h": 1}}}
    assert result["a"]["b"] is DOC["a"]["b"]


def test_copies_are_bounded() -> None:
    doubling = [op("copy", f"/a/{number}", **{"from": "/a"}) for number in range(40)]
    with pytest.raises(RefusedError):
        json_patched({"a": {"y": "z" * 1000}}, doubling)


def nested(depth: int) -> dict[str, Any]:
    return {"a": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    "growing",
    [
        [op("copy", "/a/a", **{"from": "/a"})] * 500,
        [op("add", "/a" * (100 * step + 1), value=nested(100)) for step in range(20)],
        [op("test", "/a" * 5000, value=None)],
        [op("add", "/a/a", value=nested(200))],
    ],
)
def test_depth_is_bounded(growing: list[dict[str, Any]]) -> None:
    with pytest.raises(RefusedError):
        json_patched({"a": {}}, growing)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=2), JSON), st.text(max_size=2), JSON)
def test_what_was_added_is_there_and_can_be_removed(
    doc: dict[str, Any], name: str, value: Any
) -> None:
    path = "/" + name.replace("~", "~0").replace("/", "~1")
    added = json_patched(doc, [op("add", path, value=value), op("test", path, value=value)])
    assert added == {**doc, name: value}
    assert json_patched(added, [op("remove", path)]) == {k: v for k, v in doc.items() if k != name}
