"""The changes of pods on rows, as logs have them."""

from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.snapshot.pod_classes import PodClass

Change = tuple[int, PodClass, int]
"""A row, the class of a pod, and 1 if the pod was added or -1 if it was removed."""

_ROW = itemgetter(0)


def rows_of(changes: Sequence[Change]) -> NDArray[np.int64]:
    """Return the rows of changes as an array, int64[n]."""
    return np.fromiter(map(_ROW, changes), np.int64, len(changes))
