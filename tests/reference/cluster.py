"""A cluster as plain objects, with all that a scheduling cycle looks at."""

from dataclasses import dataclass, field

from podium.api.objects import Object
from tests.reference.node_ports import UsedPorts
from tests.reference.volume_world import World


@dataclass
class Cluster(World):
    """Nodes, pods and other objects; budgets; pods nominated, and ports in use, by node."""

    pods: dict[str, list[Object]] = field(default_factory=dict)
    budgets: list[Object] = field(default_factory=list)
    nominated: dict[str, list[Object]] = field(default_factory=dict)
    ports: dict[str, UsedPorts] = field(default_factory=dict)

    def node(self, name: str) -> Object | None:
        return next((node for node in self.nodes if node["metadata"]["name"] == name), None)

    def pods_on(self, node: Object) -> list[Object]:
        return self.pods.get(node["metadata"]["name"], [])

    def add(self, pod: Object, node_name: str) -> None:
        self.pods.setdefault(node_name, []).append(pod)
        self.ports.setdefault(node_name, UsedPorts()).add([pod])

    def remove(self, pod: Object) -> None:
        """The last pod of the node takes the place of the one that left, as in NodeInfo."""
        for node_name, pods in self.pods.items():
            for index, other in enumerate(pods):
                if uid(other) == uid(pod):
                    self.ports[node_name].remove([other])
                    pods[index] = pods[-1]
                    pods.pop()
                    return

    def nominate(self, pod: Object, node_name: str) -> None:
        self.withdraw(pod)
        if node_name:
            self.nominated.setdefault(node_name, []).append(pod)

    def withdraw(self, pod: Object) -> None:
        for pods in self.nominated.values():
            pods[:] = [other for other in pods if uid(other) != uid(pod)]

    def nomination_of(self, pod: Object) -> str:
        for node_name, pods in self.nominated.items():
            if any(uid(other) == uid(pod) for other in pods):
                return node_name
        return ""


def key(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def uid(pod: Object) -> str:
    return str(pod["metadata"].get("uid", key(pod)))


def priority(pod: Object) -> int:
    return int(pod["spec"].get("priority", 0))
