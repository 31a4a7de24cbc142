"""Adopting and releasing: which objects a controller's object has for its own.

As ControllerRefManager of v1.36: what matches the selector and has no controller is adopted, what
is owned but matches no more is released. Nothing is adopted by an object that is being deleted.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.labels import Selector
from podium.api.objects import Object, is_terminating, labels, name
from podium.control.effects import Effect, Patch
from podium.controllers.kit.indexer import Indexer, uid_of


@dataclass(slots=True)
class ClaimedObjects:
    """What an owner has, and what is to be done about it.

    Attributes:
        owned: the objects that are the owner's and match its selector.
        effects: adoptions and releases; what they concern is looked at again when they are done.
    """

    owned: list[Object] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)


def claim(owner: Object, selector: Selector, objects: Indexer, kind: str) -> ClaimedObjects:
    """Go through the owner's objects of a kind, and those without a controller beside it.

    Args:
        owner: with its uid.
        selector: of the owner.
        objects: with the indexes `owner` and `orphan` for that kind.
        kind: of the objects.
    """
    claims = ClaimedObjects()
    for obj in objects.by(kind, "owner", uid_of(owner)):
        if selector.matches(labels(obj)):
            claims.owned.append(obj)
        elif not is_terminating(obj) and not is_terminating(owner):
            claims.effects.append(release(owner, obj, kind))
    if not is_terminating(owner):
        claims.effects += _adoptions(owner, selector, objects, kind)
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


def _adoptions(owner: Object, selector: Selector, objects: Indexer, kind: str) -> Iterator[Effect]:
    place = owner["metadata"].get("namespace") or ""
    orphans: Iterable[Object] = objects.by(kind, "orphan", place)
    for obj in orphans:
        if not is_terminating(obj) and selector.matches(labels(obj)):
            yield adoption(owner, obj, kind)


def adoption(owner: Object, obj: Object, kind: str) -> Effect:
    """Make an object without a controller the owner's."""
    return _patch(obj, kind, {"ownerReferences": [owner_reference(owner)]})


def release(owner: Object, obj: Object, kind: str) -> Effect:
    """Let an object go that is the owner's."""
    return _patch(obj, kind, {"ownerReferences": [{"$patch": "delete", "uid": uid_of(owner)}]})


def _patch(obj: Object, kind: str, metadata: Mapping[str, Any]) -> Patch:
    return Patch(
        kind=kind,
        namespace=obj["metadata"].get("namespace") or "",
        name=name(obj),
        body={"metadata": {"uid": uid_of(obj), **metadata}},
    )
