"""The report of all decisions about one pod."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import PlainSerializer

from podium.api.documents.report import (
    API_VERSION,
    HIDDEN,
    IF_ANY,
    IF_KNOWN,
    OrNull,
    PodReport,
    Report,
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
    """A pod that keeps the incoming pod off another node by anti-affinity."""

    node: str
    """The node that the incoming pod is kept off."""
    on: str
    """The node of the blocking pod."""
    topology_key: str
    """The label that has the same value on both nodes."""
    anti_affinity_of: Whose
    """Whether the anti-affinity is in the incoming pod's spec."""


class FreedPort(Report):
    """A host port in use that the scheduler considers free."""

    node: str
    """The node of the port."""
    port: str
    """Number and protocol, with the address unless it is 0.0.0.0."""
    pod: str
    """The pod that uses the port."""


class SparedPod(Report):
    """A pod that stays on the chosen node although its priority is lower than a victim's."""

    pod: str
    priority: int


class PreemptionView(Report):
    """The result of preemption for one decision."""

    eligible: bool
    """Whether the pod may preempt at all."""
    message: OrNull
    """Why there is no candidate, or why the pod isn't eligible."""
    node: OrNull
    """The chosen node; empty if there is none."""
    candidates: tuple[CandidateNode, ...]
    """All nodes on which preemption makes room, the chosen one first."""
    rejected: Refusals
    """The nodes on which preemption doesn't help, with the reasons."""
    outcome: Annotated[PreemptionOutcome | None, HIDDEN]
    """The choice among the candidates; None if there is none."""
    spared: tuple[SparedPod, ...] = ()
    """The pods of the chosen node that stay, though a victim's priority is higher."""


class NodeScore(Report):
    """The weighted scores of a node by plugin, and their total."""

    node: str
    scores: Mapping[str, int]
    total: int


class DecisionView(Report, kw_only=True):
    """A decision of the scheduler about the pod."""

    at: float
    """The time of the decision, in seconds since the plan began."""
    node: OrNull
    """The chosen node; empty if none."""
    nominated_only: bool
    """Whether the pod fitted its nominated node, so that no other was checked."""
    message: OrNull
    """The message of the FailedScheduling event; empty if a node was chosen."""
    error: OrNull
    """The error that ended the scheduling cycle."""
    gate: Refusal
    """The status of the PreEnqueue plugin that rejects the pod."""
    pre_filter: Refusal
    """The status of the PreFilter plugin that rejects the pod."""
    pre_filter_details: tuple[str, ...]
    """The causes of this rejection that its message doesn't name."""
    filter: Refusals
    """The nodes that don't fit, with the status of the first plugin that rejects each."""
    obstacles: tuple[Obstacle, ...]
    """All reasons that keep the pod off these nodes."""
    feasible: tuple[NodeScore, ...]
    """The nodes that fit, with their scores; empty where no scores were needed."""
    best: tuple[str, ...]
    """All nodes with the highest total score, by name."""
    preemption: PreemptionView | None
    """The result of preemption; None if it wasn't tried."""
    blockers: tuple[Blocker, ...]
    """Pods on other nodes that keep the pod off a node by anti-affinity."""
    freed_ports: tuple[FreedPort, ...]
    """Host ports in use that the pod wants and the scheduler considers free."""
    feasible_nodes: Annotated[tuple[str, ...], HIDDEN]
    """The nodes that fit, by name."""


class StoppedPod(PodReport, kw_only=True):
    """A pod that a kubelet stops to make room for a critical one."""

    qos_class: str
    """The QoS class of the pod, by which the kubelet chooses."""


class KubeletAdmission(Report, kw_only=True):
    """The decision of a kubelet about a pod whose `spec.nodeName` was set without a scheduler."""

    node: str
    """The node."""
    admitted: bool
    """Whether the kubelet admits the pod."""
    reason: Annotated[str, IF_ANY] = ""
    """The reason in a rejected pod's status; empty otherwise."""
    message: Annotated[str, IF_ANY] = ""
    """The message in a rejected pod's status, or why the kubelet doesn't decide at all."""
    stopped: tuple[StoppedPod, ...] = ()
    """The pods that the kubelet stops to make room, in the order of its choice."""


class PodExplanation(Report, kw_only=True):
    """A pod and its decisions."""

    api_version: str = API_VERSION
    kind: Literal["Explanation"] = "Explanation"
    pod: str
    """The pod, `namespace/name`."""
    namespace: str
    """The namespace of the pod."""
    workload: str
    """The pod's topmost controller, `Kind namespace/name`; the pod itself without one."""
    owner: Annotated[str, IF_ANY] = ""
    """The pod's controller, `Kind namespace/name`; empty if it has none."""
    priority: int
    """The priority of the pod."""
    priority_class: OrNull
    """The name of the pod's PriorityClass; empty if it names none."""
    preemption_policy: str
    """Whether the pod may preempt."""
    scheduler_name: str
    """The profile that decided."""
    bound_to: OrNull
    """The pod's node in the state of the cluster; empty if none."""
    admission: Annotated[KubeletAdmission | None, IF_KNOWN] = None
    """The decision of the kubelet if the pod sets `spec.nodeName`; otherwise None."""
    decisions: tuple[DecisionView, ...]
    """The decisions in order; several if the pod preempted, or was tried again."""
    sleep: Annotated[str, IF_ANY] = ""
    """A remark if the pod fits a node but waits, or has waited, for an event; else empty."""
    remedies: tuple[Remedy, ...] = ()
    """The smallest changes that would make the pod fit, if it has no node in the end."""
    warnings: tuple[str, ...] = ()
    """Reasons why the explanation may be wrong."""
    notes: tuple[str, ...] = ()
    """Remarks about the explanation."""
