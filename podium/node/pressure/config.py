"""How a node's eviction is configured: as KubeletConfiguration has it, with v1.36's defaults."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.durations import NANOS_PER_SECOND, DurationError, parse_duration
from podium.api.quantity import Quantity, nanos, parse_quantity, value
from podium.node.pressure.filesystems import Filesystems
from podium.node.pressure.flags import BELOW, EQUALS, parse_flag
from podium.node.pressure.parsing import Statements, ThresholdError, parse_thresholds
from podium.node.pressure.ranking import EvictionOrder
from podium.node.pressure.signals import EPHEMERAL_STORAGE, MEMORY, Signal
from podium.node.pressure.thresholds import Threshold

Object = Mapping[str, Any]

DEFAULT_HARD: Statements = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
}
"""v1.36's hard thresholds on Linux."""

PODS_ENFORCED = "pods"
DEFAULT_TRANSITION_PERIOD_S = 300.0
DEFAULT_HOUSEKEEPING_S = 10.0
"""How long the manager waits after a round in which it evicted nobody."""

_THRESHOLDS = ("evictionHard", "evictionSoft")
_STATEMENTS = (*_THRESHOLDS, "evictionSoftGracePeriod", "evictionMinimumReclaim")
RESERVATIONS = ("systemReserved", "kubeReserved")
# The hard thresholds that are kept from pods.
_KEPT_FOR = {Signal.MEMORY_AVAILABLE: MEMORY, Signal.NODEFS_AVAILABLE: EPHEMERAL_STORAGE}

KUBELET_FIELDS = (
    *_STATEMENTS,
    *RESERVATIONS,
    "evictionMaxPodGracePeriod",
    "evictionPressureTransitionPeriod",
    "enforceNodeAllocatable",
    "localStorageCapacityIsolation",
    "mergeDefaultEvictionSettings",
)
"""The fields of a KubeletConfiguration that are about eviction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictionConfig:
    """How pods are evicted under pressure.

    Attributes:
        thresholds: when.
        max_pod_grace_period_s: what a pod gets at most when a soft threshold evicts it.
        transition_period_s: how long a node condition stays after its thresholds were last met.
        isolates_local_storage: whether limits of local storage are enforced.
        filesystems: of the node.
        order: in which pods go.
        housekeeping_s: between two rounds.
        separates_disk_gc: the feature gate KubeletSeparateDiskGC, without which the kubelet can't
            work where images and containers are split.
    """

    thresholds: tuple[Threshold, ...] = ()
    max_pod_grace_period_s: int = 0
    transition_period_s: float = DEFAULT_TRANSITION_PERIOD_S
    isolates_local_storage: bool = True
    filesystems: Filesystems = field(default_factory=Filesystems)
    order: EvictionOrder = EvictionOrder.DEFAULT
    housekeeping_s: float = DEFAULT_HOUSEKEEPING_S
    separates_disk_gc: bool = True


def read_config(kubelet: Object) -> EvictionConfig:
    """The part of a KubeletConfiguration that is about eviction, defaults filled in.

    Raises:
        ThresholdError: the first fault.
    """
    return read_exactly(with_defaults(kubelet))


def with_defaults(kubelet: Object) -> Object:
    """A KubeletConfiguration with the defaults of v1.36 for what it doesn't say.

    Its hard thresholds replace the default ones altogether, unless it asks to merge them.
    """
    hard = kubelet.get("evictionHard")
    if hard is None:
        hard = DEFAULT_HARD
    elif kubelet.get("mergeDefaultEvictionSettings"):
        hard = {**DEFAULT_HARD, **_statements(kubelet, "evictionHard")}
    return {"enforceNodeAllocatable": [PODS_ENFORCED], **kubelet, "evictionHard": hard}


def read_exactly(kubelet: Object) -> EvictionConfig:
    """The same without default thresholds; raises ThresholdError."""
    hard, soft, grace_period, reclaim = (_statements(kubelet, field) for field in _STATEMENTS)
    enforced = kubelet.get("enforceNodeAllocatable") or ()
    isolates = kubelet.get("localStorageCapacityIsolation")
    return EvictionConfig(
        thresholds=parse_thresholds(
            hard,
            soft,
            grace_period,
            reclaim,
            enforces_allocatable=PODS_ENFORCED in _texts(enforced, "enforceNodeAllocatable"),
        ),
        max_pod_grace_period_s=_whole(kubelet, "evictionMaxPodGracePeriod"),
        transition_period_s=_transition_period_s(kubelet),
        isolates_local_storage=isolates is None or bool(isolates),
    )


def allocatable(capacity: Mapping[str, str], kubelet: Object) -> dict[str, str]:
    """What of a node's capacity is left for pods: less what is reserved, and hard thresholds.

    Args:
        capacity: quantities by resource.
        kubelet: the node's KubeletConfiguration.

    Raises:
        ThresholdError: its thresholds can't be used.
        QuantityError: an amount isn't a quantity.
    """
    kept: dict[str, int] = {}
    for reservations in RESERVATIONS:
        for resource, amount in (kubelet.get(reservations) or {}).items():
            kept[resource] = kept.get(resource, 0) + nanos(amount)
    for one in read_config(kubelet).thresholds:
        starved = _KEPT_FOR.get(one.signal, "")
        if starved in capacity and one.is_hard:
            threshold = one.value.of(value(capacity[starved])).nanos
            kept[starved] = kept.get(starved, 0) + threshold
    return {
        resource: str(_less(parse_quantity(amount), kept.get(resource, 0)))
        for resource, amount in capacity.items()
    }


def _less(amount: Quantity, kept_nanos: int) -> Quantity:
    left = Quantity(max(amount.nanos - kept_nanos, 0), amount.format)
    return left if kept_nanos else amount


def _statements(kubelet: Object, field: str) -> Statements:
    """What a field says by signal; it may be written as the kubelet's flag, too."""
    found = kubelet.get(field)
    if found is None:
        return {}
    if isinstance(found, str):
        return parse_flag(found, BELOW if field in _THRESHOLDS else EQUALS)
    if not isinstance(found, Mapping) or not all(isinstance(one, str) for one in found.values()):
        raise ThresholdError(f"{field}: must be texts by signal, such as memory.available: 100Mi")
    return found


def _texts(found: Iterable[object], field: str) -> list[str]:
    texts = [one for one in found if isinstance(one, str)]
    if isinstance(found, str) or texts != list(found):
        raise ThresholdError(f"{field}: must be a list such as [pods]")
    return texts


def _whole(kubelet: Object, field: str) -> int:
    number = kubelet.get(field) or 0
    if not isinstance(number, int) or isinstance(number, bool):
        raise ThresholdError(f"{field}: must be a whole number of seconds")
    return number


def _transition_period_s(kubelet: Object) -> float:
    """The period; none at all counts as not said."""
    text = kubelet.get("evictionPressureTransitionPeriod")
    try:
        period_s = parse_duration("0" if text is None else str(text)) / NANOS_PER_SECOND
        return period_s or DEFAULT_TRANSITION_PERIOD_S
    except DurationError as error:
        raise ThresholdError(f"evictionPressureTransitionPeriod: {error}") from None
