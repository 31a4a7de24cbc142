"""A bounded dictionary with eviction of the least recently used values."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping that keeps the values of the `count_max` most recently used keys."""

    def __init__(self, count_max: int) -> None:
        self.count_max = count_max
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        """Return whether a key has a value; this doesn't count as a use."""
        return key in self._values

    def get(self, key: K) -> V | None:
        """Return the value of a key, which counts as a use; None if it is absent."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Set the value of a key; if there are too many, remove the least recently used one."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self.count_max:
            self._values.popitem(last=False)
