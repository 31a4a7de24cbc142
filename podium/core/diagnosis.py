"""Why a pod fits nowhere: who rejected it, and in which words (FitError of v1.36)."""

from collections import Counter

import numpy as np

from podium.core.decision import Decision
from podium.core.filtering import Filtering
from podium.core.framework import Codes, Rows
from podium.core.narrowing import Narrowing

# Codes are int32, so that a plugin's number above them keeps pairs apart.
_CODE_BITS = 32


class Histogram:
    """How many nodes gave which reason."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, reason: str, count: int) -> None:
        """`count` more nodes gave this reason."""
        if count:
            self._counts[reason] += count

    def add_rows(self, filtering: Filtering, rows: Rows, outcome: Codes, blame: Codes) -> None:
        """Add the reasons of rows int[n] with outcomes and blames int32[n]."""
        left = np.flatnonzero(blame >= 0)
        pairs = (blame[left].astype(np.int64) << _CODE_BITS) + outcome[left]
        # There are few reasons, and a look at all rows for each takes less than sorting them.
        while len(left):
            first, others = left[0], pairs != pairs[0]
            status = filtering.status(int(blame[first]), int(outcome[first]), int(rows[first]))
            left, before = left[others], len(left)
            pairs = pairs[others]
            for reason in status.reasons:
                self.add(reason, before - len(left))

    def most_common(self) -> list[tuple[str, int]]:
        """The reasons with their counts, the most frequent first, and of equals by the words."""
        return sorted(self._counts.items(), key=lambda entry: (-entry[1], entry[0]))

    def __str__(self) -> str:
        return ", ".join(sorted(f"{count} {reason}" for reason, count in self._counts.items()))


def nodes_available_message(
    node_count: int, reasons: Histogram, pre_filter: str = "", post_filter: str = ""
) -> str:
    """The message of a pod that can't be scheduled.

    Args:
        node_count: of the cluster.
        reasons: of single nodes; left out if PreFilter refused the pod.
        pre_filter: why PreFilter refused it, if it did.
        post_filter: what PostFilter had to say.
    """
    message = f"0/{node_count} nodes are available:"
    details = pre_filter or str(reasons)
    if details:
        message += f" {details}."
    return f"{message} {post_filter}" if post_filter else message


def rejecting_plugins(decision: Decision) -> set[str]:
    """The plugins that rejected a pod, on any node or for all of them.

    Only what they have registered for can make the pod schedulable.
    """
    evaluation, blame = decision.evaluation, decision.blame
    if evaluation is None or blame is None:
        return set()
    if decision.pre_filter is not None:
        return {decision.pre_filter.plugin}
    states = evaluation.filtering.states
    plugins: set[str] = set()
    for state in states:
        if isinstance(state, Narrowing):
            plugins.update(state.plugins)
    blamed = np.flatnonzero(np.bincount(blame[blame >= 0]))
    plugins.update(states[who].plugin for who in blamed.tolist())
    return plugins - {""}
