"""The reports of how many more pods fit, and of the cheapest nodes for pending pods."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import PlainSerializer

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.whatif.plan.plan_report import PendingPod, Placement, PodRow, Return


class TemplateRow(Report):
    """A pod template with its share of each round."""

    template: str
    """The file or workload, as given."""
    share: int
    """The number of pods in each round."""
    priority: int | None
    """The priority of the pods; None if no pod could be created."""
    priority_class: OrNull
    """The name of the pods' PriorityClass; empty if they name none."""


class NodeRow(Report):
    """The number of new pods on a node."""

    node: str
    """The name of the node."""
    pods: int
    """The number of pods of all templates."""
    by_template: tuple[int, ...]
    """The number of pods of each template, in the order of the templates."""


class ReasonRow(Report):
    """A reason why nodes reject the next pod."""

    reason: str
    """The reason, in Kubernetes' words."""
    nodes: int
    """The number of nodes."""


class Stop(Report):
    """The reason why no more pods are placed."""

    by: Literal["Scheduler", "API", "Limit", "Interrupt"]
    """`Scheduler` if the next pod fits no node, `API` if the API server refuses it, `Limit` if the
    requested number is reached, `Interrupt` if the count was interrupted."""
    template: str
    """The template of the next pod."""
    message: str
    """The message of kube-scheduler's FailedScheduling event, or of the API server."""
    reasons: tuple[ReasonRow, ...] = ()
    """The reasons why nodes reject the next pod, the most common first."""


class VictimRow(PodRow, kw_only=True):
    """A pod that is preempted."""

    node: str
    """The node of the victim."""
    by: str
    """The preemptor."""
    breaks: tuple[str, ...]
    """The disruption budgets that its preemption violates."""
    depth: int
    """1 if a new pod preempts it, 2 if the replacement of such a victim does, and so on."""
    comes_again: Return
    """Whether another pod replaces it."""
    replaced_on: Annotated[str, IF_ANY] = ""
    """The node of the replacement in the end; empty if none."""


class Fill(Report):
    """The pods that are placed."""

    pods: int
    """The number of pods of all templates."""
    rounds: int
    """The number of complete rounds, in which each template has as many pods as its share."""
    by_template: tuple[int, ...]
    """The number of pods of each template, in the order of the templates."""
    nodes: tuple[NodeRow, ...]
    """The nodes with new pods, by name."""
    stop: Stop
    """Why no more pods are placed."""
    victims: Annotated[tuple[VictimRow, ...], IF_ANY] = ()
    """The pods that are preempted, in order."""


class Capacity(Report):
    """How many more pods fit into a cluster."""

    api_version: str = API_VERSION
    kind: Literal["Capacity"] = "Capacity"
    templates: tuple[TemplateRow, ...] = ()
    """The templates whose pods are created in turn, round by round."""
    without_preemption: Fill | None = None
    """The pods that are placed without preemption."""
    with_preemption: Fill | None = None
    """The pods that are placed with preemption; None unless requested."""
    at_least: int | None = None
    """The number of pods that should fit; None unless given."""
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


Cost = Annotated[Decimal, PlainSerializer(float, return_type=float)]
"""The cost of nodes, in the unit of the costs of the shapes."""


class ShapeRow(Report):
    """A shape of nodes with the number to add."""

    shape: str
    """The name of the shape."""
    cost: Cost
    """The cost of one node."""
    nodes: int
    """The number of nodes to add."""


class CheapestNodes(Report):
    """The cheapest nodes to add so that no pod is pending."""

    api_version: str = API_VERSION
    kind: Literal["CheapestNodes"] = "CheapestNodes"
    pending: tuple[PendingPod, ...] = ()
    """The pods that are pending without these nodes, and the reasons."""
    new: int = 0
    """The number of additional pods that are to be placed."""
    found: bool = True
    """Whether a solution was found: nodes with which no pod is pending."""
    shapes: tuple[ShapeRow, ...] = ()
    """The shapes with the numbers to add; empty if no solution was found."""
    cost: Cost = Decimal(0)
    """The cost of these nodes; 0 if no solution was found."""
    cost_at_least: Cost = Decimal(0)
    """A lower bound of the cost of any solution."""
    proven: bool = True
    """Whether no solution is cheaper; otherwise a solution that costs at least `cost_at_least` may
    be."""
    tried: int = 0
    """The number of simulated combinations of nodes."""
    placements: tuple[Placement, ...] = ()
    """The nodes of the pods that were pending, and of replacements."""
    left: tuple[PendingPod, ...] = ()
    """If no solution was found, the pods that are pending with the most nodes tried."""
    lost: tuple[str, ...] = ()
    """If no solution was found, the pods that are preempted then and not replaced."""
    tried_most: int = 0
    """The most nodes of each shape that were tried."""
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
