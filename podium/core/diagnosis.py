"""Why a pod fits nowhere, in kube-scheduler's words (FitError of v1.36)."""

from collections import Counter

import numpy as np

from podium.core.filtering import Filtering
from podium.core.framework import Codes, Rows


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
        known = blame >= 0
        if not known.any():
            return
        pairs = np.stack((blame[known], outcome[known]))
        distinct, firsts, counts = np.unique(pairs, axis=1, return_index=True, return_counts=True)
        for (who, code), first, count in zip(distinct.T, firsts, counts, strict=True):
            status = filtering.status(int(who), int(code), int(rows[known][first]))
            for reason in status.reasons:
                self.add(reason, int(count))

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
