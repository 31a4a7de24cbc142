"""Objects that a controller knows of only by the answers to its own calls.

A watch tells of them soon, as a rule before or right after the answer. But an object may come and
go while a watch is broken: the next list doesn't have it, and no event tells that it is gone.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

from podium.api.objects import Object, Place, place_of, uid_of
from podium.machines.events import Change

# As long as v1.36's controllers wait for what they expect (ExpectationsTimeout).
PATIENCE_S = 300.0


class _Claim(NamedTuple):
    uid: str
    until_s: float


class UnconfirmedObjects:
    """The objects of which only an answer has told so far, and no watch.

    Attributes:
        claims: who has been told of, and until when a watch may take to say so, by kind and place.
    """

    def __init__(self) -> None:
        self.claims: OrderedDict[tuple[str, Place], _Claim] = OrderedDict()

    def add(self, kind: str, obj: Object, now_s: float) -> None:
        """An answer told of an object that was unknown so far."""
        self.claims[kind, place_of(obj)] = _Claim(uid_of(obj), now_s + PATIENCE_S)

    def told(self, change: Change) -> None:
        """A watch told of an object."""
        obj = change.new if change.new is not None else change.old
        if obj is not None:
            self.claims.pop((change.kind, place_of(obj)), None)

    def next_s(self) -> float:
        """When the first of them has been waited for too long; infinity if there is none."""
        return next(iter(self.claims.values())).until_s if self.claims else float("inf")

    def take_overdue(self, now_s: float) -> Iterator[tuple[str, Place, str]]:
        """Those that have been waited for too long, by kind, place and uid; they are forgotten."""
        while self.next_s() <= now_s:
            kind, place = next(iter(self.claims))
            yield kind, place, self.claims.pop((kind, place)).uid
