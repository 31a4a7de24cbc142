"""The file of a scenario: `kind: Scenario`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator

from podium.api.codec.yaml_text import read_yaml
from podium.api.documents.document import (
    Bits,
    Choice,
    Document,
    Duration,
    Range,
    Tuple,
    decode,
    fault,
)
from podium.api.errors import ErrorKind, FieldError, InvalidValueError, PodiumError
from podium.api.objects import Object
from podium.api.pod_limit import MAX_PODS, PodLimit
from podium.api.values.times import TimeError, duration_seconds, epoch_s
from podium.cluster.drivers.faults import Faults
from podium.cluster.virtual import ClusterOptions, SchedulerSetup
from podium.cluster.virtual.cluster_options import start_s
from podium.kubelet.simulated.behaviour import (
    PREFIX,
    NodeSettings,
    ScriptedDuration,
    parse_scripted_duration,
)
from podium.simulation.scenario.fields import CONTEXT, Context, FaultRates, Manifests
from podium.simulation.scenario.scenario_cluster import (
    Controllers,
    KubeletSettings,
    Latencies,
    NodeTemplate,
    PodBehaviour,
    SchedulerEntry,
    Scripted,
)
from podium.simulation.scenario.steps import ScenarioStep, ServerSideApply, StepDocument

API_VERSION = "podium.dev/v1alpha1"
KIND = "Scenario"
_COUNT_MAX = 1_000_000


class ArrivalsDocument(Document):
    """Objects that are created repeatedly, with names `NAME-1`, `NAME-2`, and so on."""

    every: Scripted
    """Time between arrivals: `30s`, random as `10s..1m`, or exponential as `~30s`."""
    objects: Manifests
    """The objects to create."""
    from_s: Annotated[Duration, Field(alias="from")] = 0.0
    """Time from which the first interval counts."""
    until_s: Annotated[Duration | None, Field(alias="until")] = None
    """Time after which no objects are created."""
    count: Annotated[int, Range(0, _COUNT_MAX)] = MAX_PODS
    """Greatest number of arrivals."""

    @field_validator("every")
    @classmethod
    def _takes_time(cls, value: ScriptedDuration) -> ScriptedDuration:
        if not value.most_s:
            raise fault("must be longer than no time")
        return value

    def numbered(self, path: str, number: int, seed: int) -> ServerSideApply:
        """Return the objects of the arrival with a number, from 1.

        Random durations in annotations are drawn here, so that they don't depend on other events in
        the cluster. `path` is the path of these arrivals in the scenario.
        """
        rng = Random(f"{path}/{seed}/{number}")
        objects = []
        for obj in self.objects:
            metadata = {**obj["metadata"], "name": f"{obj['metadata']['name']}-{number}"}
            for key, text in (metadata.get("annotations") or {}).items():
                with suppress(InvalidValueError):
                    if key.startswith(PREFIX) and not parse_scripted_duration(text).is_fixed:
                        drawn = f"{parse_scripted_duration(text).draw(rng):.3f}s"
                        metadata["annotations"] = {**metadata["annotations"], key: drawn}
            objects.append({**obj, "metadata": metadata})
        return ServerSideApply(tuple(objects))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A cluster, and the timed actions of its users."""

    name: str
    options: ClusterOptions
    objects: Sequence[Object]
    steps: Sequence[ScenarioStep] = ()
    until_s: float | None = None
    """When the scenario ends, in seconds since the start; None to end with the last step."""
    arrivals: Mapping[str, ArrivalsDocument] = field(default_factory=dict)
    """Arrivals by their paths in the file."""


class Metadata(Document):
    """The metadata of a document."""

    name: str | None = None
    labels: dict[str, Any] = {}
    annotations: dict[str, Any] = {}


def _seconds_since_epoch(value: Any) -> float:
    try:
        return epoch_s(value)
    except TimeError as error:
        raise fault(error.error.message) from None


