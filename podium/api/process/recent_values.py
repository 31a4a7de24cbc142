"""A dictionary that keeps what was used last, up to a number."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values of the `count_max` keys that were used last."""

    def __init__(self, count_max: int) -> None:
        self.count_max = count_max
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        """Whether there is a value of a key, which doesn't count as used by this."""
        return key in self._values

    def get(self, key: K) -> V | None:
        """The value of a key, which counts as used now; None if it isn't kept."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value; of too many, the one that wasn't used for longest goes."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self.count_max:
            self._values.popitem(last=False)
