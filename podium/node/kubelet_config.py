"""What a KubeletConfiguration says, as far as Podium heeds it, with v1.36's defaults."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podium.api.durations import NANOS_PER_SECOND, DurationError, parse_duration
from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.quantity import Quantity, nanos, parse_quantity, value
from podium.node.pressure.eviction_config import DEFAULT_TRANSITION_PERIOD_S, EvictionConfig
from podium.node.pressure.signals import EPHEMERAL_STORAGE, MEMORY, Signal
from podium.node.pressure.threshold_parsing import (
    BELOW,
    EQUALS,
    Statements,
    ThresholdError,
    parse_flag,
    parse_thresholds,
)

API_VERSION = "kubelet.config.k8s.io/v1beta1"
KIND = "KubeletConfiguration"
PODS_MAX = 110
SHUTDOWN_S = 30.0

DEFAULT_HARD: Statements = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
}
"""v1.36's hard thresholds on Linux."""

PODS_ENFORCED = "pods"

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
_FIELDS = frozenset((*KUBELET_FIELDS, "maxPods", "shutdownGracePeriod", "apiVersion", "kind"))


class KubeletConfigError(PodiumError):
    """A KubeletConfiguration that can't be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeletConfig:
    """A KubeletConfiguration as far as it is heeded, with v1.36's defaults for the rest.

    Attributes:
        raw: the KubeletConfiguration, defaults filled in.
        eviction: what of it is about eviction.
        unheeded: the fields that aren't heeded.
        pods_max: how many pods it takes.
        shutdown_s: how long pods have at most when the kubelet ends.
    """

    raw: Object
    eviction: EvictionConfig
    unheeded: tuple[str, ...] = ()
    pods_max: int = PODS_MAX
    shutdown_s: float = SHUTDOWN_S


def read_kubelet_config(raw: Object) -> KubeletConfig:
    """Read a KubeletConfiguration, with v1.36's defaults for what it doesn't say.

    Args:
        raw: the object, or just some of its fields.

    Raises:
        PodiumError: something about it can't be used.
    """
    api_version, kind = raw.get("apiVersion", API_VERSION), raw.get("kind", KIND)
    if (api_version, kind) != (API_VERSION, KIND):
        raise KubeletConfigError(f"{api_version} {kind}: must be {API_VERSION} {KIND}")
    pods_max = raw.get("maxPods", PODS_MAX)
    if not isinstance(pods_max, int) or isinstance(pods_max, bool) or pods_max < 0:
        raise KubeletConfigError("maxPods: must be a whole number")
    return KubeletConfig(
        raw=with_defaults(raw),
        eviction=read_eviction_config(raw),
        unheeded=tuple(sorted(set(raw) - _FIELDS)),
        pods_max=pods_max,
        shutdown_s=_period_s(raw, "shutdownGracePeriod") or SHUTDOWN_S,
    )


def read_eviction_config(kubelet: Object) -> EvictionConfig:
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
    period_s = _period_s(kubelet, "evictionPressureTransitionPeriod")
    return EvictionConfig(
        thresholds=parse_thresholds(
            hard,
            soft,
            grace_period,
            reclaim,
            enforces_allocatable=PODS_ENFORCED in _texts(enforced, "enforceNodeAllocatable"),
        ),
        max_pod_grace_period_s=_whole(kubelet, "evictionMaxPodGracePeriod"),
        transition_period_s=period_s or DEFAULT_TRANSITION_PERIOD_S,
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
    for one in read_eviction_config(kubelet).thresholds:
        starved_resource = _KEPT_FOR.get(one.signal, "")
        if starved_resource in capacity and one.is_hard:
            threshold = one.value.of(value(capacity[starved_resource])).nanos
            kept[starved_resource] = kept.get(starved_resource, 0) + threshold
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


def _period_s(kubelet: Object, field: str) -> float:
    """A period; none at all counts as not said."""
    try:
        return parse_duration(str(kubelet.get(field) or "0")) / NANOS_PER_SECOND
    except DurationError as error:
        raise ThresholdError(f"{field}: {error}") from None
