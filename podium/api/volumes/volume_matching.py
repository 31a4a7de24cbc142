"""The choice of persistent volumes for unbound claims, for each node (row).

The rules are those of FindMatchingVolume and of VolumeBinding's search in v1.36. Among matching
volumes of the same size, Kubernetes takes any; here it is the one with the smallest name.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from podium.api.objects import Object, is_terminating, labels, name, spec_of
from podium.api.pods import phase_of
from podium.api.selectors.labels import EVERYTHING, Selector, label_selector
from podium.api.volumes.claims_and_volumes import (
    access_modes,
    is_bound_to,
    is_reserved,
    requested_storage,
    same_kind,
    storage_capacity,
    storage_class_name,
)

Choice = NDArray[np.int64]
Rows = NDArray[np.intp]

NO_VOLUME = -1


class Topology(Protocol):
    """Protocol of the topology: the nodes from which volumes can be reached."""

    def reach(self, volume: Object) -> Rows:
        """Return the rows of nodes that can reach a persistent volume: int[n], ascending."""


def by_size(claims: Sequence[Object]) -> list[Object]:
    """Sort claims by requested size, as small claims get their volumes first."""
    return sorted(claims, key=lambda claim: requested_storage(claim) or 0)


def choose_volumes(
    claims: Sequence[Object], volumes: Sequence[Object], topology: Topology, node_count: int
) -> list[Choice]:
    """Choose a different volume for each claim, in order, and independently for each node.

    Returns:
        For each claim int64[nodes]: an index into `volumes`, or `NO_VOLUME`.
    """
    choices: list[Choice] = []
    for claim in claims:
        raw = spec_of(claim).get("selector")
        selector = EVERYTHING if raw is None else label_selector(raw)
        fitting = [i for i, volume in enumerate(volumes) if _fits(volume, claim)]
        fitting.sort(key=lambda i: (storage_capacity(volumes[i]), name(volumes[i])))
        choice = np.full(node_count, NO_VOLUME, np.int64)
        undecided = np.ones(node_count, bool)
        # A volume that is meant for the claim is taken wherever it is, or else the smallest.
        for index in (i for i in fitting if is_bound_to(volumes[i], claim)):
            available = undecided.copy()
            for earlier in choices:
                available &= earlier != index
            undecided &= ~available
            rows = topology.reach(volumes[index])
            choice[rows[available[rows]]] = index
        for index in (i for i in fitting if _is_free(volumes[i], claim, selector)):
            rows = topology.reach(volumes[index])
            rows = rows[undecided[rows]]
            for earlier in choices:
                rows = rows[earlier[rows] != index]
            choice[rows] = index
            undecided[rows] = False
        choices.append(choice)
    return choices


def _fits(volume: Object, claim: Object) -> bool:
    return (
        storage_class_name(volume) == storage_class_name(claim)
        and storage_capacity(volume) >= (requested_storage(claim) or 0)
        and same_kind(volume, claim)
        and not is_terminating(volume)
    )


def _is_free(volume: Object, claim: Object, selector: Selector) -> bool:
    # Whether a fitting volume that isn't reserved can be taken.
    return (
        not is_reserved(volume)
        and phase_of(volume) == "Available"
        and selector.matches(labels(volume))
        and access_modes(claim) <= access_modes(volume)
    )
