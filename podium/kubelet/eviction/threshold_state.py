"""Tracks which thresholds are met since when, and the node conditions that follow.

Pure functions of what was observed and what was known before.
"""

from collections.abc import Iterable, Mapping

from podium.api.values.quantity import NANOS_PER_UNIT, Quantity
from podium.kubelet.eviction.node_statistics import Observation, Observations
from podium.kubelet.eviction.thresholds import Threshold

Since = Mapping[Threshold, float]
"""When each threshold was first observed as met, in seconds since the epoch."""


def thresholds_met(
    thresholds: Iterable[Threshold], observations: Observations, *, with_min_reclaim: bool
) -> list[Threshold]:
    """The thresholds below which what is available has fallen, whatever their grace periods.

    Args:
        thresholds: to look after; one whose signal wasn't observed isn't met.
        observations: what was observed.
        with_min_reclaim: whether they count as met until their minimum reclaim is there, too.
    """
    return [
        one
        for one in thresholds
        if one.is_set
        and (observed := observations.get(one.signal)) is not None
        and wanted_nanos(one, observed, with_min_reclaim=with_min_reclaim)
        > observed.available * NANOS_PER_UNIT
    ]


def wanted_nanos(one: Threshold, observed: Observation, *, with_min_reclaim: bool) -> int:
    """How much has to be available for a threshold not to be met."""
    wanted = one.value.of(observed.capacity).nanos
    if with_min_reclaim and one.min_reclaim is not None:
        wanted += one.min_reclaim.of(observed.capacity).nanos
    return wanted


def merged(met: Iterable[Threshold], unresolved: Iterable[Threshold]) -> list[Threshold]:
    """Both, each threshold once."""
    return list(dict.fromkeys((*met, *unresolved)))


def first_observed(met: Iterable[Threshold], before: Since, now_s: float) -> Since:
    """Since when these thresholds have been met without a break."""
    return {one: before.get(one, now_s) for one in met}


def past_grace(since: Since, now_s: float) -> list[Threshold]:
    """Those that have been met for their grace period, in the order of looking after them."""
    found = [one for one, at_s in since.items() if now_s - at_s >= one.grace_period_s]
    return sorted(found, key=lambda one: one.order)


def updated(
    thresholds: Iterable[Threshold], observations: Observations, before: Observations
) -> list[Threshold]:
    """Those whose signal was observed anew: no pods are evicted twice for one observation."""
    return [
        one
        for one in thresholds
        if (observed := observations.get(one.signal)) is not None
        and _is_newer(observed, before.get(one.signal))
    ]


def conditions_observed(
    met: Iterable[Threshold], before: Mapping[str, float], now_s: float
) -> Mapping[str, float]:
    """When each node condition was last observed, by type."""
    return {**before, **{one.signal.condition: now_s for one in met}}


def conditions_present(
    observed: Mapping[str, float], transition_period_s: float, now_s: float
) -> list[str]:
    """The conditions that the node is in: those observed within the transition period, sorted."""
    return sorted(kind for kind, at_s in observed.items() if now_s - at_s < transition_period_s)


def starved_quantities(
    resource: str, thresholds: Iterable[Threshold], observations: Observations
) -> tuple[Quantity, Quantity] | None:
    """Threshold and what is available, of the first of these thresholds for a resource."""
    for one in thresholds:
        observed = observations.get(one.signal)
        if one.signal.resource == resource and observed is not None:
            available = Quantity(observed.available * NANOS_PER_UNIT, one.signal.quantity_format)
            return one.value.of(observed.capacity), available
    return None


def _is_newer(observed: Observation, before: Observation | None) -> bool:
    if before is None or observed.observed_s is None:
        return True
    return before.observed_s is None or observed.observed_s > before.observed_s
