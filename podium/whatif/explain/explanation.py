"""The report of all decisions about one pod."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from podium.api.documents.report import (
    API_VERSION,
    HIDDEN,
    IF_ANY,
    IF_KNOWN,
    OrNull,
    PodReport,
    Report,
    Seconds,
)
from podium.scheduler.explain.obstacles import Obstacle
from podium.scheduler.explain.remedies import Remedy
from podium.scheduler.framework.status import Status, StatusReport
from podium.simulation.timeline.preemption import CandidateNode, PreemptionOutcome


class NodeStatusReport(StatusReport):
    """The status that a plugin returned for a node."""

    node: str


def _status(status: Status | None) -> StatusReport | None:
    return None if status is None else status.report()


def _by_node(statuses: Mapping[str, Status]) -> list[NodeStatusReport]:
    return [{"node": node, **status.report()} for node, status in sorted(statuses.items())]


Refusal = Annotated[Status | None, PlainSerializer(_status)]
Refusals = Annotated[Mapping[str, Status], PlainSerializer(_by_node)]


Whose = Literal["incoming", "existing"]


class Blocker(PodReport, kw_only=True):
    """A pod that keeps the incoming pod off another node by anti-affinity.

    Attributes:
        node: the node that the incoming pod is kept off.
        on: the node of the blocking pod.
        topology_key: the label that has the same value on both nodes.
        is_own_rule: whether the anti-affinity is in the incoming pod's spec.
    """

    node: str
    on: str
    topology_key: str
    is_own_rule: Annotated[
        bool,
        PlainSerializer(lambda is_own: "incoming" if is_own else "existing", return_type=Whose),
        Field(serialization_alias="antiAffinityOf"),
    ]


class FreedPort(Report):
    """A host port in use that the scheduler considers free.

    Attributes:
        node: the node of the port.
        port: number and protocol, with the address unless it is 0.0.0.0.
        pod: the pod that uses the port.
    """

    node: str
    port: str
    pod: str


class SparedPod(Report):
    """A pod that stays on the chosen node although its priority is lower than a victim's."""

    pod: str
    priority: int


class PreemptionView(Report):
    """The result of preemption for one decision.

    Attributes:
        is_eligible: whether the pod may preempt at all.
        message: why there is no candidate, or why the pod isn't eligible.
        node: the chosen node; empty if there is none.
        candidates: all nodes on which preemption makes room, the chosen one first.
        rejected: the nodes on which preemption doesn't help, with the reasons.
        outcome: the choice among the candidates; None if there is none.
        spared: the pods of the chosen node that stay, though a victim's priority is higher.
    """

    is_eligible: Annotated[bool, Field(serialization_alias="eligible")]
    message: OrNull
    node: OrNull
    candidates: tuple[CandidateNode, ...]
    rejected: Refusals
    outcome: Annotated[PreemptionOutcome | None, HIDDEN]
    spared: tuple[SparedPod, ...] = ()


class NodeScore(Report):
    """The weighted scores of a node by plugin, and their total."""

    node: str
    scores: Mapping[str, int]
    total: int


class DecisionView(Report, kw_only=True):
    """A decision of the scheduler about the pod.

    Attributes:
        at_s: the time of the decision, in seconds since the plan began.
        node: the chosen node; empty if none.
        is_nominated_only: whether the pod fitted its nominated node, so that no other was checked.
        message: the message of the FailedScheduling event; empty if a node was chosen.
        error: the error that ended the scheduling cycle.
        gate: the status of the PreEnqueue plugin that rejects the pod.
        pre_filter: the status of the PreFilter plugin that rejects the pod.
        pre_filter_details: the causes of this rejection that its message doesn't name.
        filter: the nodes that don't fit, with the status of the first plugin that rejects each.
        obstacles: all reasons that keep the pod off these nodes.
        scored: the nodes that fit, with their scores; empty where no scores were needed.
        best: all nodes with the highest total score, by name.
        preemption: the result of preemption; None if it wasn't tried.
        blockers: pods on other nodes that keep the pod off a node by anti-affinity.
        freed_ports: host ports in use that the pod wants and the scheduler considers free.
        feasible: the nodes that fit, by name.
    """

    at_s: Seconds
    node: OrNull
    is_nominated_only: Annotated[bool, Field(serialization_alias="nominatedOnly")]
    message: OrNull
    error: OrNull
    gate: Refusal
    pre_filter: Refusal
    pre_filter_details: tuple[str, ...]
    filter: Refusals
    obstacles: tuple[Obstacle, ...]
    scored: Annotated[tuple[NodeScore, ...], Field(serialization_alias="feasible")]
    best: tuple[str, ...]
    preemption: PreemptionView | None
    blockers: tuple[Blocker, ...]
    freed_ports: tuple[FreedPort, ...]
    feasible: Annotated[tuple[str, ...], HIDDEN]


class StoppedPod(PodReport, kw_only=True):
    """A pod that a kubelet stops to make room for a critical one.

    Attributes:
        qos_class: the QoS class of the pod, by which the kubelet chooses.
    """

    qos_class: str


class KubeletAdmission(Report, kw_only=True):
    """The decision of a kubelet about a pod whose `spec.nodeName` was set without a scheduler.

    Attributes:
        node: the node.
        is_admitted: whether the kubelet admits the pod.
        reason: the reason in a rejected pod's status; empty otherwise.
        message: the message in a rejected pod's status, or why the kubelet doesn't decide at all.
        stopped: the pods that the kubelet stops to make room, in the order of its choice.
    """

    node: str
    is_admitted: Annotated[bool, Field(serialization_alias="admitted")]
    reason: Annotated[str, IF_ANY] = ""
    message: Annotated[str, IF_ANY] = ""
    stopped: tuple[StoppedPod, ...] = ()


class PodExplanation(Report, kw_only=True):
    """A pod and its decisions.

    Attributes:
        pod: the pod, `namespace/name`.
        namespace: the namespace of the pod.
        workload: the pod's topmost controller, `Kind namespace/name`; the pod itself without one.
        owner: the pod's controller, `Kind namespace/name`; empty if it has none.
        priority: the priority of the pod.
        priority_class: the name of the pod's PriorityClass; empty if it names none.
        preemption_policy: whether the pod may preempt.
        scheduler_name: the profile that decided.
        was_on: the pod's node in the state of the cluster; empty if none.
        admission: the decision of the kubelet if the pod sets `spec.nodeName`; otherwise None.
        decisions: the decisions in order; several if the pod preempted, or was tried again.
        sleep: a remark if the pod fits a node but waits, or has waited, for an event; else empty.
        remedies: the smallest changes that would make the pod fit, if it has no node in the end.
        warnings: reasons why the explanation may be wrong.
        notes: remarks about the explanation.
    """

    api_version: str = API_VERSION
    kind: Literal["Explanation"] = "Explanation"
    pod: str
    namespace: str
    workload: str
    owner: Annotated[str, IF_ANY] = ""
    priority: int
    priority_class: OrNull
    preemption_policy: str
    scheduler_name: str
    was_on: Annotated[OrNull, Field(serialization_alias="boundTo")]
    admission: Annotated[KubeletAdmission | None, IF_KNOWN] = None
    decisions: tuple[DecisionView, ...]
    sleep: Annotated[str, IF_ANY] = ""
    remedies: tuple[Remedy, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
