"""What the store asks of something that keeps its writes when the process ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from podium.store.events import WatchEvent


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a journal has kept.

    Attributes:
        oldest_revision: the revision from which on every write is among the events; of earlier
            writes there is the last one of each object that was left.
        events: in the order of their revisions.
    """

    oldest_revision: int
    events: Sequence[WatchEvent]


class Journal(Protocol):
    """Keeps writes; one store uses it at a time."""

    def load(self) -> Recovered | None:
        """All that was appended before, or None if nothing ever was.

        Raises:
            JournalError: it can't be read.
        """
        ...

    def append(self, events: Sequence[WatchEvent]) -> None:
        """Keep these writes, all or none; they are durable when this returns.

        Raises:
            JournalError: they weren't kept.
        """
        ...
