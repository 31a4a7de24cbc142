"""Victims whose replacements would find no node, by which candidate nodes are compared."""

from collections.abc import Sequence

from podium.api.objects import controller_of, spec_of
from podium.scheduler.framework.handle import Handle
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from podium.scheduler.snapshot.trial_changes import TrialChanges


class Stranding:
    """Counts the victims that have no replacement, or whose replacement fits nowhere else at once.

    The replacements are placed one after the other, the most important first, each where there is
    room by then; the victims are still there meanwhile.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __call__(self, victims: Sequence[PodInfo], own_row: int) -> tuple[int, set[int]]:
        """How many are stranded, and the rows that the others come to; never to their own one."""
        stranded, taken = 0, set()
        with TrialChanges(self._handle.snapshot) as changes:
            for victim in victims:
                if victim.cls.terminating:
                    continue
                row = None
                if controller_of(victim.obj) is not None:
                    pod = replacement(victim, self._handle.snapshot.classes)
                    row = place(self._handle, pod, own_row, changes)
                if row is None:
                    stranded += 1
                else:
                    taken.add(row)
        return stranded, taken


def place(handle: Handle, pod: PodInfo, own_row: int, changes: TrialChanges) -> int | None:
    """Put a pending pod on the first node by name that fits, but its own one; its row, if any."""
    rows = handle.finder.rows(pod)
    rows = rows[rows != own_row]
    if not len(rows):
        return None
    row = int(rows[handle.snapshot.ranks()[rows].argmin()])
    changes.put(pod, handle.snapshot.names[row])
    return row


def replacement(victim: PodInfo, classes: PodClasses) -> PodInfo:
    """The pod that the controller of a victim makes anew, to be scheduled."""
    spec = {field: value for field, value in spec_of(victim.obj).items() if field != "nodeName"}
    return pending_pod({**victim.obj, "spec": spec, "status": {}}, classes)
