"""Which of several equal nodes to take, where that is known: from what another scheduler took."""

from collections.abc import Callable, Sequence

import msgspec

from podium.scheduler.snapshot.snapshot import Snapshot


class PreferredNodes(msgspec.Struct):
    """Names of nodes by the uid of a pod; the first that ties with the best is taken.

    Attributes:
        placements: for pods that fit.
        nominations: for pods that preempt.
    """

    placements: dict[str, Sequence[str]] = msgspec.field(default_factory=dict)
    nominations: dict[str, Sequence[str]] = msgspec.field(default_factory=dict)


def tied(names: Sequence[str], snapshot: Snapshot, row: int, ties: Callable[[int], bool]) -> int:
    """The row of the first of the named nodes that ties with `row`, or else `row`."""
    for name in names:
        found = snapshot.row_of.get(name)
        if found is not None and ties(found):
            return found
    return row
