"""Answers to questions about eviction, by the field that is set in the question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_camel

from podium.api.documents.document import read
from podium.api.errors import FieldError, InvalidValueError, unsupported
from podium.api.objects import DEFAULT_NAMESPACE, Object, key, metadata_of, spec_of, uid
from podium.api.pods import init_containers_of
from podium.api.priority import is_critical, is_mirror, is_node_critical, is_static
from podium.api.resources import qos_class, stored_or_computed_qos
from podium.api.values.quantity import ceil_value, value
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.kubelet.eviction.eviction_ranking import rank
from podium.kubelet.eviction.oom_score import oom_score_adj
from podium.kubelet.eviction.threshold_parser import ThresholdError, parse_signal, parse_value
from podium.kubelet.eviction.thresholds import Threshold, thresholds_met
from podium.simulation.decide.eviction.question import (
    Admit,
    Configuration,
    EvictionQuestion,
    EvictionStep,
    OutOfMemory,
    Rank,
    ThresholdQuantity,
    ThresholdsMet,
)
from podium.simulation.decide.eviction.recorded_statistics import (
    observations,
    pod_usage,
    usage_key,
    with_shared_filesystems,
)
from podium.simulation.decide.eviction.rounds import (
    QuantityReport,
    Rounds,
    admission_report,
    threshold_report,
)

Json = Mapping[str, Any]

# Subjects of questions to which faults of thresholds are an answer.
_PARSING = ("parse", "update_container_fs", "threshold_quantity")


def answer(raw: object) -> dict[str, Any]:
    """Answer a question, given as JSON values; raises InvalidDocumentError or PodiumError."""
    question = read(EvictionQuestion, raw)
    subject = question.subject
    try:
        answered = KINDS[to_camel(subject)](question, getattr(question, subject))
    except ThresholdError as error:
        if subject not in _PARSING:
            raise
        several = {"errors": sorted(error.faults)} if len(error.faults) > 1 else {}
        answered = {"error": str(error), **several}
    return {"id": question.id, **answered}


def _steps(question: EvictionQuestion, steps: Sequence[EvictionStep]) -> Json:
    rounds = Rounds(question.config, _pods(question, question.pods), question.feature_gates)
    reports = []
    for step in steps:
        report = rounds.step(step, _pods(question, step.add_pods))
        if step.admit is not None:
            report["admit"] = rounds.admit(_pods(question, step.admit))
        reports.append(report)
    return {"steps": reports}


def _ordered(thresholds: Sequence[Threshold]) -> list[Threshold]:
    return sorted(thresholds, key=lambda threshold: threshold.order)


def _parse(question: EvictionQuestion, configuration: Configuration) -> Json:
    thresholds = configuration.eviction_config(question.feature_gates).thresholds
    return {"thresholds": [*map(threshold_report, _ordered(thresholds))]}


def _update_containerfs(_: EvictionQuestion, configuration: Configuration) -> Json:
    thresholds = configuration.eviction_config({}).thresholds
    completed = configuration.filesystems.with_containerfs(thresholds)
    return {"thresholds": [*map(threshold_report, _ordered(completed))]}


def _thresholds_met(_: EvictionQuestion, asked: ThresholdsMet) -> Json:
    thresholds = _ordered(asked.config.eviction_config({}).thresholds)
    groups: Object = asked.node
    if not asked.config.no_fs_defaulting:
        groups = with_shared_filesystems(groups, asked.config.filesystems)
    observed = observations(groups, {})
    met = thresholds_met(thresholds, observed, with_min_reclaim=asked.enforce_min_reclaim)
    quantities = []
    for threshold in thresholds:
        if (observation := observed.get(threshold.signal)) is None:
            continue
        quantity: QuantityReport = {
            "signal": threshold.signal,
            "hard": threshold.is_hard,
            "value": str(threshold.value),
            "available": observation.available,
            "quantity": ceil_value(threshold.value.of(observation.capacity).nanos),
        }
        if threshold.min_reclaim is not None:
            reclaim = threshold.min_reclaim.of(observation.capacity)
            quantity["minReclaimQuantity"] = ceil_value(reclaim.nanos)
        quantities.append(quantity)
    return {
        "met": [*map(threshold_report, met)],
        "conditions": sorted({threshold.signal.starved.condition for threshold in met}),
        "quantities": quantities,
    }


def _threshold_quantity(_: EvictionQuestion, asked: ThresholdQuantity) -> Json:
    quantity = parse_value(asked.value).of(value(asked.capacity))
    return {"quantity": str(quantity), "value": ceil_value(quantity.nanos)}


def _rank(question: EvictionQuestion, asked: Rank) -> Json:
    pods = _pods(question, asked.pods)
    by_pod = {usage_key(name): used for name, used in asked.usage.items()}
    usage = {
        uid(pod): pod_usage(pod, used) for pod in pods if (used := by_pod.get(key(pod))) is not None
    }
    ranked = rank(parse_signal(asked.signal), pods, usage, asked.filesystems)
    return {"order": [key(one.pod) for one in ranked]}


def _oom(question: EvictionQuestion, asked: OutOfMemory) -> Json:
    pod = _pod(question, asked.pod)
    capacity = value(asked.memory_capacity)
    if capacity <= 0:
        raise InvalidValueError(FieldError("oom.memoryCapacity", capacity, "must be above 0"))
    containers = (*init_containers_of(pod["spec"]), *pod["spec"]["containers"])
    scores = {one["name"]: oom_score_adj(pod, one, capacity) for one in containers}
    if asked.container is not None and asked.container not in scores:
        raise InvalidValueError(unsupported("oom.container", asked.container, scores))
    return {
        "oomScoreAdj": scores if asked.container is None else scores[asked.container],
        "qosClass": stored_or_computed_qos(pod),
    }


def _qos(question: EvictionQuestion, written: Object) -> Json:
    pod = _pod(question, written)
    return {"qosClass": stored_or_computed_qos(pod), "computed": qos_class(pod)}


def _critical(question: EvictionQuestion, written: Object) -> Json:
    pod = _pod(question, written)
    return {
        "critical": is_critical(pod),
        "nodeCritical": is_node_critical(pod),
        "static": is_static(pod),
        "mirror": is_mirror(pod),
    }


def _admit(question: EvictionQuestion, asked: Admit) -> Json:
    return admission_report(asked.conditions, _pod(question, asked.pod))


KINDS: Mapping[str, Callable[[EvictionQuestion, Any], Json]] = {
    "steps": _steps,
    "parse": _parse,
    "updateContainerFs": _update_containerfs,
    "thresholdsMet": _thresholds_met,
    "thresholdQuantity": _threshold_quantity,
    "rank": _rank,
    "oom": _oom,
    "qos": _qos,
    "critical": _critical,
    "admit": _admit,
}
"""The function that answers each kind of question."""


def _pods(question: EvictionQuestion, written: Sequence[Object]) -> list[Object]:
    return [_pod(question, pod) for pod in written]


def _pod(question: EvictionQuestion, written: Object) -> Object:
    # With defaults if the question asks for them, and without fields that its feature gates drop.
    metadata = {"namespace": DEFAULT_NAMESPACE, **metadata_of(written)}
    spec = spec_of(written)
    if not question.feature_gates.get("PodLevelResources", True):
        spec = {field: spec[field] for field in spec if field != "resources"}
    pod = {**written, "kind": "Pod", "metadata": metadata, "spec": spec}
    return apply_defaults(pod, "Pod") if question.defaults else pod
