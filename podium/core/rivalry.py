"""Pods nominated elsewhere, counted as if they were on their nodes already.

A node has to suit a pod with them and without them (addGENominatedPods, v1.36). So they can only
close rows that are open: where the pod goes is found out by looking at those alone. What is said
of a row that was closed anyway may change too, and is made when somebody asks for it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.core.filtering import Filtering
from podium.core.framework import FITS, Codes
from podium.core.pods import PodInfo

Rivals = Sequence[tuple[int, Sequence[PodInfo]]]
"""Rows, each with the pods nominated to it that have to be counted."""


def closed_by(filtering: Filtering, rivals: Rivals) -> NDArray[np.intp]:
    """The open rows that are closed once rivals are counted, int[n]."""
    if not filtering.any_fits():
        return np.zeros(0, np.intp)
    outcome = filtering.outcome_at
    concerned = [(row, pods) for row, pods in rivals if outcome[row] == FITS]
    if not concerned:
        return np.zeros(0, np.intp)
    rows, stricter, _ = filtering.with_pods(concerned)
    closed: NDArray[np.intp] = rows[stricter != FITS]
    return closed


def with_rivals(filtering: Filtering, rivals: Rivals) -> tuple[Codes, Codes]:
    """Outcome and blame, int32[capacity], of all rows once rivals are counted."""
    rows, stricter, who = filtering.with_pods(rivals)
    refused: NDArray[np.bool_] = stricter != FITS
    outcome, blame = filtering.outcome.copy(), filtering.blame.copy()
    outcome[rows[refused]], blame[rows[refused]] = stricter[refused], who[refused]
    return outcome, blame
