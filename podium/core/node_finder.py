"""Which nodes a pod would fit that isn't being decided, for plugins that think ahead."""

from collections.abc import Callable

from podium.core.filtering import Filtering
from podium.core.framework import Rows
from podium.core.pods import PodInfo


class NodeFinder:
    """Filters nodes for any pod, as the scheduling cycle does.

    Attributes:
        rows: from a pending pod to the rows that fit it, int[n]. The cycle sets it.
        filtering: from a pending pod to what filters say of all rows, as they are now.
    """

    rows: Callable[[PodInfo], Rows]
    filtering: Callable[[PodInfo], Filtering]
