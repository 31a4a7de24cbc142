"""Every kind of question about eviction, and how it is answered."""

from collections.abc import Callable, Mapping
from typing import Any

from podium.api.errors import FieldError, InvalidValueError, unsupported
from podium.api.objects import DEFAULT_NAMESPACE, Object, key, metadata_of, uid
from podium.api.priority import is_critical, is_mirror, is_node_critical, is_static
from podium.api.qos import qos_class, stored_or_computed_qos
from podium.api.quantity import ceil_value, value
from podium.apiserver.kinds.registry import apply_defaults
from podium.decide.eviction.configuring import (
    read_eviction,
    read_filesystems,
    threshold_json,
)
from podium.decide.eviction.measuring import (
    observations,
    pod_usage,
    usage_key,
    with_shared_filesystems,
)
from podium.decide.eviction.rounds import Rounds, admission_json
from podium.node.pressure.eviction_ranking import rank
from podium.node.pressure.oom_score import oom_score_adj
from podium.node.pressure.threshold_parsing import ThresholdError, parse_signal, parse_value
from podium.node.pressure.threshold_state import thresholds_met

Json = dict[str, Any]

_NOTHING: Object = {}
_POD_LEVEL_RESOURCES = "PodLevelResources"


def answer(question: object) -> Json:
    """The answer to one question.

    Raises:
        PodiumError: it can't be answered.
    """
    if not isinstance(question, Mapping):
        raise InvalidValueError(FieldError("", question, "must be a question, a JSON object"))
    kind = next((kind for kind in KINDS if kind in question), None)
    if kind is None:
        kinds = ", ".join(KINDS)
        raise InvalidValueError(FieldError("", question, f"must have one of the fields {kinds}"))
    return {"id": question.get("id", ""), **KINDS[kind](question)}


def _steps(question: Object) -> Json:
    rounds = Rounds(
        question.get("config") or _NOTHING,
        _pods(question, question.get("pods")),
        question.get("featureGates") or _NOTHING,
    )
    return {"steps": [_step(rounds, question, step) for step in question["steps"]]}


def _step(rounds: Rounds, question: Object, step: Object) -> Json:
    answered = rounds.step(step, _pods(question, step.get("addPods")))
    if "admit" in step:
        answered["admit"] = rounds.admit(_pods(question, step["admit"]))
    return answered


def _parse(question: Object) -> Json:
    try:
        config = read_eviction(question["parse"], question.get("featureGates") or _NOTHING)
    except ThresholdError as error:
        return _faults(error)
    thresholds = sorted(config.thresholds, key=lambda one: one.order)
    return {"thresholds": [threshold_json(one) for one in thresholds]}


def _faults(error: ThresholdError) -> Json:
    several = {"errors": sorted(error.faults)} if len(error.faults) > 1 else {}
    return {"error": str(error), **several}


def _update_containerfs(question: Object) -> Json:
    asked = question["updateContainerFs"]
    try:
        given = read_eviction(asked, _NOTHING).thresholds
    except ThresholdError as error:
        return _faults(error)
    thresholds = read_filesystems(asked).with_containerfs(given)
    ordered = sorted(thresholds, key=lambda one: one.order)
    return {"thresholds": [threshold_json(one) for one in ordered]}


def _thresholds_met(question: Object) -> Json:
    asked = question["thresholdsMet"]
    config = asked.get("config") or _NOTHING
    given = sorted(read_eviction(config, _NOTHING).thresholds, key=lambda one: one.order)
    groups = asked.get("node") or _NOTHING
    if config.get("noFsDefaulting") is not True:
        groups = with_shared_filesystems(groups, read_filesystems(config))
    observed = observations(groups, {})
    met = thresholds_met(given, observed, with_min_reclaim=asked.get("enforceMinReclaim") is True)
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
        "met": [threshold_json(one) for one in met],
        "conditions": sorted({one.signal.condition for one in met}),
        "quantities": quantities,
    }


def _threshold_quantity(question: Object) -> Json:
    asked = question["thresholdQuantity"]
    try:
        quantity = parse_value(asked["value"]).of(value(asked["capacity"]))
    except ThresholdError as error:
        return _faults(error)
    return {"quantity": str(quantity), "value": ceil_value(quantity.nanos)}


def _rank(question: Object) -> Json:
    asked = question["rank"]
    pods = _pods(question, asked["pods"])
    told = {usage_key(called): used for called, used in (asked.get("usage") or _NOTHING).items()}
    usage = {
        uid(pod): pod_usage(pod, used) for pod in pods if (used := told.get(key(pod))) is not None
    }
    ranked = rank(parse_signal(asked["signal"]), pods, usage, read_filesystems(asked))
    return {"order": [key(one.pod) for one in ranked]}


def _oom(question: Object) -> Json:
    asked = question["oom"]
    pod = _pod(question, asked["pod"])
    capacity = value(asked["memoryCapacity"])
    if capacity <= 0:
        raise InvalidValueError(FieldError("oom.memoryCapacity", capacity, "must be above 0"))
    containers = (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"])
    scores = {one["name"]: oom_score_adj(pod, one, capacity) for one in containers}
    only = asked.get("container")
    if only is not None and only not in scores:
        raise InvalidValueError(unsupported("oom.container", only, scores))
    return {
        "oomScoreAdj": scores if only is None else scores[only],
        "qosClass": stored_or_computed_qos(pod),
    }


def _qos(question: Object) -> Json:
    pod = _pod(question, question["qos"])
    return {"qosClass": stored_or_computed_qos(pod), "computed": qos_class(pod)}


def _critical(question: Object) -> Json:
    pod = _pod(question, question["critical"])
    return {
        "critical": is_critical(pod),
        "nodeCritical": is_node_critical(pod),
        "static": is_static(pod),
        "mirror": is_mirror(pod),
    }


def _admit(question: Object) -> Json:
    asked = question["admit"]
    return admission_json(asked.get("conditions") or [], _pod(question, asked["pod"]))


KINDS: Mapping[str, Callable[[Object], Json]] = {
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


def _pods(question: Object, written: list[Object] | None) -> list[Object]:
    return [_pod(question, pod) for pod in written or ()]


def _pod(question: Object, written: Object) -> Object:
    """A pod with what the question has filled in, and without what its feature gates drop."""
    gates = question.get("featureGates") or _NOTHING
    metadata = {"namespace": DEFAULT_NAMESPACE, **metadata_of(written)}
    spec = written.get("spec") or _NOTHING
    if gates.get(_POD_LEVEL_RESOURCES) is False:
        spec = {field: spec[field] for field in spec if field != "resources"}
    pod = {**written, "kind": "Pod", "metadata": metadata, "spec": spec}
    return apply_defaults(pod, "Pod") if question.get("defaults") is True else pod
