"""Objects to be updated, and what is said of it."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import apply_defaults, validate_update

Obj = dict[str, Any]

METADATA: Obj = {
    "name": "x",
    "namespace": "ns",
    "uid": "u",
    "resourceVersion": "1",
    "generation": 1,
    "creationTimestamp": "2026-01-01T00:00:00Z",
}


def stored(kind: str, **fields: Any) -> Any:
    """An object as it is stored."""
    metadata = {**METADATA, **fields.pop("metadata", {})}
    if not KINDS[kind].namespaced:
        del metadata["namespace"]
    return apply_defaults({**head(kind), "metadata": metadata, **fields})


def head(kind: str) -> Obj:
    return {"apiVersion": KINDS[kind].api_version, "kind": kind}


def changed(obj: Any, path: str, value: Any) -> Any:
    """The object with another value at a path; None removes it."""
    name, _, rest = path.partition(".")
    if isinstance(obj, list):
        index = int(name)
        return [changed(v, rest, value) if i == index else v for i, v in enumerate(obj)]
    if rest:
        return {**obj, name: changed(obj.get(name) or {}, rest, value)}
    if value is None:
        return {field: v for field, v in obj.items() if field != name}
    return {**obj, name: value}


def faults(old: Obj, path: str, value: Any, subresource: str = "") -> list[str]:
    """What is said of changing one value."""
    new = changed(old, path, value)
    return texts(new, old, subresource)


def texts(new: Obj, old: Obj, subresource: str = "") -> list[str]:
    return [str(f) for f in validate_update(KINDS[old["kind"]], new, old, subresource)]
