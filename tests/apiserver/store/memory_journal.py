"""A journal in a list, which can be told to fail."""

from collections.abc import Sequence

from podium.apiserver.store.errors import JournalError
from podium.apiserver.store.history import FIRST_REVISION, Recovered, WatchEvent


class MemoryJournal:
    def __init__(self) -> None:
        self.commits: list[list[WatchEvent]] = []
        self.is_broken = False

    def load(self) -> Recovered:
        return Recovered(FIRST_REVISION, [event for commit in self.commits for event in commit])

    def append(self, events: Sequence[WatchEvent]) -> None:
        if self.is_broken:
            raise JournalError("the disk is full")
        self.commits.append(list(events))
