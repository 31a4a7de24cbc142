"""Accessors of API objects: identity, labels, annotations, owners, deletion.

An object is the mapping that the API wrote (0003 in docs/decisions/README.md). An accessor treats a
field that is absent, at any level, as empty.
"""

from collections.abc import Mapping, Sequence
from typing import Any

DEFAULT_NAMESPACE = "default"

Object = Mapping[str, Any]
"""An object of the API, or a part of one."""

Place = tuple[str, str]
"""Where an object stands: its namespace, empty for cluster-scoped objects, and its name."""

_NOTHING: Object = {}


def part(obj: Object, *fields: str) -> Object:
    """The part of an object at a path of fields; empty if it has none."""
    for field in fields:
        obj = obj.get(field) or _NOTHING
    return obj


def entries(obj: Object, field: str) -> Sequence[Any]:
    """The entries of a list in an object; none if it has no such list."""
    return obj.get(field) or []


def metadata_of(obj: Object) -> Object:
    """The object's metadata; empty if it has none."""
    found: Object = obj.get("metadata") or _NOTHING
    return found


def spec_of(obj: Object) -> Object:
    """The object's spec; empty if it has none."""
    found: Object = obj.get("spec") or _NOTHING
    return found


def status_of(obj: Object) -> Object:
    """The object's status; empty if it has none."""
    found: Object = obj.get("status") or _NOTHING
    return found


def conditions_of(obj: Object) -> Sequence[Object]:
    """The conditions in the object's status."""
    return (obj.get("status") or _NOTHING).get("conditions") or ()


def condition_of(obj: Object, kind: str) -> Object | None:
    """The condition of a type in an object's status."""
    one: Object
    for one in (obj.get("status") or _NOTHING).get("conditions") or ():
        if one.get("type") == kind:
            return one
    return None


def condition_status(obj: Object, kind: str) -> str:
    """The status of a condition of the object; empty if it has no such condition."""
    return (condition_of(obj, kind) or _NOTHING).get("status") or ""


def condition_message(obj: Object, kind: str) -> str:
    """The message of a condition of the object; empty if there is none."""
    return (condition_of(obj, kind) or _NOTHING).get("message") or ""


def holds(obj: Object, condition: str) -> bool:
    """Whether a condition of the object is True."""
    found = condition_of(obj, condition)
    return found is not None and found.get("status") == "True"


def name(obj: Object) -> str:
    """The object's name; empty if it has none yet."""
    return str((obj.get("metadata") or _NOTHING).get("name") or "")


def namespace(obj: Object) -> str:
    """The object's namespace; `default` if it names none."""
    return str((obj.get("metadata") or _NOTHING).get("namespace") or DEFAULT_NAMESPACE)


def key(obj: Object) -> str:
    """A namespaced object's `namespace/name`."""
    return f"{namespace(obj)}/{name(obj)}"


def uid(obj: Object) -> str:
    """The object's uid; its `namespace/name` while the API hasn't given it one."""
    return str((obj.get("metadata") or _NOTHING).get("uid") or key(obj))


def place_of(obj: Object) -> Place:
    """Where the object stands, as the API has it: no namespace stands for none."""
    metadata = obj["metadata"]
    return metadata.get("namespace") or "", metadata.get("name") or ""


def uid_of(obj: Object) -> str:
    """The uid that the API has given the object; empty if it has given none yet."""
    found: str = obj["metadata"].get("uid") or ""
    return found


def was_in_a_cluster(obj: Object) -> bool:
    """Whether the object comes from an API server, rather than from somebody's hand."""
    return bool(metadata_of(obj).get("uid"))


def version_of(obj: Object) -> str:
    """The object's resourceVersion; empty if the API has given it none yet."""
    found: str = obj["metadata"].get("resourceVersion") or ""
    return found


def labels(obj: Object) -> Mapping[str, str]:
    """The object's labels; empty if it has none."""
    found: Mapping[str, str] = (obj.get("metadata") or _NOTHING).get("labels") or _NOTHING
    return found


def annotations(obj: Object) -> Mapping[str, str]:
    """The object's annotations; empty if it has none."""
    found: Mapping[str, str] = (obj.get("metadata") or _NOTHING).get("annotations") or _NOTHING
    return found


def generation_of(obj: Object) -> int:
    """How often what is wanted of the object was changed; 0 if the API doesn't say."""
    return int(metadata_of(obj).get("generation") or 0)


def finalizers_of(obj: Object) -> Sequence[str]:
    """What has to be done before the object can be gone."""
    return metadata_of(obj).get("finalizers") or ()


def owner_references(obj: Object) -> Sequence[Object]:
    """The references to the object's owners."""
    return metadata_of(obj).get("ownerReferences") or ()


def controller_of(obj: Object) -> Object | None:
    """The owner reference that is marked as the object's controller, if any."""
    owner: Object
    for owner in (obj.get("metadata") or _NOTHING).get("ownerReferences") or ():
        if owner.get("controller"):
            return owner
    return None


def controller_uid(obj: Object) -> str:
    """The uid of the object's controller; empty if it has none."""
    return (controller_of(obj) or _NOTHING).get("uid") or ""


def controller_kind(obj: Object) -> str:
    """The kind of the object's controller; empty if it has none."""
    return (controller_of(obj) or _NOTHING).get("kind") or ""


def controller_key(obj: Object) -> tuple[str, str, str] | None:
    """Kind, namespace and name of the object's controller; None if it has none."""
    owner = controller_of(obj)
    return (owner and (str(owner["kind"]), namespace(obj), str(owner["name"]))) or None


def is_terminating(obj: Object) -> bool:
    """Whether the object has been deleted and only waits to be gone."""
    return bool((obj.get("metadata") or _NOTHING).get("deletionTimestamp"))


def annotated(obj: Object, added: Mapping[str, str]) -> dict[str, Any]:
    """The object with further annotations, or with others in place of those of their names."""
    return {**obj, "metadata": {**obj["metadata"], "annotations": {**annotations(obj), **added}}}


def without(obj: Object, *fields: str) -> dict[str, Any]:
    """The object without some of its fields."""
    return {field: value for field, value in obj.items() if field not in fields}
