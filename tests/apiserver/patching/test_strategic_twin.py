"""Strategic merge patches against a twin that knows no short way, and against made patches."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.patching.patch_result import PatchRequest, apply_patch
from podium.apiserver.patching.strategic import make_patch
from podium.apiserver.schema.model import ListOf, MapOf, Struct
from podium.apiserver.schema.struct_types import struct_of

Object = dict[str, Any]

POD = KINDS["Pod"]
STRATEGIC = "application/strategic-merge-patch+json"


def patched(live: Any, patch: Any) -> Any:
    before = copy.deepcopy((live, patch))
    result = apply_patch(POD, live, PatchRequest(STRATEGIC, patch)).obj
    assert before == (live, patch)
    return result


NAMES = st.sampled_from("abcd")
CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES},
        optional={
            "image": st.sampled_from(["1", "2"]),
            "command": st.lists(NAMES, max_size=2),
            "env": st.lists(
                st.fixed_dictionaries({"name": NAMES}, optional={"value": NAMES}),
                max_size=3,
                unique_by=lambda entry: entry["name"],
            ),
        },
    ),
    max_size=4,
    unique_by=lambda entry: entry["name"],
)
PODS = st.fixed_dictionaries(
    {},
    optional={
        "metadata": st.fixed_dictionaries(
            {},
            optional={
                "labels": st.dictionaries(NAMES, NAMES, max_size=3),
                "finalizers": st.lists(NAMES, max_size=3, unique=True),
            },
        ),
        "spec": st.fixed_dictionaries(
            {},
            optional={
                "containers": CONTAINERS,
                "nodeName": NAMES,
                "nodeSelector": st.dictionaries(NAMES, NAMES, max_size=3),
                "tolerations": st.lists(st.fixed_dictionaries({"key": NAMES}), max_size=2),
            },
        ),
    },
)


def with_nulls(value: Any, draw: Any) -> Any:
    """The value with fields added here and there that a patch takes away."""
    if isinstance(value, dict):
        parts = {name: with_nulls(one, draw) for name, one in value.items()}
        gone = draw(st.sampled_from(["", "image", "nodeName", "labels", "a", "env"]))
        return {**parts, gone: None} if gone and gone not in parts else parts
    if isinstance(value, list):
        return [with_nulls(one, draw) for one in value]
    return value


PATCHES = st.composite(lambda draw: with_nulls(draw(PODS), draw))()


def twin(live: Any, patch: Any, of: Any) -> Any:
    """What a patch without directives makes of a value, in the plainest way."""
    if isinstance(patch, dict):
        merged = dict(live) if isinstance(live, dict) else {}
        for name, value in patch.items():
            if value is None:
                merged.pop(name, None)
            else:
                merged[name] = twin(merged.get(name), value, part(of, name))
        return merged
    if isinstance(patch, list) and isinstance(live, list) and isinstance(of, ListOf) and of.merges:
        return twin_list(live, patch, of)
    if isinstance(patch, list):
        return [twin(None, one, None) for one in patch]
    return patch


def part(of: Any, name: str) -> Any:
    if isinstance(of, Struct) and name in of.fields:
        return of.fields[name].type
    return of.values if isinstance(of, MapOf) else None


def twin_list(live: list[Any], patch: list[Any], of: ListOf) -> list[Any]:
    def key(entry: Any) -> Any:
        return entry[of.merge_key] if of.merge_key else entry

    def find(entries: list[Any], entry: Any) -> Any:
        return next((one for one in entries if key(one) == key(entry)), None)

    keys = [key(entry) for entry in live]
    named = [twin(find(live, entry), entry, of.items) for entry in patch]
    others = [entry for entry in live if find(patch, entry) is None]
    result = []
    while named or others:
        first, other = named[:1], others[:1]
        other_is_first = (
            first
            and other
            and key(first[0]) in keys
            and (keys.index(key(other[0])) < keys.index(key(first[0])))
        )
        result.append((others if not first or other_is_first else named).pop(0))
    return result


@given(PODS, PATCHES)
def test_agrees_with_its_twin(live: Object, patch: Object) -> None:
    assert patched(live, patch) == twin(live, patch, struct_of("v1", "Pod"))


@given(PODS, PATCHES)
def test_twice_is_once(live: Object, patch: Object) -> None:
    once = patched(live, patch)
    assert patched(once, patch) == once


@given(PODS, PODS)
def test_a_made_patch_leads_there(before: Object, after: Object) -> None:
    assert patched(before, make_patch(POD, before, after)) == after


@given(PODS)
def test_nothing_to_do_makes_an_empty_patch(live: Object) -> None:
    assert make_patch(POD, live, copy.deepcopy(live)) == {}
    assert patched(live, {}) == live


@given(PODS, PATCHES, PATCHES)
def test_patches_of_unrelated_fields_commute(live: Object, one: Object, other: Object) -> None:
    left = {"metadata": one.get("metadata") or {}}
    right = {"spec": other.get("spec") or {}}
    assert patched(patched(live, left), right) == patched(patched(live, right), left)


def test_made_patches_tell_entries_with_the_same_key_apart() -> None:
    def ports(*protocols: str) -> Object:
        listed = [{"containerPort": 80, "protocol": protocol} for protocol in protocols]
        return {"spec": {"containers": [{"name": "c", "ports": listed}]}}

    before, after = ports("TCP", "UDP"), ports("UDP", "SCTP")
    assert patched(before, make_patch(POD, before, after)) == after
