"""Who an object is: name, namespace, labels, owner, and whether it is on its way out."""

from collections.abc import Mapping
from typing import Any

DEFAULT_NAMESPACE = "default"

_NOTHING: Mapping[str, Any] = {}
_FINISHED = frozenset({"Succeeded", "Failed"})


def name(obj: Mapping[str, Any]) -> str:
    """The object's name; empty if it has none yet."""
    return str((obj.get("metadata") or _NOTHING).get("name") or "")


def namespace(obj: Mapping[str, Any]) -> str:
    """The object's namespace; `default` if it names none."""
    return str((obj.get("metadata") or _NOTHING).get("namespace") or DEFAULT_NAMESPACE)


def key(obj: Mapping[str, Any]) -> str:
    """A namespaced object's `namespace/name`."""
    return f"{namespace(obj)}/{name(obj)}"


def uid(obj: Mapping[str, Any]) -> str:
    """The object's uid; its `namespace/name` while the API hasn't given it one."""
    return str((obj.get("metadata") or _NOTHING).get("uid") or key(obj))


def labels(obj: Mapping[str, Any]) -> Mapping[str, str]:
    """The object's labels; empty if it has none."""
    found: Mapping[str, str] = (obj.get("metadata") or _NOTHING).get("labels") or _NOTHING
    return found


def annotations(obj: Mapping[str, Any]) -> Mapping[str, str]:
    """The object's annotations; empty if it has none."""
    found: Mapping[str, str] = (obj.get("metadata") or _NOTHING).get("annotations") or _NOTHING
    return found


def controller_of(obj: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The owner reference that is marked as the object's controller, if any."""
    owner: Mapping[str, Any]
    for owner in (obj.get("metadata") or _NOTHING).get("ownerReferences") or ():
        if owner.get("controller"):
            return owner
    return None


def is_terminating(obj: Mapping[str, Any]) -> bool:
    """Whether the object has been deleted and only waits to be gone."""
    return bool((obj.get("metadata") or _NOTHING).get("deletionTimestamp"))


def is_finished(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has run to its end, well or not, and so occupies nothing any more."""
    return (pod.get("status") or _NOTHING).get("phase") in _FINISHED
