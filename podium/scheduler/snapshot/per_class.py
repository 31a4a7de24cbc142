"""What is worked out of a class of pods once, by the number of the class."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses

V = TypeVar("V")


class PerClass(Generic[V]):
    """A value for each class, for as long as the classes keep their numbers.

    Args:
        classes: what numbers them.
        make: works a value out, from nothing but the class.
    """

    def __init__(self, classes: "PodClasses", make: Callable[["PodClass"], V]) -> None:
        self._classes = classes
        self._make = make
        self._epoch = classes.epoch
        self._values: dict[int, V] = {}

    def of(self, cls: "PodClass") -> V:
        """The value of a class."""
        if self._epoch != self._classes.epoch:
            self._epoch = self._classes.epoch
            self._values.clear()
        value = self._values.get(cls.id)
        if value is None:
            value = self._values[cls.id] = self._make(cls)
        return value


class ClassColumn:
    """A number for each class, as a column that grows with the classes.

    Args:
        classes: what numbers them.
        number_of: the number of a class.
        of_none: the last number of the column, for where there is no class.
    """

    def __init__(
        self, classes: "PodClasses", number_of: Callable[["PodClass"], int], of_none: int
    ) -> None:
        self._classes = classes
        self._number_of = number_of
        self._of_none = of_none
        self._epoch = self._known = -1
        self._column: NDArray[np.int64] = np.zeros(0, np.int64)

    def now(self) -> NDArray[np.int64]:
        """int64[classes + 1], until there are more classes."""
        if self._epoch != self._classes.epoch:
            self._forget()
        count = len(self._classes)
        if self._known < count:
            if len(self._column) <= count:
                self._column = np.resize(self._column, 2 * count)
            new = [self._number_of(self._classes[n]) for n in range(self._known, count)]
            self._column[self._known : count] = new
            self._column[count] = self._of_none
            self._known = count
        return self._column[: count + 1]

    def _forget(self) -> None:
        self._epoch, self._known = self._classes.epoch, 0
        self._column = np.full(2, self._of_none, np.int64)
