"""The choice among candidate nodes by ordered keys: each key breaks ties of the key before.

The default keys are those of pickOneNodeForPreemption, v1.36. If several nodes are left after the
last key, upstream takes any of them; Podium takes the one with the smallest name.
"""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.values.times import format_time
from podium.scheduler.framework.interface import PreemptionResult
from podium.scheduler.preemption.dry_run import PRIORITY_OFFSET, DryRun
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.pod_info import start_ns_in

_LAST = np.iinfo(np.int64).max


class Key(msgspec.Struct, frozen=True):
    """A criterion that compares candidate nodes."""

    name: str
    heading: str
    """A short name, for the heading of a column."""
    values: Callable[[DryRun, Rows], NDArray[np.int64]]
    """Computes the values, int64[n], of rows, int[n], of a dry run; the rows with the smallest
    value are kept."""
    words: Callable[[int, int], str] = lambda value, _: str(value)
    """Formats a value, given the number of victims."""


def _priority_sum(value: int, victims: int) -> str:
    return f"{value - victims * PRIORITY_OFFSET} + {victims}×2³¹" if victims else "0"


def _start(value: int, victims: int) -> str:
    if not victims:
        return "none"
    start_ns = start_ns_in(-value)
    return "not started" if start_ns is None else format_time(start_ns)


VIOLATIONS = Key(
    "fewest PodDisruptionBudget violations",
    "PDB VIOLATIONS",
    lambda run, rows: run.violations.take(rows),
)
TOP_PRIORITY = Key(
    "lowest priority of the highest victim",
    "HIGHEST PRIORITY",
    lambda run, rows: run.top_priority.take(rows),
    lambda value, victims: str(value) if victims else "none",
)
PRIORITY_SUM = Key(
    "smallest sum of priorities",
    "PRIORITY SUM",
    lambda run, rows: run.priority_sum.take(rows),
    _priority_sum,
)
VICTIMS = Key("fewest victims", "COUNT", lambda run, rows: run.victim_count.take(rows))
LATEST_START = Key(
    "latest start of the highest victims",
    "LATEST START",
    lambda run, rows: -run.earliest_start.take(rows),
    _start,
)
KEYS = (VIOLATIONS, TOP_PRIORITY, PRIORITY_SUM, VICTIMS, LATEST_START)
"""The keys of kube-scheduler in its order."""


class Choice(msgspec.Struct, frozen=True):
    """All candidate rows, int[n], then the rows that were left after each compared key."""

    left: tuple[Rows, ...]
    keys: tuple[Key, ...] = KEYS

    @property
    def selected(self) -> Rows:
        return self.left[-1]

    def runners_up(
        self, chosen: int, ranks: NDArray[np.int64], count_max: int
    ) -> Sequence[tuple[int, int | None]]:
        """List the best other rows, each with the index of the key at which it lost; None: by name.

        Rows that lost at a later key come first; ties are broken by `ranks`, int64[nodes].
        """
        found: list[tuple[int, int | None]] = []
        is_listed = np.zeros(len(ranks), bool)
        is_listed[chosen] = True
        lost_at, after = None, None
        for index in range(len(self.left) - 1, -1, -1):
            rows, wanted = self.left[index], count_max - len(found)
            if wanted and rows is not after:
                lost = rows[~is_listed[rows]]
                is_listed[lost] = True
                places = ranks[lost]
                # Few of many are wanted, for which repeated minima cost less than sorting.
                for _ in range(min(wanted, len(lost))):
                    at = int(places.argmin())
                    places[at] = _LAST
                    found.append((int(lost[at]), lost_at))
            lost_at, after = index - 1, rows
        return found


def choose(run: DryRun, candidates: Rows, keys: Sequence[Key] = KEYS) -> Choice:
    """Compare candidates, int[n] with n > 0, key by key."""
    left = [candidates]
    for key in keys:
        rows = left[-1]
        if len(rows) == 1:
            break
        values = key.values(run, rows)
        is_best = values == np.minimum.reduce(values)
        all_tie = np.count_nonzero(is_best) == len(rows)
        left.append(rows if all_tie else rows[is_best])
    return Choice(tuple(left), tuple(keys))


class Preemption(PreemptionResult, frozen=True):
    """The result of DefaultPreemption, with its details by row of the snapshot."""

    candidate_rows: Rows = msgspec.field(default_factory=lambda: np.zeros(0, np.intp))
    """Rows where preemption would make room, int[n]."""
    is_rejected: Mask = msgspec.field(default_factory=lambda: np.zeros(0, bool))
    """Bool[nodes], whether the dry run found that preemption doesn't help."""
    run: DryRun | None = None
    """The dry run, which later decisions update."""
    choice: Choice | None = None
    """The comparison of the candidates; None if there is none."""
    device_count: int = 0
    """How many devices of the victims become free, if the node lacks devices for the pod."""
