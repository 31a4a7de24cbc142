"""Which nodes to add at least cost: the report that is printed as it is."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import PlainSerializer

from podium.api.documents.report import API_VERSION, Report
from podium.whatif.plan.plan_report import PendingPod, Placement

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
