"""Which candidate node is taken: ordered keys, each one breaking the ties of those before.

The keys and their order are those of pickOneNodeForPreemption, v1.36. Where upstream takes any of
the nodes that are left, Podium takes the one with the smallest name.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.core.framework import Rows
from podium.core.preemption.dry_run import DryRun


@dataclass(frozen=True, slots=True)
class Key:
    """A criterion by which candidates are told apart.

    Attributes:
        name: what it looks at, in words.
        values: from a dry run and rows int[n] to int64[n]; the smallest are kept.
    """

    name: str
    values: Callable[[DryRun, Rows], NDArray[np.int64]]


KEYS = (
    Key("fewest PodDisruptionBudget violations", lambda run, rows: run.violations[rows]),
    Key("lowest priority of the highest victim", lambda run, rows: run.top_priority[rows]),
    Key("smallest sum of priorities", lambda run, rows: run.priority_sum[rows]),
    Key("fewest victims", lambda run, rows: run.victim_count[rows]),
    Key("latest start of the highest victims", lambda run, rows: -run.earliest_start[rows]),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """How the candidates were narrowed down.

    Attributes:
        left: after each of `KEYS` that was needed, the rows that were left.
    """

    left: tuple[Rows, ...]

    @property
    def selected(self) -> Rows:
        """The rows that no key tells apart."""
        return self.left[-1]

    def lost_at(self, row: int) -> int | None:
        """The index of the key at which a candidate lost; None if it is among the selected."""
        return next((i for i, rows in enumerate(self.left[1:]) if row not in rows), None)


def choose(run: DryRun, candidates: Rows) -> Choice:
    """Narrow candidates, int[n] with n > 0, down."""
    left = [candidates]
    for key in KEYS:
        rows = left[-1]
        if len(rows) == 1:
            break
        values = key.values(run, rows)
        left.append(rows[values == values.min()])
    return Choice(tuple(left))
