"""A run that is over, for the pages that look at it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from podium.ui.dashboard.views import Entry, KeptStep, Step, View, compressed


class RecordedFeed:
    """All steps of a run, numbered on from its beginning's; see `LiveFeed` for the methods."""

    is_over = True

    def __init__(self, beginning: View, steps: Sequence[Step], entries: Sequence[Entry]) -> None:
        self._number = beginning.number
        self._beginning = compressed(beginning)
        self._steps = [KeptStep(one.number, msgspec.json.encode(one)) for one in steps]
        self._entries = entries

    async def beginning(self) -> bytes:
        return self._beginning

    def after(self, number: int) -> list[KeptStep] | None:
        if not self._number <= number <= self._number + len(self._steps):
            return None
        return self._steps[number - self._number :]

    def history(self, kind: str, namespace: str, name: str) -> list[Entry]:
        about = (kind, namespace, name)
        return [one for one in self._entries if (one.kind, one.namespace, one.name) == about]

    @contextmanager
    def looking(self) -> Iterator[None]:
        yield

    async def wait(self, seconds: float) -> bool:
        return False

    def close(self) -> None:
        """Nobody waits."""
