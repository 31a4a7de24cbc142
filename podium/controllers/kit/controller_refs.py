"""Adoption and release of objects, as ControllerRefManager of v1.36 does them.

An owner adopts objects without a controller that its selector matches, and releases its own objects
that its selector no longer matches. A terminating owner adopts nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from podium.machines.events import Change
from podium.machines.reconciler.indexer import Indexer


def claim(
    owner: Object,
    objects: Indexer,
    kind: str,
    finalizers: Sequence[str] = (),
    is_member: Callable[[Object], bool] = lambda _: True,
) -> tuple[list[Object], list[Effect]]:
    """Find the owner's objects of a kind, and the adoptions and releases that are due.

    Args:
        objects: indexer with the indexes `owner` and `orphan` of the kind.
        finalizers: finalizers to add to adopted objects.
        is_member: what an object has to fulfil besides the owner's selector.
    """
    selector, owned, effects = selector_of(owner), [], []
    for obj in objects.by(kind, "owner", uid_of(owner)):
        if selector.matches(labels(obj)) and is_member(obj):
            owned.append(obj)
        elif not is_terminating(obj) and not is_terminating(owner):
            effects.append(release(owner, obj, kind))
    if not is_terminating(owner):
        effects += [
            adoption(owner, obj, kind, finalizers)
            for obj in objects.by(kind, "orphan", place_of(owner)[0])
            if not is_terminating(obj) and selector.matches(labels(obj)) and is_member(obj)
        ]
    return owned, effects


def owner_reference(owner: Object) -> dict[str, Any]:
    """Return an owner reference that makes an owner the controller of another object."""
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
    """Return a new object in its owner's namespace, with the owner as its controller."""
    references = {"namespace": place_of(owner)[0], "ownerReferences": [owner_reference(owner)]}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {**metadata, **references},
        **fields,
    }


def owners_of(obj: Object, kind: str, objects: Indexer, *, adopts: bool = True) -> Iterator[Place]:
    """Yield the place of an object's controller, or else of each owner that may adopt the object.

    Args:
        kind: kind of the owners.
        objects: indexer with the index `namespace` of that kind.
        adopts: whether owners of that kind adopt objects.
    """
    reference, place = controller_of(obj), place_of(obj)[0]
    if reference is not None:
        if reference.get("kind") == kind:
            yield place, str(reference.get("name"))
        return
    for owner in objects.by(kind, "namespace", place) if adopts else ():
        if selector_of(owner).matches(labels(obj)):
            yield place_of(owner)


def owners_around(
    change: Change, before: Object | None, kind: str, objects: Indexer, *, adopts: bool = True
) -> Iterator[Place]:
    """Yield the `owners_of` the former and the current state of a changed object."""
    for obj in (before, change.new):
        if obj is not None:
            yield from owners_of(obj, kind, objects, adopts=adopts)


def adoption(owner: Object, obj: Object, kind: str, finalizers: Sequence[str] = ()) -> Effect:
    """Return the patch by which `owner` adopts `obj`, an object of `kind`.

    It adds a controller owner reference, and finalizers.
    """
    metadata: dict[str, Any] = {"ownerReferences": [owner_reference(owner)]}
    if finalizers:
        metadata["finalizers"] = [*finalizers]
    return patch_of(kind, obj, {"metadata": metadata})


def release(owner: Object, obj: Object, kind: str) -> Effect:
    """Return the patch that removes an object's reference to an owner."""
    gone = {"$patch": "delete", "uid": uid_of(owner)}
    return patch_of(kind, obj, {"metadata": {"ownerReferences": [gone]}})
