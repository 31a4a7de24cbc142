"""Adopting and releasing: which objects a controller's object has for its own.

As ControllerRefManager of v1.36: what matches the selector and has no controller is adopted, what
is owned but matches no more is released. Nothing is adopted by an object that is being deleted.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

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
from podium.api.selectors.labels import Selector
from podium.api.workloads import selector_of
from podium.machines.effects import Effect, patch_of
from podium.machines.reconciler.indexer import Indexer


class ClaimedObjects(msgspec.Struct):
    """The objects that an owner has, with the adoptions and releases that are due."""

    owned: list[Object] = msgspec.field(default_factory=list)
    effects: list[Effect] = msgspec.field(default_factory=list)


def claim(
    owner: Object,
    selector: Selector,
    objects: Indexer,
    kind: str,
    finalizers: Sequence[str] = (),
) -> ClaimedObjects:
    """Go through the owner's objects of a kind, and those without a controller beside it.

    Args:
        objects: with the indexes `owner` and `orphan` for that kind.
        finalizers: what is adopted gets these, too.
    """
    claims = ClaimedObjects()
    for obj in objects.by(kind, "owner", uid_of(owner)):
        if selector.matches(labels(obj)):
            claims.owned.append(obj)
        elif not is_terminating(obj) and not is_terminating(owner):
            claims.effects.append(release(owner, obj, kind))
    if not is_terminating(owner):
        claims.effects += [
            adoption(owner, obj, kind, finalizers)
            for obj in objects.by(kind, "orphan", place_of(owner)[0])
            if not is_terminating(obj) and selector.matches(labels(obj))
        ]
    return claims


def owner_reference(owner: Object) -> dict[str, Any]:
    """The reference to an object's controller."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": name(owner),
        "uid": uid_of(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def owners_of(obj: Object, kind: str, objects: Indexer, *, adopts: bool = True) -> Iterator[Place]:
    """The owners of a kind that an object concerns: its controller, or those that may adopt it.

    Args:
        objects: with the index `namespace` for that kind.
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
    """Make an object without a controller the owner's, with these finalizers added."""
    metadata: dict[str, Any] = {"ownerReferences": [owner_reference(owner)]}
    if finalizers:
        metadata["finalizers"] = [*finalizers]
    return patch_of(kind, obj, {"metadata": metadata})


def release(owner: Object, obj: Object, kind: str) -> Effect:
    """Let an object go that is the owner's."""
    gone = {"$patch": "delete", "uid": uid_of(owner)}
    return patch_of(kind, obj, {"metadata": {"ownerReferences": [gone]}})
