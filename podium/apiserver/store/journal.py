"""What the store asks of something that keeps its writes when the process ends."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from podium.apiserver.store.history import WatchEvent

FIRST_REVISION = 1
"""Of an empty store; 0 means something else in lists and watches."""


class Recovered(msgspec.Struct, frozen=True):
    """The objects and the revision that a journal has kept.

    Attributes:
        oldest_revision: the revision after which every write is among the events; of earlier
            ones there are those that made the objects which were left then. `FIRST_REVISION` if
            nothing has been forgotten.
        events: in the order of their revisions.
    """

    oldest_revision: int
    events: Sequence[WatchEvent]


class Journal(Protocol):
    """Keeps writes; one store uses it at a time."""

    def load(self) -> Recovered:
        """All that was appended before; raises JournalError: it can't be read."""
        ...

    def append(self, events: Sequence[WatchEvent]) -> None:
        """Keep these writes durably, all or none of them; raises JournalError."""
        ...
