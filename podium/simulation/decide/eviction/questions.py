"""Every kind of question about eviction, and how it is answered."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_camel

from podium.api.documents.document import read
from podium.api.errors import FieldError, InvalidValueError, unsupported
from podium.api.objects import DEFAULT_NAMESPACE, Object, key, metadata_of, spec_of, uid
from podium.api.pod_specs import init_containers_of
from podium.api.priority import is_critical, is_mirror, is_node_critical, is_static
from podium.api.qos import qos_class, stored_or_computed_qos
from podium.api.values.quantity import ceil_value, value
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.kubelet.eviction.eviction_ranking import rank
from podium.kubelet.eviction.oom_score import oom_score_adj
from podium.kubelet.eviction.threshold_parser import ThresholdError, parse_signal, parse_value
from podium.kubelet.eviction.thresholds import thresholds_met
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
from podium.simulation.decide.eviction.rounds import Rounds, admission_report, threshold_report

Json = dict[str, Any]

_POD_LEVEL_RESOURCES = "PodLevelResources"


def answer(raw: object) -> Json:
    """The answer to one question.

    Raises:
        InvalidDocumentError: it isn't shaped as a question.
        PodiumError: it can't be answered.
    """
    question = read(EvictionQuestion, raw)
    subject = question.subject
    return {"id": question.id, **KINDS[to_camel(subject)](question, getattr(question, subject))}


def _steps(question: EvictionQuestion, steps: Sequence[EvictionStep]) -> Json:
    pods = _pods(question, question.pods)
    rounds = Rounds(question.config, pods, question.feature_gates)
    answers = []
    for step in steps:
        answered = rounds.step(step, _pods(question, step.add_pods))
        if step.admit is not None:
            answered["admit"] = rounds.admit(_pods(question, step.admit))
        answers.append(answered)
    return {"steps": answers}


def _parse(question: EvictionQuestion, written: Configuration) -> Json:
    try:
        config = written.eviction_config(question.feature_gates)
    except ThresholdError as error:
        return _faults(error)
    thresholds = sorted(config.thresholds, key=lambda one: one.order)
    return {"thresholds": [threshold_report(one) for one in thresholds]}


def _faults(error: ThresholdError) -> Json:
    several = {"errors": sorted(error.faults)} if len(error.faults) > 1 else {}
    return {"error": str(error), **several}


def _update_containerfs(question: EvictionQuestion, written: Configuration) -> Json:
    try:
        given = written.eviction_config({}).thresholds
    except ThresholdError as error:
        return _faults(error)
    thresholds = written.filesystems.with_containerfs(given)
    ordered = sorted(thresholds, key=lambda one: one.order)
    return {"thresholds": [threshold_report(one) for one in ordered]}


def _thresholds_met(question: EvictionQuestion, asked: ThresholdsMet) -> Json:
    given = sorted(asked.config.eviction_config({}).thresholds, key=lambda one: one.order)
    groups: Object = asked.node
    if not asked.config.no_fs_defaulting:
        groups = with_shared_filesystems(groups, asked.config.filesystems)
    observed = observations(groups, {})
    met = thresholds_met(given, observed, with_min_reclaim=asked.enforce_min_reclaim)
    quantities = []
    for one in given:
        if one.signal not in observed:
            continue
        told = observed[one.signal]
        quantity: Json = {
            "signal": one.signal,
            "hard": one.is_hard,
            "value": str(one.value),
            "available": told.available,
            "quantity": ceil_value(one.value.of(told.capacity).nanos),
        }
        if one.min_reclaim is not None:
            quantity["minReclaimQuantity"] = ceil_value(one.min_reclaim.of(told.capacity).nanos)
        quantities.append(quantity)
    return {
        "met": [threshold_report(one) for one in met],
        "conditions": sorted({one.signal.starved.condition for one in met}),
        "quantities": quantities,
    }


def _threshold_quantity(question: EvictionQuestion, asked: ThresholdQuantity) -> Json:
    try:
        quantity = parse_value(asked.value).of(value(asked.capacity))
    except ThresholdError as error:
        return _faults(error)
    return {"quantity": str(quantity), "value": ceil_value(quantity.nanos)}


def _rank(question: EvictionQuestion, asked: Rank) -> Json:
    pods = _pods(question, asked.pods)
    told = {usage_key(called): used for called, used in asked.usage.items()}
    usage = {
        uid(pod): pod_usage(pod, used) for pod in pods if (used := told.get(key(pod))) is not None
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
    only = asked.container
    if only is not None and only not in scores:
        raise InvalidValueError(unsupported("oom.container", only, scores))
    return {
        "oomScoreAdj": scores if only is None else scores[only],
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
"""What answers each kind of question."""


def _pods(question: EvictionQuestion, written: Sequence[Object]) -> list[Object]:
    return [_pod(question, pod) for pod in written]


def _pod(question: EvictionQuestion, written: Object) -> Object:
    """A pod with what the question has filled in, and without what its feature gates drop."""
    metadata = {"namespace": DEFAULT_NAMESPACE, **metadata_of(written)}
    spec = spec_of(written)
    if not question.feature_gates.get(_POD_LEVEL_RESOURCES, True):
        spec = {field: spec[field] for field in spec if field != "resources"}
    pod = {**written, "kind": "Pod", "metadata": metadata, "spec": spec}
    return apply_defaults(pod, "Pod") if question.defaults else pod
