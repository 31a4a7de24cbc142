"""A bounded dictionary that keeps the most recently used values."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values of the `count_max` most recently used keys."""

    def __init__(self, count_max: int) -> None:
        self.count_max = count_max
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        """Return whether the dictionary has a key, which doesn't count as a use."""
        return key in self._values

    def get(self, key: K) -> V | None:
        """Return the value of a key, which counts as a use; None if there is none."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Set the value of a key, and remove the least recently used value of too many."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self.count_max:
            self._values.popitem(last=False)
