"""Which victims would have nowhere to go, so that a node whose victims have can be preferred."""

from collections.abc import Sequence

from podium.api.objects import Object, controller_of, spec_of
from podium.core.handle import Handle
from podium.core.pods import PodInfo, pending_pod, placed_pod


class Stranding:
    """Counts the victims that have no replacement, or whose replacement fits nowhere else at once.

    The replacements are placed one after the other, the most important first, each where there is
    room by then; the victims are still there meanwhile.

    Args:
        handle: the cluster, with its nodes as the scheduling cycle filters them.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __call__(self, node_name: str, victims: Sequence[PodInfo]) -> int:
        snapshot, own_row = self._handle.snapshot, self._handle.snapshot.row_of[node_name]
        moved: list[PodInfo] = []
        stranded = 0
        try:
            for victim in victims:
                if victim.cls.terminating:
                    continue
                rows = [row for row in self._rows(victim) if row != own_row]
                if not rows:
                    stranded += 1
                    continue
                copy = placed_pod(replacement(victim.obj), snapshot.classes)
                snapshot.add_pod(copy, min(snapshot.names[row] for row in rows))
                moved.append(copy)
        finally:
            for copy in reversed(moved):
                snapshot.remove_pod(copy)
        return stranded

    def _rows(self, victim: PodInfo) -> list[int]:
        if controller_of(victim.obj) is None:
            return []
        pod = pending_pod(replacement(victim.obj), self._handle.snapshot.classes)
        rows: list[int] = self._handle.finder.rows(pod).tolist()
        return rows


def replacement(pod: Object) -> Object:
    """A victim as its controller makes it anew."""
    spec = {field: value for field, value in spec_of(pod).items() if field != "nodeName"}
    return {**pod, "spec": spec, "status": {}}
