"""The ranking of pods for eviction, by keys that are compared one after another.

Under memory and disk pressure, the kubelet v1.36 puts pods that exceed their requests first, next
orders by priority (lowest first), and next by how much pods exceed their requests. Under PID
pressure it orders by priority, next by the number of processes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from podium.api.objects import Object, part, spec_of, uid
from podium.api.pods import requests_of, resources_of
from podium.api.priority import pod_priority
from podium.api.resources import is_pod_level, pod_requests
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import PodUsage
from podium.kubelet.eviction.signals import Signal


def eviction_request_nanos(pod: Object, resource: str) -> int:
    """Return the request that v1.36's eviction manager compares with the usage, in nanos.

    Unlike the scheduler, the eviction manager counts only pod-level resources if there are any,
    and overhead only for pods that request something. Raises QuantityError.
    """
    spec = spec_of(pod)
    if has_pod_level_resources(pod):
        requested = nanos(requests_of(spec).get(resource, 0)) if is_pod_level(resource) else 0
    else:
        bare = {field: value for field, value in spec.items() if field != "overhead"}
        requested = pod_requests({**pod, "spec": bare}).get(resource, 0)
    overhead = part(spec, "overhead").get(resource, 0)
    return requested + nanos(overhead) if requested else 0


def has_pod_level_resources(pod: Object, *fields: str) -> bool:
    """Return whether a pod has pod-level resources in any of `fields` (`requests`, `limits`)."""
    resources = resources_of(spec_of(pod))
    return any(
        is_pod_level(resource)
        for field in fields or ("requests", "limits")
        for resource in part(resources, field)
    )


class EvictionOrder(StrEnum):
    """The orders in which pods may be evicted.

    DEFAULT is the kubelet's order. USAGE_SHARE is the order of the design proposal for
    preemption: by priority, then by usage divided by requests (infinite without requests).
    """

    DEFAULT = "Default"
    USAGE_SHARE = "UsageShare"


class EvictionCandidate(NamedTuple):
    """A pod that may be evicted, with the amounts by which it is ranked."""

    pod: Object
    is_known: bool
    """Whether the pod has statistics."""
    used: int
    """Usage of the starved resource, in whole units such as bytes."""
    exceedable: int
    """Request of the starved resource, in nanos, for the key `above requests`."""
    requested: int
    """Request with which the other keys compare the usage, in nanos."""

    @property
    def exceeds(self) -> bool:
        return self.used * NANOS_PER_UNIT > self.exceedable


class EvictionKey(NamedTuple):
    """A sort key of candidates, smallest value first; title and text are shown in reports."""

    title: str
    of: Callable[[EvictionCandidate], float]
    text: Callable[[EvictionCandidate], str]


class Ranked(msgspec.Struct, frozen=True):
    """A ranked pod, with title and text of each sort key."""

    pod: Object
    keys: tuple[tuple[str, str], ...]


def _share(candidate: EvictionCandidate) -> float:
    if not candidate.requested:
        return float("inf") if candidate.used else 0.0
    return candidate.used * NANOS_PER_UNIT / candidate.requested


_KNOWN = EvictionKey(
    "statistics", lambda pod: pod.is_known, lambda pod: "known" if pod.is_known else "missing"
)
_EXCEEDS = EvictionKey(
    "above requests",
    lambda pod: pod.is_known and not pod.exceeds,
    lambda pod: "unknown" if not pod.is_known else "yes" if pod.exceeds else "no",
)
_PRIORITY = EvictionKey(
    "priority", lambda pod: pod_priority(pod.pod), lambda pod: str(pod_priority(pod.pod))
)
_BEYOND = EvictionKey(
    "usage beyond requests",
    lambda pod: pod.requested - pod.used * NANOS_PER_UNIT if pod.is_known else 0,
    lambda pod: f"{pod.used - pod.requested / NANOS_PER_UNIT:+.15g}" if pod.is_known else "unknown",
)
_PROCESSES = EvictionKey("processes", lambda pod: -pod.used, lambda pod: str(pod.used))
_SHARE = EvictionKey(
    "usage / requests",
    lambda pod: -_share(pod),
    lambda pod: f"{_share(pod):.0%}" if pod.is_known else "unknown",
)

# Pods without statistics come first; where usage isn't compared with requests, priority does.
_BY_REQUESTS = (_KNOWN, _EXCEEDS, _PRIORITY, _BEYOND)
_BY_USAGE: Sequence[EvictionKey] = (_PRIORITY, _KNOWN, _PROCESSES)
_SHARE_KEYS = (_PRIORITY, _KNOWN, _SHARE)


def rank(
    signal: Signal,
    pods: Iterable[Object],
    usage: Mapping[str, PodUsage],
    filesystems: Filesystems,
    order: EvictionOrder = EvictionOrder.DEFAULT,
) -> list[Ranked]:
    """Return pods in the order of eviction; equal pods keep their order. Raises QuantityError."""
    starved = signal.starved
    if not starved.compared_with:
        keys = _BY_USAGE
    else:
        keys = _SHARE_KEYS if order is EvictionOrder.USAGE_SHARE else _BY_REQUESTS
    candidates = []
    for pod in pods:
        used = usage.get(uid(pod))
        if used is None:
            candidates.append(EvictionCandidate(pod, False, 0, 0, 0))
            continue
        held = used.disk(pod, filesystems.parts(signal)) if starved.is_disk else used
        exceedable = requested = 0
        if starved.compared_with:
            exceedable = eviction_request_nanos(pod, starved.name)
            requested = eviction_request_nanos(pod, starved.compared_with)
        amount = getattr(held, starved.usage) or 0
        candidates.append(EvictionCandidate(pod, True, amount, exceedable, requested))
    candidates.sort(key=lambda ranked: [key.of(ranked) for key in keys])
    return [
        Ranked(ranked.pod, tuple((key.title, key.text(ranked)) for key in keys))
        for ranked in candidates
    ]
