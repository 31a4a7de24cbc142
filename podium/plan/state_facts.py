"""What warnings need to know of all objects of a state, found once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from podium.api.objects import Object, controller_of, name
from podium.api.pods import is_finished, node_name_of
from podium.plan.identities import was_in_a_cluster
from podium.plan.unplayed import unplayed_owners


class StateFacts:
    """What warnings need to know of many objects.

    Attributes:
        by_kind: the objects.
        is_export: whether nodes or pods come from an API server.
        owner_kinds: the kinds of the pods' controllers, and how many pods have one of each.
        waiting: the pods on no node that haven't finished.
        pods_on: by name of a node, how many pods are on it that haven't finished.
        node_names: of the nodes.
        unplayed_owners: a warning for each kind of owners that nobody plays.

    Args:
        objects: of the kinds that decisions depend on.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        by_kind: dict[str, list[Object]] = defaultdict(list)
        for obj in objects:
            by_kind[str(obj.get("kind"))].append(obj)
        self.by_kind: Mapping[str, Sequence[Object]] = {**by_kind}
        pods, nodes = self.of("Pod"), self.of("Node")
        self.is_export = any(was_in_a_cluster(obj) for obj in (*nodes, *pods))
        self.owner_kinds = Counter(str((controller_of(pod) or {}).get("kind")) for pod in pods)
        self.waiting: list[Object] = []
        self.pods_on: Counter[str] = Counter()
        for pod in pods:
            if is_finished(pod):
                continue
            if node := node_name_of(pod):
                self.pods_on[node] += 1
            else:
                self.waiting.append(pod)
        self.node_names = {name(node) for node in nodes}
        self.unplayed_owners = tuple(
            unplayed_owners(obj for found in by_kind.values() for obj in found)
        )

    def of(self, kind: str) -> Sequence[Object]:
        """The objects of a kind."""
        return self.by_kind.get(kind, ())
