"""Answers to questions about eviction, in the format of the records."""

from typing import Any, NotRequired

from typing_extensions import TypedDict


class ThresholdReport(TypedDict):
    """A threshold; `observedFor` says for how long it has been met."""

    signal: str
    value: str
    hard: bool
    operator: NotRequired[str]
    percentage: NotRequired[float]
    gracePeriod: NotRequired[str]
    minReclaim: NotRequired[str]
    observedFor: NotRequired[str]


class QuantityReport(TypedDict):
    """What is available of a signal, and how much its threshold asks for, in units."""

    signal: str
    hard: bool
    value: str
    available: int
    quantity: int
    minReclaimQuantity: NotRequired[int]


class AdmissionReport(TypedDict):
    """Whether a node takes a pod; if not, why."""

    admit: bool
    reason: str
    message: str


class StepReport(TypedDict):
    """The result of a round; `evicted` is empty if the node evicted no pod."""

    evicted: str
    gracePeriodOverride: int | None
    conditions: list[str]
    imageGC: bool
    containerGC: bool
    thresholdsMet: list[ThresholdReport]
    thresholdsObserved: list[ThresholdReport]
    reclaiming: NotRequired[str]
    message: NotRequired[str]
    reason: NotRequired[str]
    evictedAll: NotRequired[list[str]]
    podConditions: NotRequired[list[str]]
    annotations: NotRequired[dict[str, str]]
    admit: NotRequired[dict[str, AdmissionReport]]
    error: NotRequired[str]


class EvictionAnswer(TypedDict, total=False):
    """The answer to one question; which fields it has is a matter of what was asked."""

    id: Any
    error: str
    errors: list[str]
    steps: list[StepReport]
    thresholds: list[ThresholdReport]
    met: list[ThresholdReport]
    conditions: list[str]
    quantities: list[QuantityReport]
    quantity: str
    value: int
    order: list[str]
    oomScoreAdj: int | dict[str, int]
    qosClass: str
    computed: str
    critical: bool
    nodeCritical: bool
    static: bool
    mirror: bool
    admit: bool
    reason: str
    message: str
