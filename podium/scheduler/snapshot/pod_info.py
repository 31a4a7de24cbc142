"""A pod as the scheduler keeps it: the object, its class, and what differs within a class."""

from typing import Any

from podium.api.objects import Object, key, name, status_of, uid
from podium.api.values.quantity import INT64_MAX, INT64_MIN
from podium.api.values.times import parse_time
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses

UNPLACED = -1
NOT_STARTED = 2**62


class PodInfo:
    """A pod as the scheduler sees it: its object, which is never changed in place, and its class.

    `start_ns` is `status.startTime` in nanoseconds since the epoch; `row` and `slot` are its place
    in the snapshot, else `UNPLACED`.
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
    """Return `status.startTime` in nanoseconds since the epoch, within 64 bits, if it has one."""
    started: Any = status_of(obj).get("startTime")
    return min(max(parse_time(started), INT64_MIN), INT64_MAX) if started else None


def start_order_of(start_ns: int | None, now_ns: int) -> int:
    """Return a number by which start times are compared; not started counts as now.

    Pods that start later than now, where clocks differ, come after it (GetPodStartTime, v1.36).
    """
    if start_ns is None:
        return NOT_STARTED
    return start_ns // 2 + (NOT_STARTED if start_ns > now_ns else 0)


def start_ns_in(start_order: int) -> int | None:
    """Return the start time that a start order stands for, to 2 ns; None if not started."""
    if start_order == NOT_STARTED:
        return None
    return 2 * (start_order - NOT_STARTED if start_order > NOT_STARTED else start_order)


def placed_pod(obj: Object, classes: PodClasses) -> PodInfo:
    """Return the pod of an object that is on a node."""
    return PodInfo(obj, classes.of(obj, wants_node=False))


def pending_pod(obj: Object, classes: PodClasses) -> PodInfo:
    """Return the pod of an object to schedule; `spec.nodeName` is the only node it accepts."""
    return PodInfo(obj, classes.of(obj, wants_node=True))