class Spec(Document):
    """The cluster of a scenario, with its steps and arrivals."""

    description: str = ""
    seed: Annotated[int, Bits(64)] = 0
    start: (
        Annotated[float, BeforeValidator(_seconds_since_epoch, json_schema_input_type=str)] | None
    ) = None
    until: Duration | None = None
    nodes: Tuple[NodeTemplate] = ()
    pods: PodBehaviour = PodBehaviour()
    kubelet: KubeletSettings = KubeletSettings()
    manifests: Manifests = ()
    assume_healthy: bool = False
    controllers: Controllers = Controllers()
    schedulers: Tuple[SchedulerEntry] | None = None
    latencies: Latencies = Latencies()
    faults: FaultRates = FaultRates()
    steps: Tuple[StepDocument] = ()
    arrivals: Tuple[ArrivalsDocument] = ()

    @classmethod
    def faults_as_written(cls, value: Mapping[str, Any]) -> Iterator[FieldError]:
        """Check that steps are in order, and that arrivals have an end."""
        last_s, steps = 0.0, value.get("steps")
        if value.get("arrivals") and not steps and value.get("until") is None:
            yield FieldError(
                "until", None, "when it ends; arrivals don't end it", ErrorKind.REQUIRED
            )
        for index, step in enumerate(steps if isinstance(steps, list) else ()):
            at = step.get("at") if isinstance(step, dict) else None
            at_s = duration_seconds(at) if isinstance(at, str) else None
            if at_s is not None and at_s < last_s:
                why = f"must not be before the step before it, at {last_s:g}s"
                yield FieldError(f"steps[{index}].at", at, why)
            last_s = last_s if at_s is None else at_s

    def options(self, seed: int, context: Context) -> ClusterOptions:
        entries = self.schedulers
        if entries is None and context.plugins:
            # An entry that isn't written has no fields to check.
            entries = (SchedulerEntry.model_construct(),)
        default = (SchedulerSetup(),)
        return ClusterOptions(
            seed=seed,
            start_s=start_s(self.objects()) if self.start is None else self.start,
            schedulers=default if entries is None else tuple(one.setup(context) for one in entries),
            controllers=self.controllers.names(),
            nodes=NodeSettings(
                behaviour=self.pods.behaviour(),
                eviction=self.kubelet.config(),
                seed=seed,
                records_lives=self.pods.events,
            ),
            latency=self.latencies.latency(),
            provisioning_s=self.latencies.volumes,
            faults=Faults(**self.faults.rates()),
            heals=self.assume_healthy,
        )

    def objects(self) -> Sequence[Any]:
        kubelet = self.kubelet if self.gives("kubelet") else None
        nodes = [node for template in self.nodes for node in template.nodes(kubelet)]
        return [*nodes, *self.manifests]


class ScenarioDocument(Document):
    """The file of a scenario."""

    api_version: Annotated[str, Choice((API_VERSION,))]
    kind: Annotated[str, Choice((KIND,))]
    metadata: Metadata = Metadata()
    spec: Spec


def read_scenario(
    path: str,
    text: str,
    seed: int | None = None,
    max_pods: int = MAX_PODS,
    plugins: Sequence[str] = (),
) -> Scenario:
    """Read a scenario; raises PodiumError.

    Names of manifests are relative to the directory of `path`. `plugins` are enabled in each
    scheduler in addition to its configuration.
    """
    return scenario_of(path, scenario_value(path, text), seed, max_pods, plugins)


def scenario_value(path: str, text: str) -> Any:
    """Read the document of a scenario as JSON values, without validation; raises PodiumError."""
    return one_document(path, text, KIND)


def one_document(path: str, text: str, kind: str) -> Any:
    """Read the only document of a text; raises PodiumError with a line for each fault."""
    documents = list(read_yaml(text))
    faults = [f"{path}, line {f.line}: {f.message}" for d in documents for f in d.faults]
    if not faults and len(documents) != 1:
        faults = [f"{path}: must hold one document, a {kind}, but holds {len(documents)}"]
    if faults:
        raise PodiumError("\n".join(faults))
    return documents[0].value


def scenario_of(
    path: str,
    value: Any,
    seed: int | None = None,
    max_pods: int = MAX_PODS,
    plugins: Sequence[str] = (),
) -> Scenario:
    """Read a scenario from JSON values; arguments and errors are those of `read_scenario`."""
    context = Context(Path(path).parent, path, PodLimit(max_pods), plugins)
    decoded = decode(ScenarioDocument, value, context={CONTEXT: context})
    if decoded.document is None:
        raise PodiumError("\n".join(f"{path}: {error}" for error in decoded.faults))
    spec = decoded.document.spec
    return Scenario(
        name=decoded.document.metadata.name or Path(context.file).stem,
        options=spec.options(spec.seed if seed is None else seed, context),
        objects=spec.objects(),
        steps=tuple(step.step(f"spec.steps[{at}]") for at, step in enumerate(spec.steps)),
        until_s=spec.until,
        arrivals={f"spec.arrivals[{at}]": arrival for at, arrival in enumerate(spec.arrivals)},
    )
