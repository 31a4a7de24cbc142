"""The cluster of a scenario: nodes, behaviour of pods, controllers, schedulers, the API."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Self

from msgspec.structs import replace
from pydantic import AfterValidator, BeforeValidator, ValidationInfo, model_validator

from podium.api.codec.yaml_text import read_yaml
from podium.api.documents.document import (
    Amounts,
    Choice,
    Document,
    Duration,
    InvalidDocumentError,
    Range,
    Required,
    Tuple,
    fault,
    refuse,
    unsupported,
)
from podium.api.errors import FieldError, InvalidValueError
from podium.api.objects import Object
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.cluster.drivers.faults import INSTANT, Latency
from podium.cluster.manifests.input_files import InputFileError, read_text
from podium.cluster.virtual import CONTROLLERS, SchedulerSetup
from podium.controllers.volumes.volume_provisioner import PROVISIONING_S
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.eviction.eviction_ranking import EvictionOrder
from podium.kubelet.kubelet_config import EvictionSettings
from podium.kubelet.simulated.behaviour import (
    DEFAULT_BEHAVIOUR,
    Behaviour,
    BehaviourError,
    ScriptedDuration,
    behaviour_of,
    node_behaviour_of,
    parse_scripted_duration,
)
from podium.scheduler.config.load import enabling, load_configuration
from podium.scheduler.machine.context import Features
from podium.scheduler.plugin_registry import plugin_factories
from podium.simulation.scenario.fields import Context, context_of, inline_objects

_NODES_MAX = 100_000


class TaintDocument(Document):
    """A taint of a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeTemplate(Document):
    """A number of equal nodes, named `NAME1`, `NAME2` and so on; without `count`, one `NAME`."""

    name: Annotated[str, Required("a name, or the beginning of names if there is a count")]
    count: Annotated[int, Range(0, _NODES_MAX)] | None = None
    capacity: Amounts = {}
    allocatable: Amounts = {}
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    taints: Tuple[TaintDocument] = ()
    zones: Tuple[str] = ()

    @model_validator(mode="after")
    def _makes_nodes(self, info: ValidationInfo) -> Self:
        # The first node stands for all of them.
        for node in self.nodes()[:1]:
            refuse(inline_objects(node, "", context_of(info).file)[1])
            try:
                behaviour_of(node)
                node_behaviour_of(node)
            except BehaviourError as error:
                refuse([FieldError("annotations", self.annotations, str(error))])
        return self

    def nodes(self, kubelet: EvictionSettings | None = None) -> list[Object]:
        """Return the nodes, with allocatable resources less what a kubelet reserves."""
        capacity = {"pods": "110", **self.capacity}
        left = capacity if kubelet is None else kubelet.allocatable(capacity)
        taints = [taint.model_dump(exclude_unset=True) for taint in self.taints]
        nodes: list[Object] = []
        for number in range(1 if self.count is None else self.count):
            name = self.name if self.count is None else f"{self.name}{number + 1}"
            zone = {ZONE_LABEL: self.zones[number % len(self.zones)]} if self.zones else {}
            labels = {HOSTNAME_LABEL: name, **zone, **self.labels}
            node = {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": labels, "annotations": self.annotations},
                "spec": {"taints": taints} if taints else {},
                "status": {"capacity": capacity, "allocatable": {**left, **self.allocatable}},
            }
            nodes.append(node)
        return nodes


def _scripted(endless: str = "") -> BeforeValidator:
    # Reads a duration that may be random, or endless.

    def read(value: Any) -> ScriptedDuration:
        if not isinstance(value, str):
            raise fault("must be a duration such as 30s")
        try:
            return parse_scripted_duration(value, endless)
        except InvalidValueError as error:
            raise fault(error.error.message) from None

    return BeforeValidator(read, json_schema_input_type=str)


Scripted = Annotated[ScriptedDuration, _scripted()]


class PodBehaviour(Document):
    """The behaviour of simulated pods whose annotations don't script another one."""

    startup: Scripted = DEFAULT_BEHAVIOUR.startup
    init_duration: Scripted = DEFAULT_BEHAVIOUR.init
    ready_after: Annotated[ScriptedDuration, _scripted("never")] = DEFAULT_BEHAVIOUR.ready_after
    run_duration: Annotated[ScriptedDuration, _scripted("forever")] = DEFAULT_BEHAVIOUR.run
    termination: Annotated[ScriptedDuration, _scripted("grace")] = DEFAULT_BEHAVIOUR.termination
    exit_code: Annotated[int, Range(0, 255)] = DEFAULT_BEHAVIOUR.exit_code
    events: bool = False

    def behaviour(self) -> Behaviour:
        return Behaviour(
            startup=self.startup,
            init=self.init_duration,
            ready_after=self.ready_after,
            run=self.run_duration,
            exit_code=self.exit_code,
            termination=self.termination,
        )


