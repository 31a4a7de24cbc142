"""The answers of `podium capacity`: how many pods fit, or which nodes to add."""

from podium.ui.answers.answer import Answer
from podium.whatif.capacity.capacity_report import Capacity, CheapestNodes


class CapacityAnswer(Answer, Capacity):
    """How many more pods fit; see `podium capacity`."""

    __slots__ = ()
    rows = "templates"
    presented_by = "podium.whatif.capacity.capacity_presentation.capacity_presentation"


class NodesAnswer(Answer, CheapestNodes):
    """Which nodes to add at least cost; see `podium capacity --node-shape`."""

    __slots__ = ()
    rows = "shapes"
    presented_by = "podium.whatif.capacity.capacity_presentation.cheapest_nodes_presentation"
