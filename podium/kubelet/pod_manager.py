"""The pods that a node has admitted, and their load."""

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
        # None keeps the place of a pod that is added later.
        self._by_uid: dict[str, PodWorker | None] = {}
        self._foreseen: dict[str, PodInfo] = {}

    def get(self, pod_uid: str) -> PodWorker | None:
        return self._by_uid.get(pod_uid)

    def all(self) -> list[PodWorker]:
        return [one for one in self._by_uid.values() if one is not None]

    def active(self) -> Iterator[PodWorker]:
        return (one for one in self._by_uid.values() if one is not None and not one.is_over)

    def expect(self, uids: Iterable[str]) -> None:
        """Order pods before all others, whenever they are added."""
        self._by_uid.update(dict.fromkeys(uids))

    def foresee(self, pod: Object) -> None:
        """Count a pod that runs already, though it is added later."""
        if uid(pod) not in self._foreseen:
            info = self._foreseen[uid(pod)] = self.info_of(pod)
            self.load.add(info)

    def info_of(self, pod: Object) -> PodInfo:
        if self._classes.is_crowded:
            self._classes.forget()
        return placed_pod(pod, self._classes)

    def add(self, worker: PodWorker) -> None:
        self._by_uid[worker.uid] = worker
        foreseen = self._foreseen.pop(worker.uid, None)
        if foreseen is not None:
            self.load.remove(foreseen)
        self.load.add(worker.info)

    def renew(self, worker: PodWorker, pod: Object) -> None:
        """Take in a change of a pod, whose requests may change while it runs."""
        spec, known = pod["spec"], worker.pod["spec"]
        worker.see(pod)
        if spec is not known and spec != known and worker.counts:
            self.load.remove(worker.info)
            worker.info = self.info_of(pod)
            self.load.add(worker.info)

    def ended(self, worker: PodWorker) -> Iterator[PodWorker]:
        """Stop counting a pod that has ended; the pods that waited for its resources, if any."""
        if not worker.counts:
            return
        self.load.remove(worker.info)
        worker.counts = False
        for one in self.all():
            if worker.uid in one.waits_for:
                one.release(worker.uid, worker.over_s)
                yield one

    def remove(self, worker: PodWorker) -> None:
        del self._by_uid[worker.uid]
