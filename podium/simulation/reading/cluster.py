"""What a scenario says of its cluster: nodes, pods' behaviour, controllers, schedulers, the API."""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import InvalidValue, unsupported
from podium.apiserver.decoding.yaml_text import read_yaml
from podium.cluster import CONTROLLERS, SchedulerSetup
from podium.config.errors import InvalidConfiguration
from podium.config.load import load_configuration
from podium.config.reading.fields import Fields
from podium.controllers.scheduler.options import Features
from podium.controllers.volumes.provisioner import PROVISIONING_S
from podium.node.simulated.behaviour import (
    DEFAULT_BEHAVIOUR,
    Behaviour,
    BehaviourError,
    behaviour_of,
    node_behaviour_of,
)
from podium.node.simulated.durations import ScriptedDuration, parse_scripted_duration
from podium.node.simulated.settings import NodeSettings
from podium.profile import plugin_factories
from podium.runtime.faults import Faults
from podium.runtime.latency import INSTANT, ConstantLatency, ExponentialLatency, Latency
from podium.simulation.reading.eviction import node_allocatable, read_eviction
from podium.simulation.reading.values import Context, amounts, fraction, inline_objects, seconds

Object = Mapping[str, Any]

_NODE = ("name", "count", "capacity", "allocatable", "labels", "annotations", "taints", "zones")
_SPANS = {
    "startup": ("startup", ""),
    "initDuration": ("init", ""),
    "readyAfter": ("ready_after", "never"),
    "runDuration": ("run", "forever"),
    "termination": ("termination", "grace"),
}
_RATES = {
    "refused": "refused",
    "unanswered": "unanswered",
    "slow": "slow",
    "repeated": "repeated",
    "brokenWatches": "broken_watches",
    "slowWatches": "slow_watches",
    "restarts": "restarts",
}
_FEATURES = {
    "schedulerAsyncPreemption": "scheduler_async_preemption",
    "schedulerPopFromBackoffQ": "scheduler_pop_from_backoff_q",
    "nominatedNodeNameForExpectation": "nominated_node_name_for_expectation",
    "revertFailedNominations": "revert_failed_nominations",
}
_LATENCIES = ("calls", "answers", "watches", "distribution", "volumes")
_DISTRIBUTIONS = ("constant", "exponential")
_HOSTNAME, _ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def read_nodes(spec: Fields, context: Context) -> list[Object]:
    """The nodes that templates stand for: `NAME`, or `NAME1`, `NAME2`, ... if there is a count."""
    found: list[Object] = []
    for fields in spec.each("nodes", _NODE):
        nodes = _nodes(fields, spec)
        if nodes and not fields.findings.faults:
            _judge(nodes[0], fields, context)
        found += nodes
    return found


def _judge(node: Object, fields: Fields, context: Context) -> None:
    """Note what is wrong with a template's first node; the others are like it."""
    fields.findings.faults += inline_objects(node, fields.path, context.file)[1]
    try:
        behaviour_of(node)
        node_behaviour_of(node)
    except BehaviourError as error:
        fields.fault("annotations", str(error))


def _nodes(fields: Fields, spec: Fields) -> list[Object]:
    called = fields.text("name")
    if not called:
        fields.fault("name", "must be a name, or the beginning of names if there is a count")
    has_count = fields.has("count")
    count = fields.integer_in("count", 1, 0, 100_000)
    capacity = {"pods": "110", **amounts(fields, "capacity")}
    allocatable = {**node_allocatable(spec, capacity), **amounts(fields, "allocatable")}
    labels, zones = fields.nested("labels", None).strings(), fields.texts("zones")
    annotations = fields.nested("annotations", None).strings()
    taints = [one.strings() for one in fields.each("taints", ("key", "value", "effect"))]
    nodes: list[Object] = []
    for number in range(count):
        name = f"{called}{number + 1}" if has_count else called
        zone = {_ZONE: zones[number % len(zones)]} if zones else {}
        metadata = {
            "name": name,
            "labels": {_HOSTNAME: name, **zone, **labels},
            "annotations": annotations,
        }
        nodes.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": metadata,
                "spec": {"taints": taints} if taints else {},
                "status": {"capacity": capacity, "allocatable": allocatable},
            }
        )
    return nodes


