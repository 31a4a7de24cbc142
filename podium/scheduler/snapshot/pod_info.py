"""A pod as the scheduler keeps it: the object, its class, and what differs within a class."""

from typing import Any

from podium.api.objects import Object, key, name, status_of, uid
from podium.api.values.quantity import INT64_MAX, INT64_MIN
from podium.api.values.times import parse_time
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses

UNPLACED = -1
NOT_STARTED = 2**62


class PodInfo:
    """A pod as the scheduler keeps it: its object, which is never modified, and its class.

    `start_ns` is `status.startTime` in nanoseconds since the epoch; `row` and `slot` are its place
    in the snapshot, `UNPLACED` if it isn't on a node.
    """

    __slots__ = (
        "cls",
        "nominated_node_name",
        "obj",
        "row",
        "slot",
        "start_ns",
        "start_order",
        "uid",
    )

    def __init__(self, obj: Object, cls: PodClass) -> None:
        status: Object = obj.get("status") or {}
        self.obj = obj
        self.cls = cls
        self.uid = uid(obj)
        self.start_ns = start_ns_of(obj)
        self.start_order = start_order_of(self.start_ns, INT64_MAX)
        self.nominated_node_name: str = status.get("nominatedNodeName") or ""
        self.row = UNPLACED
        self.slot = UNPLACED

    @property
    def key(self) -> str:
        return key(self.obj)

    @property
    def name(self) -> str:
        return name(self.obj)

    @property
    def namespace(self) -> str:
        return self.cls.namespace

    @property
    def priority(self) -> int:
        return self.cls.priority

    def __repr__(self) -> str:
        return f"PodInfo({self.key})"


def start_ns_of(obj: Object) -> int | None:
    """Return `status.startTime` in nanoseconds since the epoch, limited to 64 bits, or None."""
    started: Any = status_of(obj).get("startTime")
    return min(max(parse_time(started), INT64_MIN), INT64_MAX) if started else None


def start_order_of(start_ns: int | None, now_ns: int) -> int:
    """Return a number that orders pods by start time; a pod that hasn't started counts as now.

    Pods with a start time after now, as clocks differ, follow (GetPodStartTime, v1.36).
    """
    if start_ns is None:
        return NOT_STARTED
    return start_ns // 2 + (NOT_STARTED if start_ns > now_ns else 0)


def start_ns_in(start_order: int) -> int | None:
    """Return the start time for a start order, exact to 2 ns; None if the pod hasn't started."""
    if start_order == NOT_STARTED:
        return None
    return 2 * (start_order - NOT_STARTED if start_order > NOT_STARTED else start_order)


def placed_pod(obj: Object, classes: PodClasses) -> PodInfo:
    """Return a `PodInfo` for a pod on a node."""
    return PodInfo(obj, classes.of(obj, wants_node=False))


def pending_pod(obj: Object, classes: PodClasses) -> PodInfo:
    """Return a `PodInfo` for a pod to schedule; `spec.nodeName` is the only node it accepts."""
    return PodInfo(obj, classes.of(obj, wants_node=True))
