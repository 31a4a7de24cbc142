"""What each scheduler was told of pods and nodes, added up independently of the scheduler."""

from podium.api import objects as meta
from podium.api.objects import Object
from podium.api.pods import is_finished, node_name_of
from podium.machines.events import Change


class Told:
    """The pods and nodes that one machine must know of by now."""

    def __init__(self) -> None:
        self.nodes: dict[str, Object] = {}
        self.pods: dict[str, Object] = {}

    def take_in(self, change: Change) -> None:
        objects, key = {"Pod": (self.pods, meta.uid), "Node": (self.nodes, meta.name)}.get(
            change.kind, (None, None)
        )
        if objects is None or key is None:
            return
        if change.new is not None:
            objects[key(change.new)] = change.new
        elif change.old is not None:
            del objects[key(change.old)]

    def on(self, node_name: str) -> dict[str, Object]:
        """The pods on a node that aren't finished, by uid."""
        return {
            uid: pod
            for uid, pod in self.pods.items()
            if node_name_of(pod) == node_name and not is_finished(pod)
        }
