"""Finds out whether a call without an answer took effect, by looking at its object."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from podium.api.objects import Object, is_terminating, metadata_of
from podium.api.pods import node_name_of
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.machines.events import CallError, Outcome


def target_of(effect: Effect) -> tuple[str, str, str] | None:
    """Kind, name and namespace of the object that a call is about; None if it isn't named yet."""
    match effect:
        case Bind(namespace=namespace, name=name) | Evict(namespace=namespace, name=name):
            return "Pod", name, namespace
        case Delete(kind=kind) | Patch(kind=kind):
            return kind, effect.name, effect.namespace
        case Create(kind=kind, obj=obj) | Replace(kind=kind, obj=obj):
            metadata = metadata_of(obj)
            name = str(metadata.get("name") or "")
            return (kind, name, str(metadata.get("namespace") or "")) if name else None
    return None


def outcome_seen(effect: Effect, found: Object | None) -> Outcome | None:
    """What became of a call.

    Args:
        found: the object that it is about, as it is now; None if there is none.

    Returns:
        The outcome, or None if the call wasn't carried out, and can be made again.
    """
    match effect:
        case Delete(uid=uid) | Evict(uid=uid):
            if found is None or _is_another(found, uid) or is_terminating(found):
                return Outcome(effect)
            return None
        case Create():
            return None if found is None else Outcome(effect, obj=found)
    if found is None:
        return Outcome(effect, CallError(HTTPStatus.NOT_FOUND, "NotFound", "it is gone"))
    if isinstance(effect, Bind):
        if _is_another(found, effect.uid):
            return Outcome(effect, CallError(HTTPStatus.NOT_FOUND, "NotFound", "it is another pod"))
        node_name = node_name_of(found)
        if node_name == effect.node_name:
            return Outcome(effect, obj=found)
        if node_name:
            why = f'pod {effect.name} is already assigned to node "{node_name}"'
            return Outcome(effect, CallError(HTTPStatus.CONFLICT, "Conflict", why))
        return None
    wanted = effect.body if isinstance(effect, Patch) else getattr(effect, "obj", {})
    required = metadata_of(wanted)
    if _is_another(found, str(required.get("uid") or "")):
        return Outcome(effect, CallError(HTTPStatus.NOT_FOUND, "NotFound", "it is another one"))
    content = {key: value for key, value in wanted.items() if key != "metadata"}
    if marks := {key: required[key] for key in ("annotations", "labels") if required.get(key)}:
        content["metadata"] = marks
    if content and _holds(found, content):
        return Outcome(effect, obj=found)
    version = required.get("resourceVersion")
    if version and version != metadata_of(found).get("resourceVersion"):
        return Outcome(effect, CallError(HTTPStatus.CONFLICT, "Conflict", "it has changed"))
    return None


def _is_another(found: Object, uid: str) -> bool:
    return bool(uid) and metadata_of(found).get("uid") != uid


def _holds(found: Any, wanted: Any) -> bool:
    """Whether an object says what a strategic merge patch wanted it to say."""
    if isinstance(wanted, Mapping):
        if not isinstance(found, Mapping):
            return not wanted
        said = {key: value for key, value in wanted.items() if not key.startswith("$")}
        return all(_holds(found.get(key), value) for key, value in said.items())
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        have = found if isinstance(found, Sequence) else ()
        return all(any(_holds(one, element) for one in have) for element in wanted)
    return bool(found == wanted) or (not found and not wanted)
