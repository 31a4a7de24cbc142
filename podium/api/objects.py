"""Accessors of API objects: identity, labels, annotations, owners, deletion.

An object is the mapping from the API (0003 in docs/decisions/README.md). Accessors treat a field
that is absent, at any level, as empty.
"""

from collections.abc import Mapping, Sequence
from typing import Any

DEFAULT_NAMESPACE = "default"

Object = Mapping[str, Any]
"""An object of the API, or a part of one."""

Place = tuple[str, str]
"""An object's namespace, empty for cluster-scoped objects, and its name."""

_NOTHING: Object = {}


def part(obj: Object, *fields: str) -> Object:
    """Return the mapping at a path of fields; empty if it is absent."""
    for field in fields:
        obj = obj.get(field) or _NOTHING
    return obj


def entries(obj: Object, field: str) -> Sequence[Any]:
    """Return the list in a field of an object; empty if it is absent."""
    return obj.get(field) or []


def metadata_of(obj: Object) -> Object:
    """Return the object's metadata; empty if it has none."""
    return obj.get("metadata") or _NOTHING


def spec_of(obj: Object) -> Object:
    """Return the object's spec; empty if it has none."""
    return obj.get("spec") or _NOTHING


def status_of(obj: Object) -> Object:
    """Return the object's status; empty if it has none."""
    return obj.get("status") or _NOTHING


def conditions_of(obj: Object) -> Sequence[Object]:
    """Return the conditions in the object's status."""
    return (obj.get("status") or _NOTHING).get("conditions") or ()


def condition_of(obj: Object, kind: str) -> Object | None:
    """Return the condition of a type in an object's status; None if absent."""
    one: Object
    for one in (obj.get("status") or _NOTHING).get("conditions") or ():
        if one.get("type") == kind:
            return one
    return None


def condition_status(obj: Object, kind: str) -> str:
    """Return the status of an object's condition of a type; empty if absent."""
    return (condition_of(obj, kind) or _NOTHING).get("status") or ""


def condition_message(obj: Object, kind: str) -> str:
    """Return the message of an object's condition of a type; empty if absent."""
    return (condition_of(obj, kind) or _NOTHING).get("message") or ""


def holds(obj: Object, condition: str) -> bool:
    """Return whether the object has a condition of a type whose status is True."""
    known = condition_of(obj, condition)
    return known is not None and known.get("status") == "True"


def name(obj: Object) -> str:
    """Return the object's name; empty if it has none yet."""
    return str((obj.get("metadata") or _NOTHING).get("name") or "")


def namespace(obj: Object) -> str:
    """Return the object's namespace; `default` if it names none."""
    return str((obj.get("metadata") or _NOTHING).get("namespace") or DEFAULT_NAMESPACE)


def key(obj: Object) -> str:
    """Return a namespaced object's `namespace/name`."""
    return f"{namespace(obj)}/{name(obj)}"


def uid(obj: Object) -> str:
    """Return the object's uid; its `namespace/name` if it has none."""
    return str((obj.get("metadata") or _NOTHING).get("uid") or key(obj))


def place_of(obj: Object) -> Place:
    """Return the object's namespace (empty if it has none) and name."""
    metadata = obj["metadata"]
    return metadata.get("namespace") or "", metadata.get("name") or ""


def uid_of(obj: Object) -> str:
    """Return the object's uid; empty if it has none."""
    return obj["metadata"].get("uid") or ""


def was_in_a_cluster(obj: Object) -> bool:
    """Return whether the object comes from an API server, as its uid shows."""
    return bool(metadata_of(obj).get("uid"))


def version_of(obj: Object) -> str:
    """Return the object's resourceVersion; empty if it has none."""
    return obj["metadata"].get("resourceVersion") or ""


def labels(obj: Object) -> Mapping[str, str]:
    """Return the object's labels; empty if it has none."""
    return (obj.get("metadata") or _NOTHING).get("labels") or _NOTHING


def annotations(obj: Object) -> Mapping[str, str]:
    """Return the object's annotations; empty if it has none."""
    return (obj.get("metadata") or _NOTHING).get("annotations") or _NOTHING


def generation_of(obj: Object) -> int:
    """Return the object's generation; 0 if it has none."""
    return int(metadata_of(obj).get("generation") or 0)


def finalizers_of(obj: Object) -> Sequence[str]:
    """Return the object's finalizers."""
    return metadata_of(obj).get("finalizers") or ()


def owner_references(obj: Object) -> Sequence[Object]:
    """Return the references to the object's owners."""
    return metadata_of(obj).get("ownerReferences") or ()


def controller_of(obj: Object) -> Object | None:
    """Return the owner reference that is marked as the object's controller, if any."""
    owner: Object
    for owner in (obj.get("metadata") or _NOTHING).get("ownerReferences") or ():
        if owner.get("controller"):
            return owner
    return None


def controller_uid(obj: Object) -> str:
    """Return the uid of the object's controller; empty if it has none."""
    return (controller_of(obj) or _NOTHING).get("uid") or ""


def controller_kind(obj: Object) -> str:
    """Return the kind of the object's controller; empty if it has none."""
    return (controller_of(obj) or _NOTHING).get("kind") or ""


def controller_key(obj: Object) -> tuple[str, str, str] | None:
    """Return kind, namespace and name of the object's controller; None if it has none."""
    owner = controller_of(obj)
    return (owner and (str(owner["kind"]), namespace(obj), str(owner["name"]))) or None


def is_terminating(obj: Object) -> bool:
    """Return whether the object has a deletion timestamp."""
    return bool((obj.get("metadata") or _NOTHING).get("deletionTimestamp"))


def annotated(obj: Object, added: Mapping[str, str]) -> dict[str, Any]:
    """Return the object with annotations added or replaced."""
    return {**obj, "metadata": {**obj["metadata"], "annotations": {**annotations(obj), **added}}}


def without(obj: Object, *fields: str) -> dict[str, Any]:
    """Return the object without some of its fields."""
    return {field: value for field, value in obj.items() if field not in fields}
