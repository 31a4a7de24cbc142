"""Many pods at once, as an array, and what they weigh."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class ManyPods(Protocol):
    """Pods in an array of any shape, parts of which may be empty."""

    @property
    def slots(self) -> NDArray[np.integer[Any]]:
        """Where each pod is in the snapshot's columns of pods, -1 where there is no pod."""

    @property
    def ids(self) -> NDArray[np.integer[Any]]:
        """The number of each pod's class, -1 where there is no pod."""

    def held(self, column: int) -> NDArray[np.int64]:
        """What each takes of a resource, by its number among the snapshot's; 0 for no pod."""


def looked_up(
    width: int,
    ids: NDArray[np.integer[Any]],
    count: int,
    weights: Callable[[int], Sequence[int]],
) -> list[NDArray[np.int64]]:
    """Weights by number, each looked at once: `width` arrays int64 of the shape of `ids`.

    Args:
        ids: numbers, of any shape; -1 stands for no weight at all.
    """
    table = np.zeros((width, count + 1), np.int64)
    for number in np.flatnonzero(np.bincount(ids.ravel() + 1)[1:]).tolist():
        table[:, number] = weights(number)
    return list(table[:, ids])
