"""Patches of all types, of an object changed in a few places."""

from random import Random
from typing import Any

from tests.fuzz import odd
from tests.fuzz.mutating import Mutator
from tests.fuzz.schemas import Schema
from tests.objects import Obj

DIRECTIVES: tuple[Obj, ...] = (
    {"$patch": "replace"}, {"$patch": "delete"}, {"$patch": "merge"}, {"$patch": 5},
    {"$retainKeys": ["a", "name"]}, {"$retainKeys": "a"}, {"$deleteFromPrimitiveList/a": ["x"]},
    {"$setElementOrder/containers": [{"name": "c"}]}, {"$setElementOrder/x": 5},
)  # fmt: skip
POINTERS = (
    "", "/", "/metadata/labels/x", "/spec", "/spec/-", "/spec/containers/0/image", "/status",
    "/metadata/resourceVersion", "/spec/containers/-", "/spec/containers/99999999999999999999",
    "/spec/containers/-1", "/metadata/annotations/a~1b", "/metadata/name", "/spec/replicas", "x",
    "/metadata/ownerReferences/0", "/~2", "/metadata/managedFields",
)  # fmt: skip
OPERATIONS = ("add", "remove", "replace", "move", "copy", "test", "", "x", None, 5)


def patch_body(rng: Random, mutator: Mutator, stored: Obj, schema: Schema) -> tuple[bytes, str]:
    """A patch, and its type."""
    match rng.choice(("merge", "strategic", "strategic", "json", "apply", "apply")):
        case "json":
            return odd.as_json(_operations(rng, mutator, stored, schema)), _JSON
        case "merge":
            return odd.as_json(_partial(rng, mutator, stored, schema)), _MERGE
        case "strategic":
            patch = _partial(rng, mutator, stored, schema)
            if rng.random() < 0.3:
                _holder(rng, patch).update(rng.choice(DIRECTIVES))
            return odd.as_json(patch), _STRATEGIC
    applied = _partial(rng, mutator, stored, schema)
    for key in ("apiVersion", "kind"):
        applied.setdefault(key, stored.get(key))
    metadata = applied.setdefault("metadata", {})
    if isinstance(metadata, dict):
        metadata.setdefault("name", stored["metadata"].get("name"))
        metadata.pop("managedFields", None)
    return odd.as_json(applied), _APPLY


_JSON = "application/json-patch+json"
_MERGE = "application/merge-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"
_APPLY = "application/apply-patch+yaml"


def _partial(rng: Random, mutator: Mutator, stored: Obj, schema: Schema) -> Obj:
    """What changes alone, or the changed object as a whole."""
    made: Obj = mutator.mutated(stored, schema, rng.choice((1, 1, 2)))
    if rng.random() < 0.7:
        return _difference(stored, made)
    if isinstance(made.get("metadata"), dict):
        made["metadata"].pop("resourceVersion", None)
    return made


def _difference(old: Obj, new: Obj) -> Obj:
    found: Obj = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, dict) and isinstance(value, dict) and before != value:
            found[key] = _difference(before, value)
        elif before != value:
            found[key] = value
    return found


def _holder(rng: Random, value: Obj) -> Obj:
    """Some object within an object, or itself."""
    inner = [one for one in value.values() if isinstance(one, dict)]
    return _holder(rng, rng.choice(inner)) if inner and rng.random() < 0.6 else value


def _operations(rng: Random, mutator: Mutator, stored: Obj, schema: Schema) -> Any:
    if rng.random() < 0.05:
        return odd.odd(rng)
    made = mutator.mutated(stored, schema, 1)
    found = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        pointer, value = rng.choice(POINTERS), odd.odd(rng)
        if rng.random() < 0.7:
            pointer, value = _place(rng, made)
        operation = {"op": rng.choice(OPERATIONS[:3]), "path": pointer, "value": value}
        if rng.random() < 0.2:
            operation |= {"op": rng.choice(OPERATIONS), "from": rng.choice(POINTERS)}
        found.append(operation)
    return found


def _place(rng: Random, value: Any) -> tuple[str, Any]:
    """A place within an object, and what is there."""
    pointer = ""
    while isinstance(value, dict | list) and value and (not pointer or rng.random() < 0.8):
        is_list = isinstance(value, list)
        key = rng.randrange(len(value)) if is_list else rng.choice(sorted(value))
        pointer += "/" + str(key).replace("~", "~0").replace("/", "~1")
        value = value[key]
    return pointer, value
