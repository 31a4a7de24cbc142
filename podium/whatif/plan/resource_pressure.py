"""Pressure on nodes: plans in which little is left of a node's resource.

The usage of pods isn't part of a state. Unless their annotations script it, pods are assumed to use
what they request; the system uses the rest, so that the given amount is left.
"""

import math
from collections.abc import Iterable

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object, annotated, annotations, name, status_of
from podium.api.pods import is_finished, node_name_of
from podium.api.values.message_words import likely_meant
from podium.api.values.quantity import NANOS_PER_UNIT, value
from podium.apiserver.store.store import Store
from podium.kubelet.eviction.eviction_ranking import eviction_request_nanos
from podium.kubelet.eviction.pod_eviction import bytes_quantity
from podium.kubelet.eviction.signals import CAPACITY_SIGNALS, MEMORY, EvictionResource, Signal
from podium.kubelet.eviction.threshold_parser import ThresholdError, parse_value
from podium.kubelet.simulated.behaviour import BehaviourError
from podium.kubelet.simulated.scripted_usage import USAGE, usage_of
from podium.kubelet.simulated.stats_provider import usage_at

_RULE = "must be NODE:SIGNAL=AMOUNT, such as node-3:memory.available=50Mi; signals are {}"


class Pressure(msgspec.Struct, frozen=True):
    """The amount that is left of a resource on a node."""

    node: str
    signal: Signal
    amount: str

    def __str__(self) -> str:
        return f"{self.node}:{self.signal}={self.amount}"


def parse_pressure(text: str) -> Pressure:
    """Parse `NODE:SIGNAL=AMOUNT`; raises PodiumError."""
    node, colon, rest = text.partition(":")
    signal, equals, amount = rest.partition("=")
    if not (node and colon and equals) or signal not in list(CAPACITY_SIGNALS):
        raise PodiumError(f"--pressure {text}: {_RULE.format(', '.join(CAPACITY_SIGNALS))}")
    try:
        is_number = not math.isnan(parse_value(amount).share)
    except ThresholdError as error:
        raise PodiumError(f"--pressure {text}: {error}") from None
    if not is_number:
        raise PodiumError(f"--pressure {text}: {amount} isn't a number")
    return Pressure(node, Signal(signal), amount)


def press(store: Store, pressures: Iterable[Pressure]) -> None:
    """Script the usage of nodes and their pods by annotations; raises PodiumError."""
    for pressure in pressures:
        node = store.get("Node", "", pressure.node)
        if node is None:
            hint = likely_meant(pressure.node, map(name, store.list("Node").items))
            raise PodiumError(f"--pressure {pressure}: there is no node {pressure.node}{hint}")
        starved = pressure.signal.starved
        resource, used = starved.name, 0
        for pod in store.list("Pod").items:
            if node_name_of(pod) != pressure.node or is_finished(pod):
                continue
            scripted = with_usage(pod, (starved,))
            store.update("Pod", scripted)
            try:
                usage = usage_at(scripted, usage_of(scripted), 0.0, name(pod))
            except BehaviourError as error:
                raise PodiumError(f"Pod {name(pod)}: {error}") from None
            memory, storage = usage.memory_bytes or 0, usage.ephemeral_storage_bytes
            used += memory if resource == MEMORY else storage
        status = status_of(node)
        amounts = status.get("capacity") or status.get("allocatable") or {}
        if resource not in amounts:
            message = f"--pressure {pressure}: the node doesn't say how much {resource} it has"
            raise PodiumError(message)
        capacity = value(amounts[resource])
        left = parse_value(pressure.amount).of(capacity).nanos // NANOS_PER_UNIT
        system = capacity - used - left
        if system < 0:
            raise PodiumError(
                f"--pressure {pressure}: its pods use {bytes_quantity(used)}, "
                f"which leaves {bytes_quantity(-system)} less than that"
            )
        store.update("Node", _scripted(node, starved.annotation, system))


def with_usage(pod: Object, resources: Iterable[EvictionResource]) -> Object:
    """Script that a pod uses what it requests of resources, unless it is annotated already."""
    for resource in resources:
        what = resource.annotation
        if resource.is_requestable and USAGE + what not in annotations(pod):
            requested = eviction_request_nanos(pod, resource.name) // NANOS_PER_UNIT
            pod = _scripted(pod, what, requested)
    return pod


def _scripted(obj: Object, what: str, amount: int) -> Object:
    return annotated(obj, {USAGE + what: str(amount)})
