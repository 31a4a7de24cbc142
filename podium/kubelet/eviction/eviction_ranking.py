"""The order in which a node evicts pods: keys that are compared one after another.

Under pressure of memory or disk, the kubelet v1.36 evicts pods above their requests first, then
those of lower priority, then those that use most beyond their requests. Under pressure of process
ids only priority and the number of processes count.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from podium.api.objects import Object, part, spec_of, uid
from podium.api.pod_specs import resources_of
from podium.api.priority import pod_priority
from podium.api.resources import is_pod_level, pod_requests
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import PodUsage
from podium.kubelet.eviction.signals import Signal

_NOTHING: Object = {}


def eviction_request_nanos(pod: Object, resource: str) -> int:
    """The pod's request as v1.36's eviction manager counts it, in nanos; raises QuantityError.

    Unlike the scheduler, it counts nothing but pod-level resources if there are any, and overhead
    only if the pod requests something.
    """
    spec = spec_of(pod)
    if has_pod_level_resources(pod):
        requests = (spec["resources"].get("requests")) or _NOTHING
        requested = nanos(requests.get(resource, 0)) if is_pod_level(resource) else 0
    else:
        bare = {field: value for field, value in spec.items() if field != "overhead"}
        requested = pod_requests({**pod, "spec": bare}).get(resource, 0)
    overhead = part(spec, "overhead").get(resource, 0)
    return requested + nanos(overhead) if requested else 0


def has_pod_level_resources(pod: Object, *fields: str) -> bool:
    """Whether a pod has pod-level requests or limits (`fields`; both by default)."""
    resources = resources_of(spec_of(pod))
    return any(
        is_pod_level(resource)
        for field in fields or ("requests", "limits")
        for resource in part(resources, field)
    )


class EvictionOrder(StrEnum):
    """The orders in which pods can be evicted.

    DEFAULT is the kubelet's. USAGE_SHARE is that of the design proposal of preemption: by
    priority, and then by usage in relation to requests, infinite where nothing is requested.
    """

    DEFAULT = "Default"
    USAGE_SHARE = "UsageShare"


class EvictionCandidate(NamedTuple):
    """A pod that may be evicted, with what its place in the order depends on.

    Attributes:
        is_known: whether there are statistics of it.
        used: usage of the starved resource, in units.
        exceedable: the amount above which it counts as above its requests, in nanos.
        requested: the amount with which its usage is compared, in nanos.
    """

    pod: Object
    is_known: bool
    used: int
    exceedable: int
    requested: int

    @property
    def exceeds(self) -> bool:
        return self.used * NANOS_PER_UNIT > self.exceedable


class EvictionKey(NamedTuple):
    """A key by which pods are ordered for eviction, the smallest value first."""

    title: str
    of: Callable[[EvictionCandidate], float]
    text: Callable[[EvictionCandidate], str]


class Ranked(msgspec.Struct, frozen=True):
    """A pod in its place in the order of evictions, with title and text of each key's value."""

    pod: Object
    keys: tuple[tuple[str, str], ...]


def _share(candidate: EvictionCandidate) -> float:
    if not candidate.requested:
        return float("inf") if candidate.used else 0.0
    return candidate.used * NANOS_PER_UNIT / candidate.requested


_KNOWN = EvictionKey(
    "statistics", lambda one: one.is_known, lambda one: "known" if one.is_known else "missing"
)
_EXCEEDS = EvictionKey(
    "above requests",
    lambda one: one.is_known and not one.exceeds,
    lambda one: "unknown" if not one.is_known else "yes" if one.exceeds else "no",
)
_PRIORITY = EvictionKey(
    "priority", lambda one: pod_priority(one.pod), lambda one: str(pod_priority(one.pod))
)
_BEYOND = EvictionKey(
    "usage beyond requests",
    lambda one: one.requested - one.used * NANOS_PER_UNIT if one.is_known else 0,
    lambda one: f"{one.used - one.requested / NANOS_PER_UNIT:+.15g}" if one.is_known else "unknown",
)
_PROCESSES = EvictionKey("processes", lambda one: -one.used, lambda one: str(one.used))
_SHARE = EvictionKey(
    "usage / requests",
    lambda one: -_share(one),
    lambda one: f"{_share(one):.0%}" if one.is_known else "unknown",
)

# Pods without statistics come first, but after priority where nothing is compared with requests.
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
    """The pods in the order of their eviction, equals as given; raises QuantityError."""
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
    candidates.sort(key=lambda one: [key.of(one) for key in keys])
    return [
        Ranked(one.pod, tuple((key.title, key.text(one)) for key in keys)) for one in candidates
    ]
