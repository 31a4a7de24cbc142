"""The handle that plugins are created with: the cluster as they see it."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from random import Random

import msgspec

from podium.api.objects import Object
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.pod_groups import PodGroups
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.framework.waiting_pods import WaitingPods
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class Clock(msgspec.Struct):
    """The time of the current decision, in seconds since the epoch; its owner sets it."""

    now_s: float = 0.0


class PreferredNodes(msgspec.Struct):
    """Node names by pod uid: of nodes that tie for best, the first named here is chosen."""

    placements: dict[str, Sequence[str]] = msgspec.field(default_factory=dict)
    nominations: dict[str, Sequence[str]] = msgspec.field(default_factory=dict)


class NodeFinder:
    """Filters nodes for any pending pod; the scheduling cycle sets its functions.

    `rows` returns the rows that fit a pod, int[n]; `filtering` its filters; `allocations` the
    claims, with their allocations, that a pod gets on a node that fits it.
    """

    rows: Callable[[PodInfo], Rows]
    filtering: Callable[[PodInfo], Filtering]
    allocations: Callable[[PodInfo, str], Iterable[tuple[Object, Object]]]


class Handle(msgspec.Struct, frozen=True, dict=True):
    """The cluster as plugins see it."""

    snapshot: Snapshot
    listers: Listers
    nominator: Nominator = msgspec.field(default_factory=Nominator)
    budgets: BudgetColumns = msgspec.field(default_factory=BudgetColumns)
    preempting: set[str] = msgspec.field(default_factory=set)
    """Uids of preemptors whose last victim hasn't been seen to terminate. The executor of
    preemptions updates it, and `history`."""
    waiting: WaitingPods = msgspec.field(default_factory=WaitingPods)
    clock: Clock = msgspec.field(default_factory=Clock)
    history: VictimHistory = msgspec.field(default_factory=VictimHistory)
    finder: NodeFinder = msgspec.field(default_factory=NodeFinder)
    options: SchedulerOptions = msgspec.field(default_factory=SchedulerOptions)
    rng: Random | None = None
    """Chooses among candidates where a configuration limits them; None removes the limits."""
    preferred: PreferredNodes = msgspec.field(default_factory=PreferredNodes)
    gangs: PodGroups | None = None

    @cached_property
    def allocated(self) -> AllocatedDevices:
        """The allocated devices, also of allocations under way in any profile."""
        return AllocatedDevices(self.listers)


def tied(names: Sequence[str], snapshot: Snapshot, row: int, ties: Callable[[int], bool]) -> int:
    """Return the row of the first node named that is as good as the selected one, or else `row`."""
    for name in names:
        found = snapshot.row_of.get(name)
        if found is not None and ties(found):
            return found
    return row
