"""One node in the cycle of one pod: pods come and go, and all filters of the default profile judge.

The order of the plugins is that of the default profile, and the first objection counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from podium.api.objects import Object
from podium.scheduler.config.args import NodeResourcesFitArgs
from tests.reference import (
    inter_pod_affinity,
    node_affinity,
    node_declared_features,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    node_volume_limits,
    pod_topology_spread,
    taint_toleration,
    volume_binding,
    volume_restrictions,
    volume_zone,
)
from tests.reference.cluster import Cluster, priority, uid
from tests.reference.verdict import Verdict

FIT_ARGS = NodeResourcesFitArgs()


class Refusal(NamedTuple):
    """Who objects, and how."""

    plugin: str
    code: str
    reasons: tuple[str, ...]


@dataclass
class States:
    """What PreFilter leaves behind for the filters that look beyond a node."""

    spread: pod_topology_spread.State
    affinity: inter_pod_affinity.State

    def copy(self) -> "States":
        return States(self.spread.copy(), self.affinity.copy())


def prepare(cluster: Cluster, pod: Object) -> States:
    constraints = pod_topology_spread.constraints_of(cluster, pod, pod_topology_spread.HARD)
    return States(
        pod_topology_spread.prepare(cluster, pod, constraints),
        inter_pod_affinity.prepare(cluster, pod),
    )


@dataclass
class Trial:
    """The node with the pods that are on it now."""

    cluster: Cluster
    pod: Object
    node: Object
    states: States
    pods: list[Object] = field(init=False)
    ports: node_ports.UsedPorts = field(init=False)
    removed: list[Object] = field(default_factory=list)
    added: list[Object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.states = self.states.copy()
        self.pods = list(self.cluster.pods_on(self.node))
        used = self.cluster.ports.get(self.node["metadata"]["name"], node_ports.UsedPorts())
        self.ports = node_ports.UsedPorts(set(used.ports))

    def add(self, pod: Object) -> None:
        self.pods.append(pod)
        self.ports.add([pod])
        self.states.spread.change(pod, self.node, 1)
        self.states.affinity.change(pod, self.node, 1)
        if pod in self.removed:
            self.removed.remove(pod)
        else:
            self.added.append(pod)

    def remove(self, pod: Object) -> None:
        self.pods.remove(pod)
        self.ports.remove([pod])
        self.states.spread.change(pod, self.node, -1)
        self.states.affinity.change(pod, self.node, -1)
        if pod in self.added:
            self.added.remove(pod)
        else:
            self.removed.append(pod)

    def refusal(self) -> Refusal | None:
        """Of the pod, with the pods nominated to the node and without them."""
        rivals = [
            other
            for other in self.cluster.nominated.get(self.node["metadata"]["name"], ())
            if priority(other) >= priority(self.pod) and uid(other) != uid(self.pod)
        ]
        if rivals:
            crowded = self._copy()
            for rival in rivals:
                crowded.add(rival)
            refusal = crowded._first_objection()
            if refusal is not None:
                return refusal
        return self._first_objection()

    def _copy(self) -> "Trial":
        copy = Trial(self.cluster, self.pod, self.node, self.states)
        copy.pods = list(self.pods)
        copy.ports = node_ports.UsedPorts(set(self.ports.ports))
        copy.removed, copy.added = list(self.removed), list(self.added)
        return copy

    def _first_objection(self) -> Refusal | None:
        for plugin, verdict in self._verdicts():
            if verdict is not None:
                return Refusal(plugin, *verdict)
        return None

    def _verdicts(self) -> Iterator[tuple[str, Verdict]]:
        world, pod, node, pods = self.cluster, self.pod, self.node, self.pods
        yield "NodeUnschedulable", node_unschedulable.filter_node(pod, node)
        yield "NodeName", node_name.filter_node(pod, node)
        yield "TaintToleration", taint_toleration.filter_node(pod, node)
        yield "NodeAffinity", node_affinity.filter_node(pod, node, {})
        yield "NodePorts", node_ports.filter_node(pod, self.ports)
        yield "NodeResourcesFit", node_resources_fit.filter_node(pod, node, pods, FIT_ARGS)
        yield (
            "VolumeRestrictions",
            volume_restrictions.filter_node(world, pod, node, self.removed, self.added),
        )
        yield "NodeVolumeLimits", node_volume_limits.filter_node(world, pod, node, pods)
        yield "VolumeBinding", volume_binding.filter_node(world, pod, node)
        yield "VolumeZone", volume_zone.filter_node(world, pod, node)
        yield "PodTopologySpread", pod_topology_spread.filter_node(self.states.spread, node)
        yield "InterPodAffinity", inter_pod_affinity.filter_node(self.states.affinity, node)
        yield "NodeDeclaredFeatures", node_declared_features.filter_node(pod, node)
