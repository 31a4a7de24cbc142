"""Questions about eviction as documents."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import BeforeValidator, WithJsonSchema
from pydantic.alias_generators import to_camel

from podium.api.documents.document import Amounts, Document, Duration, Tuple, fault
from podium.api.errors import OMITTED, FieldError, InvalidValueError
from podium.api.values.quantity import nanos
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.threshold_parser import parse_signal, parse_value
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.kubelet_config import EvictionSettings
from podium.simulation.decide.scenario import Pod, Pods


def _amount(given: Any) -> Any:
    try:
        nanos(given)
    except (InvalidValueError, TypeError, ValueError):
        raise fault("must be a quantity, a number or a text such as 500Mi") from None
    return given


def _amounts(given: Any) -> Any:
    if isinstance(given, dict):
        return {name: _amounts(one) for name, one in given.items()}
    if isinstance(given, list):
        if not all(isinstance(one, dict) and {"name", "usage"} <= one.keys() for one in given):
            raise fault("must have a name and a usage in each entry")
        return [{**one, "usage": _amounts(one["usage"])} for one in given]
    return given if given is None else _amount(given)


def _stale(given: Any) -> Any:
    is_list = isinstance(given, list) and all(isinstance(one, str) for one in given)
    if not isinstance(given, bool) and not is_list:
        raise fault("must be true, or a list of groups of node statistics")
    return given


Amount = Annotated[
    Any, BeforeValidator(_amount), WithJsonSchema({"type": ["string", "integer", "number"]})
]
Usages = Annotated[Any, BeforeValidator(_amounts)]
Groups = dict[str, Amounts | None]
"""Node statistics by group: available amounts and capacities by name."""


class Partitions(Document):
    """Which filesystems of a node are separate."""

    dedicated_image_fs: bool = False
    split_container_image_fs: bool = False

    @property
    def filesystems(self) -> Filesystems:
        return Filesystems(self.dedicated_image_fs, self.split_container_image_fs)


class WrittenThreshold(Document):
    """A threshold as written in a record."""

    signal: str
    value: str
    grace_period: Duration = 0.0
    min_reclaim: str | None = None

    @property
    def threshold(self) -> Threshold:
        return Threshold(
            signal=parse_signal(self.signal),
            value=parse_value(self.value),
            grace_period_s=self.grace_period,
            min_reclaim=None if self.min_reclaim is None else parse_value(self.min_reclaim),
        )


class Configuration(EvictionSettings, Partitions):
    """The eviction settings of a kubelet."""

    kubelet_defaults: bool = False
    """Whether omitted settings have the kubelet's defaults."""
    thresholds: Tuple[WrittenThreshold] | None = None
    """Thresholds in place of those in KubeletConfiguration fields."""
    keep_evicted: bool = False
    """Whether evicted pods still exist in the next round."""
    no_fs_defaulting: bool = False
    """Whether a filesystem without statistics doesn't get those of the filesystem with which it
    shares a disk."""

    def eviction_config(self, gates: Mapping[str, bool]) -> EvictionConfig:
        """Return the configuration of an eviction manager; raises ThresholdError."""
        config = self.eviction if self.kubelet_defaults else self.eviction_as_written()
        if self.thresholds is not None:
            config = replace(config, thresholds=tuple(one.threshold for one in self.thresholds))
        separates = gates.get("KubeletSeparateDiskGC", True)
        return replace(config, filesystems=self.filesystems, separates_disk_gc=separates)


class Usage(Document):
    """The resource usage of a pod: one amount, or amounts by container and volume."""

    memory: Usages = None
    disk: Annotated[dict[str, Any] | None, BeforeValidator(_amounts)] = None
    inodes: Usages = None
    ephemeral_storage: Amount = None
    processes: Amount = 0


class EvictionStep(Document):
    """What happens before a round, and the statistics of the round."""

    advance: Duration = 0.0
    """Time that passes before the round."""
    node: Groups = {}
    """Changes of node statistics, by group."""
    usage: dict[str, Usage | None] = {}
    """Usage by pod; null if unknown."""
    gc_reclaims: Groups = {}
    """Changes of node statistics by garbage collection."""
    gc_reclaims_images: Groups = {}
    """Further changes if images are collected."""
    gc_reclaims_containers: Groups = {}
    """Further changes if containers are collected."""
    gc_error: str = ""
    """Error of garbage collection."""
    add_pods: Pods = ()
    """Pods to add before the round."""
    remove_pods: Tuple[str] = ()
    """Names of pods to remove before the round."""
    admit: Pods | None = None
    """Pods whose admission is tried after the round."""
    stale: Annotated[Any, BeforeValidator(_stale)] = ()
    """True if no statistics were measured since the last round, or the groups of which none
    were."""


class ThresholdsMet(Document):
    """The question which thresholds are met."""

    config: Configuration = Configuration()
    node: Groups = {}
    enforce_min_reclaim: bool = False


class ThresholdQuantity(Document):
    """The question which amount a threshold is, given the capacity."""

    value: str
    capacity: Amount


class Rank(Partitions):
    """The question in which order pods are evicted."""

    signal: str
    pods: Pods
    usage: dict[str, Usage | None] = {}


class OutOfMemory(Document):
    """The question how likely a container is killed when memory runs out."""

    pod: Pod
    memory_capacity: Amount
    container: str | None = None


class Admit(Document):
    """The question whether a node with these conditions admits a pod."""

    pod: Pod
    conditions: Tuple[str] = ()


class EvictionQuestion(Document):
    """A question about eviction; exactly one of the fields from `steps` on must be set."""

    id: Any = ""
    """Identifier, returned with the answer."""
    defaults: bool = False
    """Whether to fill the API server's defaults into pods."""
    feature_gates: dict[str, bool] = {}
    """Feature gates of the kubelet."""
    config: Configuration = Configuration()
    """Eviction settings for `steps`."""
    pods: Pods = ()
    """Pods that exist at the beginning of `steps`."""
    steps: Tuple[EvictionStep] | None = None
    """What does a node do, round by round?"""
    parse: Configuration | None = None
    """Which thresholds does a configuration have?"""
    update_container_fs: Configuration | None = None
    """Which thresholds does it have, including those derived for containerfs?"""
    thresholds_met: ThresholdsMet | None = None
    """Which thresholds are met?"""
    threshold_quantity: ThresholdQuantity | None = None
    """Which amount is a threshold?"""
    rank: Rank | None = None
    """In which order are pods evicted?"""
    oom: OutOfMemory | None = None
    """How likely are containers to be killed when memory runs out?"""
    qos: Pod | None = None
    """Of which QoS class is a pod?"""
    critical: Pod | None = None
    """Is a pod critical, and so never evicted?"""
    admit: Admit | None = None
    """Does a node admit a pod?"""

    @property
    def subject(self) -> str:
        return next(name for name in _SUBJECTS if getattr(self, name) is not None)

    def contradictions(self) -> Iterator[FieldError]:
        if all(getattr(self, name) is None for name in _SUBJECTS):
            names = ", ".join(map(to_camel, _SUBJECTS))
            yield FieldError("", OMITTED, f"must have one of the fields {names}")


# The fields of which each question has one.
_SUBJECTS = tuple(
    name for name, field in EvictionQuestion.model_fields.items() if field.default is None
)
