"""Rules about a KubeletConfiguration: eviction thresholds that can't work."""

from collections.abc import Iterator, Mapping
from itertools import product

from podium.api.objects import Object, status_of
from podium.api.values.message_words import count
from podium.api.values.quantity import value
from podium.kubelet.eviction.signals import CAPACITY_SIGNALS, Signal
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.kubelet_config import DEFAULT_HARD, KIND
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.rules.topology import node_names

_KUBELET: Object = {"kind": KIND}
_UNIT = 10**9


@Rule
def eviction_threshold_invalid(view: ClusterView) -> Iterator[Offence]:
    """The kubelet can't parse the thresholds, or a soft threshold has no grace period."""
    config = view.kubelet
    if config is None:
        return
    for fault in config.threshold_faults():
        yield Offence(_KUBELET, fault.message, fault.field)
    for signal in config.eviction_soft:
        if signal not in config.eviction_soft_grace_period:
            message = f"{signal} has no grace period"
            yield Offence(_KUBELET, message, "evictionSoftGracePeriod")


@Rule
def eviction_soft_below_hard(view: ClusterView) -> Iterator[Offence]:
    """On some node, a soft threshold is at or below the hard threshold of its signal."""
    for hard, soft in product(_thresholds(view), repeat=2):
        if soft.signal is not hard.signal or soft.is_hard or not hard.is_hard:
            continue
        low, high = soft.value, hard.value
        if low.quantity is None and high.quantity is None:
            is_below = low.share <= high.share
        elif low.quantity is not None and high.quantity is not None:
            is_below = low.quantity <= high.quantity
        else:
            capacities = (_capacity(hard, node) for node in view.nodes)
            is_below = any(low.of(one) <= high.of(one) for one in capacities if one)
        if is_below:
            message = f"{soft.signal}<{low} is met after the hard {high}"
            yield Offence(_KUBELET, message, f"evictionSoft[{soft.signal}]")


@Rule
def eviction_threshold_above_capacity(view: ClusterView) -> Iterator[Offence]:
    """A threshold is at least 100 %, or the whole capacity of a node."""
    for threshold in _thresholds(view):
        field = "evictionHard" if threshold.is_hard else "evictionSoft"
        if threshold.value.quantity is None and threshold.value.share >= 1:
            message = f"{threshold.signal}<{threshold.value} is always met"
            yield Offence(_KUBELET, message, f"{field}[{threshold.signal}]")
            continue
        small = [
            node
            for node in view.nodes
            if (capacity := _capacity(threshold, node))
            and threshold.value.of(capacity).nanos >= capacity * _UNIT
        ]
        if small:
            message = (
                f"{threshold.signal}<{threshold.value} is always met on {count(len(small), 'node')}"
            )
            yield Offence(_KUBELET, message, f"{field}[{threshold.signal}]", node_names(small))


@Rule
def eviction_defaults_dropped(view: ClusterView) -> Iterator[Offence]:
    """The given hard thresholds lack a signal that has a default threshold."""
    config = view.kubelet
    if config is None or config.eviction_hard is None or config.merge_default_eviction_settings:
        return
    dropped = [signal for signal in DEFAULT_HARD if signal not in config.eviction_hard]
    if dropped:
        message = f"no hard threshold is left for {', '.join(dropped)}"
        yield Offence(_KUBELET, message, "evictionHard")


@Rule
def soft_eviction_without_grace(view: ClusterView) -> Iterator[Offence]:
    """There are soft thresholds, but `evictionMaxPodGracePeriod` is 0."""
    config = view.kubelet
    if config is not None and config.eviction_soft and config.eviction_max_pod_grace_period <= 0:
        message = "pods that a soft threshold evicts have a second to end"
        yield Offence(_KUBELET, message, "evictionMaxPodGracePeriod")


def _thresholds(view: ClusterView) -> tuple[Threshold, ...]:
    """Return the thresholds without `allocatableMemory.available`; none if they are invalid."""
    config = view.kubelet
    if config is None or [*config.threshold_faults()]:
        return ()
    if config.eviction_soft.keys() - config.eviction_soft_grace_period.keys():
        return ()
    thresholds = config.eviction.thresholds
    return tuple(one for one in thresholds if one.signal is not Signal.ALLOCATABLE_MEMORY_AVAILABLE)


def _capacity(threshold: Threshold, node: Object) -> int:
    capacity: Mapping[str, str] = status_of(node).get("capacity") or {}
    is_stated = threshold.signal in CAPACITY_SIGNALS
    amount = capacity.get(threshold.signal.resource) if is_stated else None
    return 0 if amount is None else value(amount)
