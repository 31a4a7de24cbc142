"""A list of what happened, for those who remember up to where they have looked."""

from typing import Generic, TypeVar

T = TypeVar("T")

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
