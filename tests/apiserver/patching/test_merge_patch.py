"""JSON merge patches, against the examples of RFC 7386 and a twin."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.apiserver.patching.patch_result import merge_patched

OBJECTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=10,
).filter(lambda value: isinstance(value, dict))


def twin(target: Any, patch: Any) -> Any:
    """The pseudocode of the RFC."""
    if not isinstance(patch, dict):
        return patch
    target = copy.deepcopy(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = twin(target.get(name), value)
    return target


@given(OBJECTS, OBJECTS)
def test_agrees_with_its_twin(target: dict[str, Any], patch: dict[str, Any]) -> None:
    before = copy.deepcopy(target)
    assert merge_patched(target, patch) == twin(target, patch)
    assert target == before


@given(OBJECTS, OBJECTS)
def test_twice_is_once(target: dict[str, Any], patch: dict[str, Any]) -> None:
    once = merge_patched(target, patch)
    assert merge_patched(once, patch) == once


def test_the_rest_is_shared() -> None:
    target = {"a": {"b": 1}, "c": {"d": [2]}}
    assert merge_patched(target, {"a": {"e": 1}})["c"] is target["c"]
