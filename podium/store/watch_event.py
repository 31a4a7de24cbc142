"""A write, as watches see it."""

from typing import Literal, NamedTuple

from podium.api.objects import Object

EventType = Literal["ADDED", "MODIFIED", "DELETED"]


class WatchEvent(NamedTuple):
    """What a write did to one object.

    Attributes:
        revision: the write's number, which is the resourceVersion of `obj`.
        type: what happened.
        kind: the object's kind.
        namespace: empty if it stands in none.
        name: the object's name.
        obj: the object after the write; if it was deleted, its last state with the version of
            the deletion.
        previous: the object before the write, None if it is new.
    """

    revision: int
    type: EventType
    kind: str
    namespace: str
    name: str
    obj: Object
    previous: Object | None
