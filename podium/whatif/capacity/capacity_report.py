"""How many more pods fit, and which nodes to add; pods are named `namespace/name`."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import PlainSerializer

from podium.api.documents.report import API_VERSION, IF_ANY, OrNull, Report
from podium.whatif.plan.plan_report import PendingPod, Placement, PodRow, Return


@dataclass(frozen=True, slots=True)
class TemplateRow(Report):
    """One template of pods, with its share of each round.

    Attributes:
        template: as it was asked for.
        share: how many of it there are in each round.
        priority: of its pods; None where not one could be created.
        priority_class: the name of their PriorityClass; empty if they name none.
    """

    template: str
    share: int
    priority: int | None
    priority_class: OrNull


@dataclass(frozen=True, slots=True)
class NodeRow(Report):
    """How many of the new pods a node takes.

    Attributes:
        node: the node.
        pods: of all templates.
        by_template: of each template, in their order.
    """

    node: str
    pods: int
    by_template: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReasonRow(Report):
    """Why nodes don't take the next pod.

    Attributes:
        reason: in Kubernetes' words.
        nodes: how many of them there are.
    """

    reason: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Stop(Report):
    """What stops the next pod.

    Attributes:
        by: `Scheduler` if no node takes it, `API` if it may not be created, `Limit` if no more
            were asked for, `Interrupt` if somebody didn't wait any longer.
        template: of that pod.
        message: as in kube-scheduler's FailedScheduling event, or as the API has it.
        reasons: by how many nodes give each; none if it isn't about nodes.
    """

    by: Literal["Scheduler", "API", "Limit", "Interrupt"]
    template: str
    message: str
    reasons: tuple[ReasonRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimRow(PodRow):
    """A pod that gives way.

    Attributes:
        node: where it was.
        by: the preemptor.
        breaks: the budgets that its disruption breaks.
        depth: 1 if it gives way to a new pod, 2 if to one that comes in place of such a victim,
            and so on.
        comes_again: whether another pod comes in its place.
        replaced_on: where that pod is in the end; empty if nowhere.
    """

    node: str
    by: str
    breaks: tuple[str, ...]
    depth: int
    comes_again: Return
    replaced_on: Annotated[str, IF_ANY] = ""


@dataclass(frozen=True, slots=True)
class Fill(Report):
    """How many pods get a place.

    Attributes:
        pods: of all templates.
        rounds: how many times all templates get a place, each as often as its share.
        by_template: how many pods of each, in their order.
        nodes: those that take any, by name.
        stop: why no more do.
        victims: who gives way to them, in order.
    """

    pods: int
    rounds: int
    by_template: tuple[int, ...]
    nodes: tuple[NodeRow, ...]
    stop: Stop
    victims: Annotated[tuple[VictimRow, ...], IF_ANY] = ()


@dataclass(frozen=True, slots=True)
class Capacity(Report):
    """How many more pods fit into a cluster.

    Attributes:
        templates: whose pods are created in turn, round by round.
        without_preemption: what fits without anybody giving way.
        with_preemption: what gets a place if pods of lower priority give way; None if nobody
            asked.
        at_least: how many were hoped for; None if nobody said.
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
"""What nodes cost, in whatever unit the shapes were given in."""


@dataclass(frozen=True, slots=True)
class ShapeRow(Report):
    """One shape of nodes, with how many of them are to be added.

    Attributes:
        shape: its name.
        cost: of one node.
        nodes: how many of it to add.
    """

    shape: str
    cost: Cost
    nodes: int


@dataclass(frozen=True, slots=True)
class CheapestNodes(Report):
    """Which nodes to add, so that all pods that wait get a place, at least cost.

    Attributes:
        pending: the pods that wait, with why.
        new: how many pods are to get a place besides.
        found: whether nodes were found with which none waits.
        shapes: each with how many of it to add; none of any if nothing was found.
        cost: of all these nodes; 0 if nothing was found.
        cost_at_least: nothing below this cost does.
        proven: whether no cheaper choice of nodes does; else `cost_at_least` says how much
            cheaper one might be.
        tried: how many choices of nodes were played.
        placements: where the pods go that waited, or come in place of others meanwhile.
        left: if nothing was found, who still waits with the most nodes that were tried, with why.
        lost: likewise, who would be preempted and not come again.
        tried_most: how many nodes of each shape these were.
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
