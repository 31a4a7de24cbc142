"""The reports of how many more pods fit, and of the cheapest nodes for pending pods."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import PlainSerializer

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.whatif.plan.plan_report import PendingPod, Placement, PodRow, Return


class TemplateRow(Report):
    """A pod template with its share of each round.

    Attributes:
        template: the file or workload, as given.
        share: the number of pods in each round.
        priority: the priority of the pods; None if no pod could be created.
        priority_class: the name of the pods' PriorityClass; empty if they name none.
    """

    template: str
    share: int
    priority: int | None
    priority_class: OrNull


class NodeRow(Report):
    """The number of new pods on a node.

    Attributes:
        node: the name of the node.
        pods: the number of pods of all templates.
        by_template: the number of pods of each template, in the order of the templates.
    """

    node: str
    pods: int
    by_template: tuple[int, ...]


class ReasonRow(Report):
    """A reason why nodes reject the next pod.

    Attributes:
        reason: the reason, in Kubernetes' words.
        nodes: the number of nodes.
    """

    reason: str
    nodes: int


class Stop(Report):
    """The reason why no more pods are placed.

    Attributes:
        by: `Scheduler` if the next pod fits no node, `API` if the API server refuses it, `Limit`
            if the requested number is reached, `Interrupt` if the count was interrupted.
        template: the template of the next pod.
        message: the message of kube-scheduler's FailedScheduling event, or of the API server.
        reasons: the reasons why nodes reject the next pod, the most common first.
    """

    by: Literal["Scheduler", "API", "Limit", "Interrupt"]
    template: str
    message: str
    reasons: tuple[ReasonRow, ...] = ()


class VictimRow(PodRow, kw_only=True):
    """A pod that is preempted.

    Attributes:
        node: the node of the victim.
        by: the preemptor.
        breaks: the disruption budgets that its preemption violates.
        depth: 1 if a new pod preempts it, 2 if the replacement of such a victim does, and so on.
        comes_again: whether another pod replaces it.
        replaced_on: the node of the replacement in the end; empty if none.
    """

    node: str
    by: str
    breaks: tuple[str, ...]
    depth: int
    comes_again: Return
    replaced_on: Annotated[str, IF_ANY] = ""


class Fill(Report):
    """The pods that are placed.

    Attributes:
        pods: the number of pods of all templates.
        rounds: the number of complete rounds, in which each template has as many pods as its share.
        by_template: the number of pods of each template, in the order of the templates.
        nodes: the nodes with new pods, by name.
        stop: why no more pods are placed.
        victims: the pods that are preempted, in order.
    """

    pods: int
    rounds: int
    by_template: tuple[int, ...]
    nodes: tuple[NodeRow, ...]
    stop: Stop
    victims: Annotated[tuple[VictimRow, ...], IF_ANY] = ()


class Capacity(Report):
    """How many more pods fit into a cluster.

    Attributes:
        templates: the templates whose pods are created in turn, round by round.
        without_preemption: the pods that are placed without preemption.
        with_preemption: the pods that are placed with preemption; None unless requested.
        at_least: the number of pods that should fit; None unless given.
    """

    api_version: str = API_VERSION
    kind: Literal["Capacity"] = "Capacity"
    templates: tuple[TemplateRow, ...] = ()
    without_preemption: Fill | None = None
    with_preemption: Fill | None = None
    at_least: int | None = None
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


Cost = Annotated[Decimal, PlainSerializer(float, return_type=float)]
"""The cost of nodes, in the unit of the costs of the shapes."""


class ShapeRow(Report):
    """A shape of nodes with the number to add.

    Attributes:
        shape: the name of the shape.
        cost: the cost of one node.
        nodes: the number of nodes to add.
    """

    shape: str
    cost: Cost
    nodes: int


class CheapestNodes(Report):
    """The cheapest nodes to add so that no pod is pending.

    Attributes:
        pending: the pods that are pending without these nodes, and the reasons.
        new: the number of additional pods that are to be placed.
        found: whether a solution was found: nodes with which no pod is pending.
        shapes: the shapes with the numbers to add; empty if no solution was found.
        cost: the cost of these nodes; 0 if no solution was found.
        cost_at_least: a lower bound of the cost of any solution.
        proven: whether no solution is cheaper; otherwise a solution that costs at least
            `cost_at_least` may be.
        tried: the number of simulated combinations of nodes.
        placements: the nodes of the pods that were pending, and of replacements.
        left: if no solution was found, the pods that are pending with the most nodes tried.
        lost: if no solution was found, the pods that are preempted then and not replaced.
        tried_most: the most nodes of each shape that were tried.
    """

    api_version: str = API_VERSION
    kind: Literal["CheapestNodes"] = "CheapestNodes"
    pending: tuple[PendingPod, ...] = ()
    new: int = 0
    found: bool = True
    shapes: tuple[ShapeRow, ...] = ()
    cost: Cost = Decimal(0)
    cost_at_least: Cost = Decimal(0)
    proven: bool = True
    tried: int = 0
    placements: tuple[Placement, ...] = ()
    left: tuple[PendingPod, ...] = ()
    lost: tuple[str, ...] = ()
    tried_most: int = 0
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