def read_node_settings(spec: Fields, seed: int) -> NodeSettings:
    """How pods behave that don't say otherwise, and how nodes evict them."""
    fields = spec.nested("pods", (*_SPANS, "exitCode", "events"))
    found: dict[str, Any] = {}
    for name, (attribute, endless) in _SPANS.items():
        span = _span(fields, name, endless)
        if span is not None:
            found[attribute] = span
    if fields.has("exitCode"):
        found["exit_code"] = fields.integer_in("exitCode", 0, 0, 255)
    behaviour = Behaviour(**found) if found else DEFAULT_BEHAVIOUR
    return NodeSettings(
        behaviour=behaviour,
        eviction=read_eviction(spec),
        seed=seed,
        records_lives=fields.boolean("events"),
    )


def _span(fields: Fields, name: str, endless: str) -> ScriptedDuration | None:
    text = fields.text(name)
    if not text:
        return None
    try:
        return parse_scripted_duration(text, endless)
    except InvalidValue as error:
        fields.fault(name, error.error.message)
        return None


def read_controllers(spec: Fields) -> frozenset[str] | None:
    """Which controllers run: all, or all but the disabled ones, or only the enabled ones."""
    fields = spec.nested("controllers", ("enabled", "disabled"))
    enabled, disabled = fields.texts("enabled"), fields.texts("disabled")
    if fields.has("enabled") and fields.has("disabled"):
        fields.fault("disabled", "either enabled or disabled, not both")
    for field, names in (("enabled", enabled), ("disabled", disabled)):
        for index, name in enumerate(names):
            if name not in CONTROLLERS:
                path = f"{fields.at(field)}[{index}]"
                fields.findings.faults.append(unsupported(path, name, CONTROLLERS))
    if fields.has("enabled"):
        return frozenset(enabled) & CONTROLLERS.keys()
    return frozenset(CONTROLLERS) - set(disabled) if disabled else None


def read_schedulers(spec: Fields, context: Context) -> tuple[SchedulerSetup, ...]:
    """The schedulers; the default one unless there is a list."""
    if not spec.has("schedulers"):
        return (SchedulerSetup(),)
    known = ("file", "configuration", "features")
    return tuple(_scheduler(fields, context) for fields in spec.each("schedulers", known))


def _scheduler(fields: Fields, context: Context) -> SchedulerSetup:
    features = fields.nested("features", tuple(_FEATURES))
    gates = {
        attribute: features.boolean(name)
        for name, attribute in _FEATURES.items()
        if features.has(name)
    }
    documents: list[object] = []
    if fields.has("configuration"):
        documents.append(fields.raw("configuration"))
    if fields.has("file"):
        documents += _documents(fields, context)
    try:
        loaded = load_configuration(documents, plugin_factories().keys())
    except InvalidConfiguration as error:
        for fault in error.errors:
            fields.findings.faults.append(fault.under(fields.path))
        return SchedulerSetup()
    return SchedulerSetup(
        configuration=loaded.configuration, options=loaded.options, features=Features(**gates)
    )


def _documents(fields: Fields, context: Context) -> list[object]:
    try:
        text = (context.directory / fields.text("file")).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fields.fault("file", f"can't be read: {error}")
        return []
    documents = list(read_yaml(text))
    for fault in (fault for document in documents for fault in document.faults):
        fields.fault("file", f"line {fault.line}: {fault.message}")
    return [document.value for document in documents]


def read_latencies(spec: Fields) -> tuple[Latency, float]:
    """How long calls, answers and watches take, and how long to make a volume, in seconds."""
    fields = spec.nested("latencies", _LATENCIES)
    volumes_s = seconds(fields, "volumes")
    provisioning_s = PROVISIONING_S if volumes_s is None else volumes_s
    times = [seconds(fields, name) or 0.0 for name in ("calls", "answers", "watches")]
    distribution = fields.text("distribution", _DISTRIBUTIONS[0])
    if distribution not in _DISTRIBUTIONS:
        fields.findings.faults.append(
            unsupported(fields.at("distribution"), distribution, _DISTRIBUTIONS)
        )
    if not any(times):
        return INSTANT, provisioning_s
    latency = ExponentialLatency if distribution == "exponential" else ConstantLatency
    return latency(*times), provisioning_s


def read_faults(spec: Fields) -> Faults:
    """What goes wrong from the start."""
    return Faults(**read_rates(spec.nested("faults", (*_RATES, "slowness"))))


def read_rates(fields: Fields) -> dict[str, float]:
    """What goes wrong how often, by the names of the fields of `Faults`."""
    rates = {
        attribute: fraction(fields, name) for name, attribute in _RATES.items() if fields.has(name)
    }
    slow_s = seconds(fields, "slowness")
    if slow_s:
        rates["slow_s"] = slow_s
    return rates


RATE_FIELDS = (*_RATES, "slowness")
