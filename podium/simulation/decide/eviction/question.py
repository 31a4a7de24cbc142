"""A question about eviction, as it is written."""

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

_AMOUNT = "must be a quantity, a number or a text such as 500Mi"
_STALE = "must be true, or a list of groups of node statistics"
_SEPARATE_DISK_GC = "KubeletSeparateDiskGC"


def _amount(given: Any) -> Any:
    try:
        nanos(given)
    except (InvalidValueError, TypeError, ValueError):
        raise fault(_AMOUNT) from None
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
        raise fault(_STALE)
    return given


Amount = Annotated[
    Any, BeforeValidator(_amount), WithJsonSchema({"type": ["string", "integer", "number"]})
]
Usages = Annotated[Any, BeforeValidator(_amounts)]
Groups = dict[str, Amounts | None]
"""Node statistics by group: what is available, and the capacity."""


class Partitions(Document):
    """How a node's disks are partitioned."""

    dedicated_image_fs: bool = False
    split_container_image_fs: bool = False

    @property
    def filesystems(self) -> Filesystems:
        return Filesystems(self.dedicated_image_fs, self.split_container_image_fs)


class WrittenThreshold(Document):
    """A threshold as it stands in a record."""

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
    """The eviction settings of a kubelet, as a question gives them.

    Attributes:
        kubelet_defaults: whether the kubelet's default thresholds go for what isn't said.
        thresholds: instead of those of a KubeletConfiguration.
        keep_evicted: whether pods that were evicted are there in the next round, too.
        no_fs_defaulting: groups of filesystems aren't derived from each other.
    """

    kubelet_defaults: bool = False
    thresholds: Tuple[WrittenThreshold] | None = None
    keep_evicted: bool = False
    no_fs_defaulting: bool = False

    def eviction_config(self, gates: Mapping[str, bool]) -> EvictionConfig:
        """Return the configuration of an eviction manager; raises ThresholdError."""
        found = self.eviction if self.kubelet_defaults else self.eviction_as_written()
        if self.thresholds is not None:
            found = replace(found, thresholds=tuple(one.threshold for one in self.thresholds))
        separates = gates.get(_SEPARATE_DISK_GC, True)
        return replace(found, filesystems=self.filesystems, separates_disk_gc=separates)


class Usage(Document):
    """What a pod uses: one amount, or amounts by container and volume."""

    memory: Usages = None
    disk: Annotated[dict[str, Any] | None, BeforeValidator(_amounts)] = None
    inodes: Usages = None
    ephemeral_storage: Amount = None
    processes: Amount = 0


class EvictionStep(Document):
    """What happens before a round, and what the round finds.

    Attributes:
        advance: how much time passes.
        node: node statistics by group; each step changes what it names.
        usage: by pod; null: nothing is known.
        gc_reclaims: node statistics once garbage collection has run.
        gc_reclaims_images: the same, if images were collected.
        gc_reclaims_containers: the same, if containers were collected.
        gc_error: why garbage collection fails.
        add_pods: pods that come.
        remove_pods: the names of pods that go.
        admit: pods that the node is asked to take after the round.
        stale: whether statistics weren't measured anew: of these groups, or of all.
    """

    advance: Duration = 0.0
    node: Groups = {}
    usage: dict[str, Usage | None] = {}
    gc_reclaims: Groups = {}
    gc_reclaims_images: Groups = {}
    gc_reclaims_containers: Groups = {}
    gc_error: str = ""
    add_pods: Pods = ()
    remove_pods: Tuple[str] = ()
    admit: Pods | None = None
    stale: Annotated[Any, BeforeValidator(_stale)] = ()


class ThresholdsMet(Document):
    """Asks which thresholds are met."""

    config: Configuration = Configuration()
    node: Groups = {}
    enforce_min_reclaim: bool = False


class ThresholdQuantity(Document):
    """How much is a threshold of a capacity?"""

    value: str
    capacity: Amount


class Rank(Partitions):
    """In which order are pods evicted?"""

    signal: str
    pods: Pods
    usage: dict[str, Usage | None] = {}


class OutOfMemory(Document):
    """How likely is a container to be killed when memory runs out?"""

    pod: Pod
    memory_capacity: Amount
    container: str | None = None


class Admit(Document):
    """Does a node in these conditions take a pod?"""

    pod: Pod
    conditions: Tuple[str] = ()


class EvictionQuestion(Document):
    """A question; exactly one field says which.

    Attributes:
        id: given back with the answer.
        defaults: whether the API server's defaults are filled into pods.
        feature_gates: as the kubelet has them.
        config: for `steps`: how eviction is configured.
        pods: for `steps`: that are there at the beginning.
        steps: what does a node do, round by round?
        parse: which thresholds does a configuration make?
        update_container_fs: and which ones, once those of containerfs are derived?
        thresholds_met: which thresholds are met?
        threshold_quantity: how much is a threshold?
        rank: in which order are pods evicted?
        oom: how likely are containers to be killed when memory runs out?
        qos: of which class is a pod?
        critical: is a pod spared?
        admit: does a node take a pod?
    """

    id: Any = ""
    defaults: bool = False
    feature_gates: dict[str, bool] = {}
    config: Configuration = Configuration()
    pods: Pods = ()
    steps: Tuple[EvictionStep] | None = None
    parse: Configuration | None = None
    update_container_fs: Configuration | None = None
    thresholds_met: ThresholdsMet | None = None
    threshold_quantity: ThresholdQuantity | None = None
    rank: Rank | None = None
    oom: OutOfMemory | None = None
    qos: Pod | None = None
    critical: Pod | None = None
    admit: Admit | None = None

    @property
    def subject(self) -> str:
        return next(name for name in _SUBJECTS if getattr(self, name) is not None)

    def contradictions(self) -> Iterator[FieldError]:
        if all(getattr(self, name) is None for name in _SUBJECTS):
            names = ", ".join(map(to_camel, _SUBJECTS))
            yield FieldError("", OMITTED, f"must have one of the fields {names}")


# Of these fields each question has one.
_SUBJECTS = tuple(
    name for name, field in EvictionQuestion.model_fields.items() if field.default is None
)
