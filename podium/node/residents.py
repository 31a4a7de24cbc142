"""The pods that one node has taken, and what they take of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import uid
from podium.core.pod_classes import PodClasses
from podium.core.pods import PodInfo, placed_pod
from podium.node.life import Life, Stage
from podium.node.load import Load
from podium.node.pod_events import Seen
from podium.node.simulated.addresses import Addresses
from podium.node.simulated.usage.scripts import NO_USAGE, UsageScript

Object = Mapping[str, Any]

NEVER = -1


@dataclass(slots=True)
class Resident:
    """A pod that the node has taken.

    Attributes:
        info: the pod as it counts on the node.
        life: its life.
        ip: its address.
        written: `life.changes` when a status was last written; `NEVER` if that has to be done.
        told: the gist of that status.
        seen: the life when events were last recorded of it.
        counts: whether the pod takes room; no more when it has stopped.
        usage: what it uses, as scripted.
        annotations: that script it.
    """

    info: PodInfo
    life: Life
    ip: str
    written: int = NEVER
    told: tuple[str, str] = ("", "")
    seen: Seen = field(default_factory=Seen)
    counts: bool = True
    usage: UsageScript = NO_USAGE
    annotations: Object | None = None


class Residents:
    """All of them, in the order in which they came.

    Attributes:
        load: what they take.
        addresses: of the node and its pods.

    Args:
        addresses: likewise.
        classes: where pods are classed.
    """

    def __init__(self, addresses: Addresses, classes: PodClasses) -> None:
        self.load = Load()
        self.addresses = addresses
        self._classes = classes
        self._by_uid: dict[str, Resident] = {}

    def get(self, pod_uid: str) -> Resident | None:
        """A resident, if the pod is one."""
        return self._by_uid.get(pod_uid)

    def active(self) -> Iterator[Resident]:
        """Those that haven't stopped."""
        return (one for one in self._by_uid.values() if one.life.stage is not Stage.STOPPED)

    def info_of(self, pod: Object) -> PodInfo:
        """A pod as it would count on the node."""
        if self._classes.is_crowded:
            self._classes.forget()
        return placed_pod(pod, self._classes)

    def take(self, info: PodInfo, life: Life, ip: str = "") -> Resident:
        """Take a pod.

        Args:
            info: the pod.
            life: its life.
            ip: its address, if it has one already.
        """
        if ip:
            self.addresses.keep(ip)
        else:
            own = not life.spec.get("hostNetwork")
            ip = self.addresses.take() if own else self.addresses.host
        resident = self._by_uid[uid(info.obj)] = Resident(info, life, ip)
        self.load.add(info)
        return resident

    def renew(self, resident: Resident, pod: Object) -> None:
        """Count what a pod takes now; what it requests and its deadline may change as it runs."""
        spec = pod["spec"]
        if spec is resident.life.spec:
            return
        if spec != resident.life.spec and resident.counts:
            self.load.remove(resident.info)
            resident.info = self.info_of(pod)
            self.load.add(resident.info)
        resident.life.spec = spec

    def vacate(self, resident: Resident) -> None:
        """Count a pod no more that has stopped."""
        if resident.counts:
            self.load.remove(resident.info)
            resident.counts = False

    def leave(self, pod_uid: str) -> None:
        """Forget a pod."""
        resident = self._by_uid.pop(pod_uid, None)
        if resident is not None:
            self.vacate(resident)
            self.addresses.give_back(resident.ip)
