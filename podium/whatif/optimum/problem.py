"""What is to be placed and who could give way, with equal pods taken together."""

from collections.abc import Mapping, Sequence

import msgspec

from podium.scheduler.config.preemption_options import CandidateKey
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.topology_spread import Domains, SpreadConstraint


class Spread(msgspec.Struct, frozen=True):
    """A DoNotSchedule constraint of a class of pods, and the domains that it counts in."""

    constraint: SpreadConstraint
    domains: Domains


class Demand(msgspec.Struct, frozen=True):
    """Pending pods that nothing tells apart.

    Attributes:
        cls: the class of one of them.
        scheduler_name: their profile.
        pods: by name.
        rows: of the nodes that nothing but other pods may keep them from, ascending.
        amounts: what each takes of its node, by the name of a sum that a filter limits.
        spreads: their constraints.
    """

    cls: PodClass
    scheduler_name: str
    pods: Sequence[PodInfo]
    rows: Sequence[int]
    amounts: Mapping[str, int]
    spreads: Sequence[Spread]

    @property
    def priority(self) -> int:
        """Of each."""
        return self.cls.priority


class Occupants(msgspec.Struct, frozen=True):
    """Pods of one node that nothing tells apart; those that terminate anyhow are none.

    Attributes:
        row: of the node.
        cls: the class of one of them.
        pods: in the order in which they go.
        budgets: the numbers of those that their disruption costs something.
        costs: of each pod, by the keys that only look at single pods.
        taken_by: the priorities of pending pods that may preempt them.
    """

    row: int
    cls: PodClass
    pods: Sequence[PodInfo]
    budgets: tuple[int, ...]
    costs: tuple[tuple[CandidateKey, int], ...]
    taken_by: frozenset[int]

    @property
    def priority(self) -> int:
        """Of each."""
        return self.cls.priority


class Unexpressed(msgspec.Struct, frozen=True):
    """A pod that the model leaves as it is.

    Attributes:
        pod: it stays pending, or where it is.
        reason: what about it the model can't express.
    """

    pod: PodInfo
    reason: str


class Problem(msgspec.Struct, frozen=True):
    """All that the solver is told.

    Attributes:
        demands: what is to be placed.
        occupants: of all nodes.
        free: by the name of a sum and row, what is left of it once terminating pods have gone.
        unexpressed: the pods that are left as they are, although they might matter.
    """

    demands: Sequence[Demand]
    occupants: Sequence[Occupants]
    free: Mapping[str, Sequence[int]]
    unexpressed: Sequence[Unexpressed]
