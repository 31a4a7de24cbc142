"""Whatever is sent: an object or a refusal comes back, and what is stored stays as it was."""

import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.decoding import PatchType, decode, decode_patch
from podium.apiserver.patching import apply_configuration, apply_patch, track
from podium.apiserver.schema import ListOf, MapOf, Struct, Type, struct_of

KIND_LIST = list(KINDS.values())
STRICTNESS = ("Strict", "Warn", "Ignore")
JUNK = (None, -1.5, True, "x", [], {}, [[None]], [{"name": {}}, 1], {"$patch": "delete"}, 10**30)
SCALARS = {
    "bool": True,
    "int32": 1,
    "int64": 2,
    "quantity": "1",
    "time": "2026-01-01T00:00:00Z",
    "microtime": "2026-01-01T00:00:00.000000Z",
    "bytes": "QUJD",
}
DIRECTIVES = (
    "$patch",
    "$retainKeys",
    "$setElementOrder/containers",
    "$deleteFromPrimitiveList/finalizers",
)
OPERATIONS = ("add", "remove", "replace", "move", "copy", "test", "x")
POINTERS = ("/spec", "/metadata/labels/a", "/spec/containers/0", "/status/conditions/-", "", "x")


def value(of: Type, rng: Random, junk: float) -> Any:
    """A value of a type, more or less."""
    if rng.random() < junk:
        return rng.choice(JUNK)
    match of:
        case Struct():
            names = rng.sample(list(of.fields), min(4, len(of.fields)))
            made = {name: value(of.fields[name].type, rng, junk) for name in names}
            if rng.random() < junk / 3:
                made[rng.choice(DIRECTIVES)] = rng.choice((*JUNK, "replace", ["name"]))
            return made
        case ListOf():
            return [entry(of, rng, junk) for _ in range(rng.randint(0, 3))]
        case MapOf():
            return {rng.choice("ab"): value(of.values, rng, junk)}
    return SCALARS.get(of.kind, "s")


def entry(of: ListOf, rng: Random, junk: float) -> Any:
    made = value(of.items, rng, junk)
    if isinstance(made, dict):
        keys = {key: rng.choice(["a", "b", 1]) for key in (*of.keys, of.merge_key) if key}
        return {**made, **keys} if rng.random() > junk else made
    return made


def stored(kind: Kind, rng: Random) -> Any:
    """An object that the API server would have taken."""
    body = {**value(struct_of(kind.api_version, kind.name), rng, 0.0)}
    body.update({"apiVersion": kind.api_version, "kind": kind.name})
    try:
        return decode(json.dumps(body).encode(), "application/json", kind).obj
    except RefusedError:
        return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "a"}}


def body_of(patch_type: PatchType, kind: Kind, rng: Random) -> Any:
    if patch_type == PatchType.JSON:
        return [
            {
                "op": rng.choice(OPERATIONS),
                "path": rng.choice(POINTERS),
                "from": rng.choice(POINTERS),
                "value": rng.choice(JUNK),
            }
            for _ in range(rng.randint(1, 4))
        ]
    made = value(struct_of(kind.api_version, kind.name), rng, 0.12)
    if patch_type == PatchType.APPLY and isinstance(made, dict):
        made.update({"apiVersion": kind.api_version, "kind": kind.name})
    return made


def carried_out(kind: Kind, live: Any, patch_type: PatchType, body: Any, rng: Random) -> Any:
    strictness = rng.choice(STRICTNESS)
    patch = decode_patch(json.dumps(body).encode(), patch_type, field_validation=strictness).obj
    if patch_type == PatchType.APPLY:
        current = rng.choice([None, live])
        forced = WriteOptions(field_manager="one", force=True)
        return apply_configuration(Attributes(kind, "", "", 1.0, "", forced), current, patch)
    patched = apply_patch(kind, live, patch_type, patch, field_validation=strictness).obj
    write = Attributes(kind, "", "", 2.0, "", WriteOptions(field_manager="one"))
    return track(write, rng.choice([None, live]), patched)


@given(st.integers(0, 2**32), st.sampled_from(PatchType))
def test_anything_is_carried_out_or_refused(seed: int, patch_type: PatchType) -> None:
    rng = Random(seed)
    kind = rng.choice(KIND_LIST)
    live = stored(kind, rng)
    before = json.dumps(live)
    body = body_of(patch_type, kind, rng)
    try:
        result = carried_out(kind, live, patch_type, body, rng)
    except RefusedError as refused:
        result = refused.status()
    assert result["kind"] in (kind.name, "Status")
    assert json.dumps(live) == before
