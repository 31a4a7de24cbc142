"""The top of a scenario file."""

from collections.abc import Sequence
from pathlib import Path

from podium.api.errors import ErrorKind, FieldError, PodiumError, unsupported
from podium.api.times import NANOS_PER_SECOND, TimeError, parse_time
from podium.apiserver.decoding.yaml_text import read_yaml
from podium.cluster import ClusterOptions
from podium.cluster.options import START_S
from podium.config.reading.fields import Fields, Findings
from podium.manifests.pod_limit import MAX_PODS, PodLimit
from podium.simulation.reading.cluster import (
    read_controllers,
    read_faults,
    read_latencies,
    read_node_settings,
    read_nodes,
    read_schedulers,
)
from podium.simulation.reading.steps import read_steps
from podium.simulation.reading.values import Context, manifests, seconds
from podium.simulation.scenario import API_VERSION, KIND, Scenario

_TOP = ("apiVersion", "kind", "metadata", "spec")
_METADATA = ("name", "labels", "annotations")
_SPEC = (
    "description",
    "seed",
    "start",
    "until",
    "nodes",
    "pods",
    "kubelet",
    "manifests",
    "controllers",
    "schedulers",
    "latencies",
    "faults",
    "steps",
)


class ScenarioError(PodiumError):
    """A file that isn't a scenario; a line for everything that is wrong with it."""


def read_scenario(
    path: str, text: str, seed: int | None = None, max_pods: int = MAX_PODS
) -> Scenario:
    """The scenario that a file holds.

    Args:
        path: the file's; manifests are named from where it is.
        text: what stands in it.
        seed: instead of the file's own.
        max_pods: how many new pods workloads may ask for.

    Raises:
        ScenarioError: with everything that is wrong.
    """
    documents = list(read_yaml(text))
    faults = [f"{path}, line {f.line}: {f.message}" for d in documents for f in d.faults]
    if not faults and len(documents) != 1:
        faults = [f"{path}: must hold one document, a {KIND}, but holds {len(documents)}"]
    if faults:
        raise ScenarioError("\n".join(faults))
    findings = Findings()
    context = Context(Path(path).parent, path, PodLimit(max_pods))
    scenario = _scenario(documents[0].value, findings, context, seed)
    if findings.faults:
        raise ScenarioError("\n".join(f"{path}: {fault}" for fault in findings.faults))
    return scenario


def _scenario(raw: object, findings: Findings, context: Context, seed: int | None) -> Scenario:
    top = Fields(raw, "", findings, _TOP)
    for name, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if not top.has(name):
            findings.faults.append(FieldError(name, None, wanted, ErrorKind.REQUIRED))
        elif top.raw(name) != wanted:
            findings.faults.append(unsupported(name, top.raw(name), [wanted]))
    name = top.nested("metadata", _METADATA).text("name", Path(context.file).stem)
    spec = top.nested("spec", _SPEC)
    spec.text("description")
    seed = spec.integer("seed", 0, bits=64) if seed is None else seed
    latency, provisioning_s = read_latencies(spec)
    options = ClusterOptions(
        seed=seed,
        start_s=_start_s(spec),
        schedulers=read_schedulers(spec, context),
        controllers=read_controllers(spec),
        nodes=read_node_settings(spec, seed),
        latency=latency,
        provisioning_s=provisioning_s,
        faults=read_faults(spec),
    )
    nodes: Sequence[object] = read_nodes(spec, context)
    return Scenario(
        name=name,
        options=options,
        objects=[*nodes, *manifests(spec, "manifests", context)],  # type: ignore[list-item]
        steps=read_steps(spec, context),
        until_s=seconds(spec, "until"),
    )


def _start_s(spec: Fields) -> float:
    raw = spec.text("start")
    if not raw:
        return START_S
    try:
        return parse_time(raw) / NANOS_PER_SECOND
    except TimeError as error:
        spec.fault("start", error.error.message)
        return START_S
