"""The KubeletConfiguration fields that Podium supports, with v1.36's defaults."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from podium.api.documents.document import (
    Amounts,
    Bits,
    Choice,
    Document,
    Duration,
    Range,
    Tuple,
    fault,
    read,
)
from podium.api.errors import FieldError
from podium.api.objects import Object
from podium.api.values.quantity import Quantity, nanos, parse_quantity, value
from podium.kubelet.eviction.eviction_manager import DEFAULT_TRANSITION_PERIOD_S, EvictionConfig
from podium.kubelet.eviction.signals import CAPACITY_SIGNALS
from podium.kubelet.eviction.threshold_parser import (
    BELOW,
    EQUALS,
    Statements,
    ThresholdError,
    parse_flag,
    parse_thresholds,
    parse_value,
)

API_VERSION = "kubelet.config.k8s.io/v1beta1"
KIND = "KubeletConfiguration"
SHUTDOWN_S = 30.0

DEFAULT_HARD: Statements = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
}
"""v1.36's hard thresholds on Linux."""

_STATEMENTS = (
    "eviction_hard",
    "eviction_soft",
    "eviction_soft_grace_period",
    "eviction_minimum_reclaim",
)

PODS_ENFORCED = "pods"


def _from_flag(separator: str) -> BeforeValidator:
    """Accept a map in the syntax of the kubelet's flags, such as `memory.available<1Gi`."""

    def checked(given: Any) -> Any:
        if not isinstance(given, str):
            return given
        try:
            return parse_flag(given, separator)
        except ThresholdError as error:
            raise fault(str(error)) from None

    return BeforeValidator(checked)


Thresholds = Annotated[dict[str, str], _from_flag(BELOW)]
BySignal = Annotated[dict[str, str], _from_flag(EQUALS)]
Reserved = Annotated[Amounts, _from_flag(EQUALS)]


class EvictionSettings(Document):
    """The fields of a KubeletConfiguration for eviction and reserved resources."""

    eviction_hard: Thresholds | None = None
    """Hard eviction thresholds; v1.36's defaults if empty."""
    eviction_soft: Thresholds = {}
    """Soft eviction thresholds."""
    eviction_soft_grace_period: BySignal = {}
    """Grace periods; each soft threshold needs one."""
    eviction_minimum_reclaim: BySignal = {}
    """Amounts above a threshold that must be available to resolve it."""
    eviction_max_pod_grace_period: Annotated[int, Bits(32)] = 0
    """Longest grace period of soft evictions, in seconds."""
    eviction_pressure_transition_period: Duration = 0.0
    """Time for which pressure conditions stay; 0 means 5m."""
    enforce_node_allocatable: Tuple[str] | None = None
    """`pods` to limit all pods to the node's allocatable resources."""
    local_storage_capacity_isolation: bool = True
    """Whether limits of local storage are enforced."""
    merge_default_eviction_settings: bool = False
    """Whether signals without a hard threshold keep the default."""
    system_reserved: Reserved = {}
    """Resources reserved for the system."""
    kube_reserved: Reserved = {}
    """Resources reserved for Kubernetes."""

    @cached_property
    def eviction(self) -> EvictionConfig:
        """Return the eviction settings with the kubelet's defaults; raises ThresholdError."""
        hard = DEFAULT_HARD if self.eviction_hard is None else self.eviction_hard
        if self.merge_default_eviction_settings:
            hard = {**DEFAULT_HARD, **hard}
        enforced = self.enforce_node_allocatable
        return self._config(hard, (PODS_ENFORCED,) if enforced is None else enforced)

    def eviction_as_written(self) -> EvictionConfig:
        """Return the eviction settings without default thresholds; raises ThresholdError."""
        return self._config(self.eviction_hard or {}, self.enforce_node_allocatable or ())

    def _config(self, hard: Statements, enforced: tuple[str, ...]) -> EvictionConfig:
        period_s = self.eviction_pressure_transition_period
        return EvictionConfig(
            thresholds=parse_thresholds(
                hard,
                self.eviction_soft,
                self.eviction_soft_grace_period,
                self.eviction_minimum_reclaim,
                enforces_allocatable=PODS_ENFORCED in enforced,
            ),
            max_pod_grace_period_s=self.eviction_max_pod_grace_period,
            transition_period_s=period_s or DEFAULT_TRANSITION_PERIOD_S,
            isolates_local_storage=self.local_storage_capacity_isolation,
        )

    def threshold_faults(self) -> Iterator[FieldError]:
        for name in _STATEMENTS:
            said: Statements = getattr(self, name) or {}
            alone = {key: said if key == name else {} for key in _STATEMENTS}
            if name == "eviction_soft":
                periods = self.eviction_soft_grace_period
                known = {signal: "1m" for signal in said if signal in periods}
                alone["eviction_soft_grace_period"] = known
            try:
                parse_thresholds(*alone.values(), enforces_allocatable=False)
            except ThresholdError as error:
                yield from (FieldError(to_camel(name), said, text) for text in error.faults)
                continue
            # The kubelet accepts NaN, and never evicts by it.
            for signal, text in said.items():
                if text.endswith("%") and math.isnan(parse_value(text).share):
                    yield FieldError(f"{to_camel(name)}[{signal}]", text, "must be a number")

    def allocatable(self, capacity: Mapping[str, str]) -> dict[str, str]:
        """Return the capacity less reserved amounts and hard thresholds; raises ThresholdError."""
        kept: Counter[str] = Counter()
        for reserved in (self.system_reserved, self.kube_reserved):
            for resource, amount in reserved.items():
                kept[resource] += nanos(amount)
        for threshold in self.eviction.thresholds:
            starved, is_kept = threshold.signal.resource, threshold.signal in CAPACITY_SIGNALS
            if is_kept and starved in capacity and threshold.is_hard:
                kept[starved] += threshold.value.of(value(capacity[starved])).nanos
        left = {resource: parse_quantity(amount) for resource, amount in capacity.items()}
        for resource, whole in left.items():
            if kept[resource]:
                left[resource] = Quantity(max(whole.nanos - kept[resource], 0), whole.format)
        return {resource: str(quantity) for resource, quantity in left.items()}


class KubeletConfiguration(EvictionSettings):
    """The configuration of a kubelet; fields that Podium doesn't support are accepted."""

    model_config = ConfigDict(extra="allow")

    api_version: Annotated[str, Choice((API_VERSION,))] = API_VERSION
    kind: Annotated[str, Choice((KIND,))] = KIND
    max_pods: Annotated[int, Range(0)] = 110
    """Greatest number of pods on the node."""
    shutdown_grace_period: Duration = 0.0
    """Longest grace period when the kubelet ends; 0 stands for 30s."""

    @property
    def unheeded(self) -> tuple[str, ...]:
        return tuple(sorted(self.model_extra or ()))

    @property
    def shutdown_s(self) -> float:
        return self.shutdown_grace_period or SHUTDOWN_S


class JudgedKubeletConfiguration(KubeletConfiguration):
    """A KubeletConfiguration whose thresholds are validated too."""

    def contradictions(self) -> Iterable[FieldError]:
        return self.threshold_faults()


def read_kubelet_config(raw: object) -> KubeletConfiguration:
    """Read a KubeletConfiguration or some of its fields; raises InvalidDocumentError."""
    return read(JudgedKubeletConfiguration, raw)


def read_eviction_config(raw: Object) -> EvictionConfig:
    """Read the eviction settings of a KubeletConfiguration; raises InvalidDocumentError."""
    return read_kubelet_config(raw).eviction
