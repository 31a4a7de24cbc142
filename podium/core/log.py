"""A list of what happened, for those who remember up to where they have looked."""

from array import array
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.core.pod_classes import PodClass

T = TypeVar("T")
Change = tuple[int, PodClass, int]
"""A row, the class of a pod, and 1 where it came or -1 where it left."""

LENGTH_MAX = 200_000


class Log(Generic[T]):
    """What happened, each with a number; of too much, the older half is forgotten.

    Attributes:
        start: the number of the first entry that it still has.
        end: the number of the next one.
    """

    def __init__(self) -> None:
        self.start = 0
        self.end = 0
        self._entries: list[T] = []

    def append(self, entry: T) -> None:
        """Something happened."""
        self._entries.append(entry)
        self.end += 1
        if len(self._entries) > LENGTH_MAX:
            self.forget(self.start + LENGTH_MAX // 2)

    def since(self, number: int) -> list[T]:
        """The entries from a number on.

        Raises:
            LookupError: some of them are forgotten.
        """
        if number < self.start:
            raise LookupError(f"entries before {self.start} are forgotten")
        return self._entries[number - self.start :]

    def forget(self, number: int) -> None:
        """Forget the entries before a number."""
        del self._entries[: number - self.start]
        self.start = number


class ChangeLog(Log[Change]):
    """Changes of pods on rows; the rows can be had as an array."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = array("q")

    def append(self, entry: Change) -> None:
        """A pod came to a row, or left it."""
        # Every binding passes here: this is `Log.append`, without another call.
        self._rows.append(entry[0])
        self._entries.append(entry)
        self.end += 1
        if len(self._entries) > LENGTH_MAX:
            self.forget(self.start + LENGTH_MAX // 2)

    def rows_since(self, number: int) -> NDArray[np.int64]:
        """The rows of the entries from a number on, which the log must still have."""
        return np.frombuffer(self._rows[number - self.start :], np.int64)

    def forget(self, number: int) -> None:
        """Forget the entries before a number."""
        del self._rows[: number - self.start]
        super().forget(number)
