"""How the commands collect garbage."""

import gc

from podium.api.collecting import keep_all_there_is

_ALLOCATIONS = 100_000
_YOUNG = 20
_MIDDLE = 50


def collect_rarely() -> None:
    """Leave what was read so far alone, as it stays until the end, and look at the rest rarely.

    Nearly everything goes as soon as nobody refers to it any more; circles are few.
    """
    keep_all_there_is()
    gc.set_threshold(_ALLOCATIONS, _YOUNG, _MIDDLE)
