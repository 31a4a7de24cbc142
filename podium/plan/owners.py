"""Who pods belong to."""

from collections.abc import Iterable, Iterator

from podium.api.objects import Object, controller_of, key, name, namespace
from podium.api.pods import priority_class_of
from podium.api.priority import pod_priority
from podium.documents.pod_report import PodFacts
from podium.plan.identities import Identity, label
from podium.simulation.timeline.pod_history import PodHistory


class Row(PodFacts):
    """What each row about a pod says of it: the fields of `PodRow`."""

    workload: str


class Owners:
    """Controllers of controllers, those included that have been deleted.

    Args:
        controllers: those that may have others above them; of the same name the last counts.
    """

    def __init__(self, controllers: Iterable[Object]) -> None:
        self._above: dict[Identity, Identity] = {}
        for obj in controllers:
            owner = controller_of(obj)
            if owner is not None:
                place = namespace(obj)
                above = (str(owner["kind"]), place, str(owner["name"]))
                self._above[str(obj["kind"]), place, name(obj)] = above

    def above(self, owner: Identity | None) -> Iterator[Identity]:
        """A controller, the one above it, and so on."""
        while owner is not None:
            yield owner
            owner = self._above.get(owner)

    def workload(self, pod: str, owner: Identity | None) -> str:
        """The topmost controller of a pod, or the pod itself."""
        owners = [*self.above(owner)]
        return label(owners[-1]) if owners else f"Pod {pod}"

    def row(self, pod: PodHistory) -> Row:
        """What a row says of a pod that may be gone."""
        return {
            "pod": pod.pod,
            "namespace": pod.pod.partition("/")[0],
            "owner": label(pod.owner) if pod.owner else "",
            "workload": self.workload(pod.pod, pod.owner),
            "priority": pod.priority,
            "priority_class": pod.priority_class,
        }

    def row_of(self, pod: Object) -> Row:
        """What a row says of a pod that is there."""
        owner = controller_of(pod)
        above = (str(owner["kind"]), namespace(pod), str(owner["name"])) if owner else None
        return {
            "pod": key(pod),
            "namespace": namespace(pod),
            "owner": label(above) if above else "",
            "workload": self.workload(key(pod), above),
            "priority": pod_priority(pod),
            "priority_class": priority_class_of(pod),
        }
