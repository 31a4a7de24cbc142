"""All decisions about one pod, as values: the report that is printed as it is."""

from collections.abc import Mapping
from dataclasses import dataclass
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
    """What a plugin answered about one node."""

    node: str


def _status(status: Status | None) -> StatusReport | None:
    return None if status is None else status.report()


def _by_node(statuses: Mapping[str, Status]) -> list[NodeStatusReport]:
    return [{"node": node, **status.report()} for node, status in sorted(statuses.items())]


Refusal = Annotated[Status | None, PlainSerializer(_status)]
Refusals = Annotated[Mapping[str, Status], PlainSerializer(_by_node)]


Whose = Literal["incoming", "existing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker(PodReport):
    """A pod on one node that keeps a pod off another.

    Attributes:
        node: the node that is closed.
        on: where the pod is that closes it.
        topology_key: the label of which both nodes have the same value.
        is_own_rule: whether it is the incoming pod that doesn't want to be near the other.
    """

    node: str
    on: str
    topology_key: str
    is_own_rule: Annotated[
        bool,
        PlainSerializer(lambda is_own: "incoming" if is_own else "existing", return_type=Whose),
        Field(serialization_alias="antiAffinityOf"),
    ]


@dataclass(frozen=True, slots=True)
class FreedPort(Report):
    """A port that the scheduler takes for free.

    Attributes:
        node: where.
        port: number and protocol, with the address unless it is every one.
        pod: who holds it.
    """

    node: str
    port: str
    pod: str


@dataclass(frozen=True, slots=True)
class SparedPod(Report):
    """A pod that stays on the chosen node although its priority is lower than a victim's."""

    pod: str
    priority: int


@dataclass(frozen=True, slots=True)
class PreemptionView(Report):
    """The result of preemption for one decision.

    Attributes:
        is_eligible: whether the pod may preempt at all.
        message: why there is no candidate, or why it isn't eligible.
        node: the node that was chosen; empty if there is none.
        candidates: all nodes on which preemption makes room, the chosen one first.
        rejected: the nodes whose dry run failed, with what stood in the way.
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


@dataclass(frozen=True, slots=True)
class NodeScore(Report):
    """What a node scored: by plugin, weighted, and altogether."""

    node: str
    scores: Mapping[str, int]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView(Report):
    """A decision as it was at its time.

    Attributes:
        at_s: when, in seconds since the plan began.
        node: the node that was chosen; empty if none.
        is_nominated_only: the nominated node fitted, and no other was looked at.
        message: as in kube-scheduler's FailedScheduling event; empty if a node was chosen.
        error: why the cycle ended in an error.
        gate: the refusal of PreEnqueue.
        pre_filter: the refusal of PreFilter.
        pre_filter_details: what is behind it, where the refusal doesn't say so itself.
        filter: the nodes that don't fit, with what the first objecting plugin said.
        obstacles: all that keeps the pod off these nodes.
        scored: the nodes that fit, with their scores; none where nothing had to be scored.
        best: all nodes of the highest total, by name.
        preemption: None if it wasn't tried.
        blockers: pods on other nodes that anti-affinity is about.
        freed_ports: ports that the pod wants and that count as free although a pod holds them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedPod(PodReport):
    """A pod that a node stops to make room for a critical one.

    Attributes:
        qos_class: by which the node chooses.
    """

    qos_class: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeletAdmission(Report):
    """The decision of a node about a pod that names it, which no scheduler decides about.

    Attributes:
        node: the node.
        is_admitted: whether it takes the pod.
        reason: as in the status of a pod that it refuses; empty otherwise.
        message: likewise; or why the node doesn't decide at all.
        stopped: the pods that it stops to make room, in the order of its choice.
    """

    node: str
    is_admitted: Annotated[bool, Field(serialization_alias="admitted")]
    reason: Annotated[str, IF_ANY] = ""
    message: Annotated[str, IF_ANY] = ""
    stopped: tuple[StoppedPod, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodExplanation(Report):
    """A pod and its decisions.

    Attributes:
        pod: the pod.
        namespace: where it is.
        workload: its topmost controller, `Kind namespace/name`; itself if it has none.
        owner: its controller, likewise; empty if it has none.
        priority: of the pod.
        priority_class: the name of its PriorityClass; empty if it names none.
        preemption_policy: whether it may preempt.
        scheduler_name: the profile that decided.
        was_on: the node that it is on in truth; empty if none.
        admission: of a pod that names its node, what that decides; None of any other.
        decisions: in order; more than one where it preempted, or was tried again.
        sleep: what is to be said where it waits for an event although it fits, or has waited; else
            empty.
        remedies: the smallest changes that would give it a place, if it has none in the end.
        warnings: what may make the answer wrong.
        notes: what else is worth knowing.
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
