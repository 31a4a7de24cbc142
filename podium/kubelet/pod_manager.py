"""The pods that one node has taken, and what they take of it."""

from collections.abc import Iterable, Iterator

from podium.api.objects import Object, uid
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.pod_admission import NodeLoad
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod


class PodManager:
    """The pods of one node, in the order in which they came."""

    def __init__(self, classes: PodClasses) -> None:
        self.load = NodeLoad()
        self._classes = classes
        # None keeps the place of a pod that is taken later.
        self._by_uid: dict[str, PodWorker | None] = {}
        self._foreseen: dict[str, PodInfo] = {}

    def get(self, pod_uid: str) -> PodWorker | None:
        """The work on a pod, if the node has taken it."""
        return self._by_uid.get(pod_uid)

    def all(self) -> list[PodWorker]:
        """All of them."""
        return [one for one in self._by_uid.values() if one is not None]

    def active(self) -> Iterator[PodWorker]:
        """Those that haven't ended."""
        return (one for one in self._by_uid.values() if one is not None and not one.is_over)

    def expect(self, uids: Iterable[str]) -> None:
        """Have pods come in this order, and before all others, whenever they are taken."""
        self._by_uid.update(dict.fromkeys(uids))

    def foresee(self, pod: Object) -> None:
        """Count a pod that runs already, though it is taken later."""
        if uid(pod) not in self._foreseen:
            info = self._foreseen[uid(pod)] = self.info_of(pod)
            self.load.add(info)

    def info_of(self, pod: Object) -> PodInfo:
        """A pod as it would count on the node."""
        if self._classes.is_crowded:
            self._classes.forget()
        return placed_pod(pod, self._classes)

    def add(self, worker: PodWorker) -> None:
        """Take a pod."""
        self._by_uid[worker.uid] = worker
        foreseen = self._foreseen.pop(worker.uid, None)
        if foreseen is not None:
            self.load.remove(foreseen)
        self.load.add(worker.info)

    def renew(self, worker: PodWorker, pod: Object) -> None:
        """Take in how a pod is now; what it requests may change as it runs."""
        spec, known = pod["spec"], worker.pod["spec"]
        worker.see(pod)
        if spec is not known and spec != known and worker.counts:
            self.load.remove(worker.info)
            worker.info = self.info_of(pod)
            self.load.add(worker.info)

    def ended(self, worker: PodWorker) -> Iterator[PodWorker]:
        """Count a pod no more that has ended; those that have waited for its room, if any."""
        if not worker.counts:
            return
        self.load.remove(worker.info)
        worker.counts = False
        for one in self.all():
            if worker.uid in one.waits_for:
                one.release(worker.uid, worker.over_s)
                yield one

    def remove(self, worker: PodWorker) -> None:
        """Forget a pod."""
        del self._by_uid[worker.uid]