class KubeletSettings(EvictionSettings):
    """The eviction of pods under node pressure, by fields of a KubeletConfiguration."""

    eviction_order: Annotated[str, Choice(tuple(EvictionOrder))] = EvictionOrder.DEFAULT
    """Order in which pods are evicted."""
    housekeeping_interval: Duration = 0.0
    """Time between two measurements; 0 for the default of 10s."""

    def contradictions(self) -> Iterable[FieldError]:
        return self.threshold_faults()

    def config(self) -> EvictionConfig:
        return replace(
            self.eviction,
            order=EvictionOrder(self.eviction_order),
            housekeeping_s=self.housekeeping_interval or self.eviction.housekeeping_s,
        )


def _controller(name: str) -> str:
    if name not in CONTROLLERS:
        raise unsupported(CONTROLLERS)
    return name


Controller = Annotated[str, AfterValidator(_controller)]


class Controllers(Document):
    """The controllers that run: all, or all but the disabled ones, or only the enabled ones."""

    enabled: Tuple[Controller] | None = None
    disabled: Tuple[Controller] = ()

    def contradictions(self) -> Iterator[FieldError]:
        if self.enabled is not None and self.gives("disabled"):
            yield FieldError("disabled", [*self.disabled], "either enabled or disabled, not both")

    def names(self) -> frozenset[str] | None:
        if self.enabled is not None:
            return frozenset(self.enabled)
        return frozenset(CONTROLLERS) - set(self.disabled) if self.disabled else None


class FeatureGates(Document):
    """Feature gates of a scheduler, by default those of kube-scheduler."""

    scheduler_async_preemption: bool | None = None
    scheduler_pop_from_backoff_q: bool | None = None
    nominated_node_name_for_expectation: bool | None = None
    revert_failed_nominations: bool | None = None

    def features(self) -> Features:
        return Features(**self.model_dump(exclude_none=True))


class SchedulerEntry(Document):
    """A scheduler: its configuration, inline or in a file, and its feature gates."""

    file: str | None = None
    """File with a KubeSchedulerConfiguration, SchedulerOptions, or both."""
    configuration: Any = None
    """A KubeSchedulerConfiguration, SchedulerOptions, or a list of both."""
    features: FeatureGates = FeatureGates()

    @model_validator(mode="after")
    def _can_be_read(self, info: ValidationInfo) -> Self:
        documents, faults = self._documents(context_of(info))
        refuse(faults)
        try:
            load_configuration(documents, plugin_factories().keys())
        except InvalidDocumentError as error:
            refuse(error.errors)
        return self

    def setup(self, context: Context) -> SchedulerSetup:
        loaded = load_configuration(self._documents(context)[0], plugin_factories().keys())
        return SchedulerSetup(
            configuration=loaded.configuration,
            options=loaded.options,
            features=self.features.features(),
        )

    def _documents(self, context: Context) -> tuple[Sequence[object], list[FieldError]]:
        given = self.configuration
        documents: list[object] = [*given] if isinstance(given, list) else [given]
        documents = [document for document in documents if document is not None]
        if self.file is None:
            return enabling(context.plugins, documents), []
        try:
            text = read_text(context.directory / self.file)
        except InputFileError as error:
            return documents, [FieldError("file", self.file, f"can't be read: {error.why}")]
        read = list(read_yaml(text))
        faults = [
            FieldError("file", self.file, f"line {one.line}: {one.message}")
            for document in read
            for one in document.faults
        ]
        return enabling(context.plugins, [*documents, *(one.value for one in read)]), faults


class Latencies(Document):
    """Latencies of requests, responses and watches, and the time to provision a volume."""

    calls: Duration = 0.0
    answers: Duration = 0.0
    watches: Duration = 0.0
    distribution: Annotated[str, Choice(("constant", "exponential"))] = "constant"
    volumes: Duration = PROVISIONING_S

    def latency(self) -> Latency:
        times = (self.calls, self.answers, self.watches)
        is_exponential = self.distribution == "exponential"
        return Latency(*times, is_exponential=is_exponential) if any(times) else INSTANT
