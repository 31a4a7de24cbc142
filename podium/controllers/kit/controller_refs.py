"""Adopts and releases objects, as ControllerRefManager of v1.36.

An owner adopts what its selector matches and has no controller, and releases what it owns and its
selector doesn't match any more. A terminating owner adopts nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import (
    Object,
    Place,
    controller_of,
    is_terminating,
    labels,
    name,
    place_of,
    uid_of,
)
from podium.api.workloads import selector_of
from podium.machines.effects import Effect, patch_of
from podium.machines.reconciler.indexer import Indexer


def claim(
    owner: Object, objects: Indexer, kind: str, finalizers: Sequence[str] = ()
) -> tuple[list[Object], list[Effect]]:
    """The owner's objects of a kind, and the adoptions and releases that are due.

    Args:
        objects: with the indexes `owner` and `orphan` of that kind.
        finalizers: added to what is adopted.
    """
    selector, owned, effects = selector_of(owner), [], []
    for obj in objects.by(kind, "owner", uid_of(owner)):
        if selector.matches(labels(obj)):
            owned.append(obj)
        elif not is_terminating(obj) and not is_terminating(owner):
            effects.append(release(owner, obj, kind))
    if not is_terminating(owner):
        effects += [
            adoption(owner, obj, kind, finalizers)
            for obj in objects.by(kind, "orphan", place_of(owner)[0])
            if not is_terminating(obj) and selector.matches(labels(obj))
        ]
    return owned, effects


def owner_reference(owner: Object) -> dict[str, Any]:
    """The reference to an owner as the controller of another object."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": name(owner),
        "uid": uid_of(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def owned_object(
    owner: Object, api_version: str, kind: str, metadata: Mapping[str, Any], **fields: Any
) -> dict[str, Any]:
    """A new object in the namespace of its owner, which controls it."""
    place = {"namespace": owner["metadata"].get("namespace") or ""}
    whole = {**metadata, **place, "ownerReferences": [owner_reference(owner)]}
    return {"apiVersion": api_version, "kind": kind, "metadata": whole, **fields}


def owners_of(obj: Object, kind: str, objects: Indexer, *, adopts: bool = True) -> Iterator[Place]:
    """The places of an object's controller, if it is of a kind, or of those that may adopt it.

    Args:
        objects: with the index `namespace` of that kind.
        adopts: whether objects without a controller are adopted at all.
    """
    reference, place = controller_of(obj), place_of(obj)[0]
    if reference is not None:
        if reference.get("kind") == kind:
            yield place, str(reference.get("name"))
        return
    for owner in objects.by(kind, "namespace", place) if adopts else ():
        if selector_of(owner).matches(labels(obj)):
            yield place_of(owner)


def adoption(owner: Object, obj: Object, kind: str, finalizers: Sequence[str] = ()) -> Effect:
    """Add an owner, and finalizers, to an object without a controller."""
    metadata: dict[str, Any] = {"ownerReferences": [owner_reference(owner)]}
    if finalizers:
        metadata["finalizers"] = [*finalizers]
    return patch_of(kind, obj, {"metadata": metadata})


def release(owner: Object, obj: Object, kind: str) -> Effect:
    """Remove an owner from an object."""
    gone = {"$patch": "delete", "uid": uid_of(owner)}
    return patch_of(kind, obj, {"metadata": {"ownerReferences": [gone]}})
