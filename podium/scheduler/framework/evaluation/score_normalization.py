"""How raw scores become scores from 0 to 100: DefaultNormalizeScore of kube-scheduler v1.36."""

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.interface import MAX_NODE_SCORE


def default_normalize(raw: NDArray[np.int64], reverse: bool = False) -> NDArray[np.int64]:
    """Scale scores so that the greatest becomes 100, in whole numbers, rounded down.

    Args:
        raw: int64[n], none negative.
        reverse: count from 100 downwards: the greatest raw score becomes 0.

    Returns:
        int64[n]; where all raw scores are 0, all 0, or all 100 if reversed.
    """
    scaled: NDArray[np.int64] = raw * MAX_NODE_SCORE // raw.max(initial=1)
    return MAX_NODE_SCORE - scaled if reverse else scaled
