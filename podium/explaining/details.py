"""The amounts, taints, labels and pods behind a filter's refusal.

A filter says in Kubernetes' words that it refuses; here is what it looked at. Filters that Podium
doesn't know have no details.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from podium.api.labels import Requirement
from podium.api.node_selector import required_node_affinity
from podium.api.nodes import taints_of
from podium.api.objects import Object
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE, tolerations_tolerate
from podium.core.listers import Listers
from podium.core.pod_info import PodInfo
from podium.core.snapshot import Snapshot
from podium.core.status import Status
from podium.explaining.amounts import amount_text, bare_amount
from podium.explaining.neighbours import affinity_details, spread_details


class TriedNode(msgspec.Struct, frozen=True):
    """A pod and a node that it was tried on.

    Attributes:
        snapshot: the cluster.
        listers: other objects.
        pod: the pod.
        row: of the node.
    """

    snapshot: Snapshot
    listers: Listers
    pod: PodInfo
    row: int

    @property
    def node(self) -> Object:
        """The node."""
        return self.snapshot.nodes[self.row]


def details_of(status: Status, place: TriedNode) -> tuple[str, ...]:
    """What a filter looked at before it refused."""
    describe = _DESCRIBERS.get(status.plugin)
    return () if describe is None else tuple(describe(place))


def _resources(place: TriedNode) -> Iterator[str]:
    columns, row = place.snapshot.resources, place.row
    if columns.pods[row] + 1 > columns.allowed_pods[row]:
        yield f"{columns.pods[row]} of {columns.allowed_pods[row]} pods are on the node"
    for index, needed in columns.counted(place.pod.cls.requests):
        resource = columns.names[index]
        has, held = int(columns.allocatable[index][row]), int(columns.requested[index][row])
        if needed > max(has - held, 0):
            free, whole = bare_amount(resource, max(has - held, 0)), bare_amount(resource, has)
            yield (
                f"needs {amount_text(resource, needed)}, {free} of {whole} free; "
                f"{_without_lower(place, resource, needed, has, held)}"
            )


def _without_lower(place: TriedNode, resource: str, needed: int, has: int, held: int) -> str:
    lower = sum(
        pod.cls.held.get(resource, 0)
        for pod in place.snapshot.pods_on[place.row]
        if pod.priority < place.pod.priority
    )
    short = needed - (has - held + lower)
    if short > 0:
        gone = " with all pods of lower priority gone" if lower else ""
        return f"{amount_text(resource, short)} short{gone}"
    return "enough with pods of lower priority gone"


def _taints(place: TriedNode) -> Iterator[str]:
    for taint in untolerated_taints(place.node, place.pod.cls.spec.get("tolerations")):
        yield f"taint {taint_text(taint)} isn't tolerated"


def untolerated_taints(
    node: Object, tolerations: Sequence[Mapping[str, Any]] | None
) -> Iterator[Mapping[str, Any]]:
    """The taints of a node that keep pods with these tolerations away."""
    for taint in taints_of(node):
        keeps_away = taint.get("effect") in (NO_SCHEDULE, NO_EXECUTE)
        if keeps_away and not tolerations_tolerate(tolerations, taint):
            yield taint


def taint_text(taint: Mapping[str, Any]) -> str:
    """A taint as kubectl writes it: `key=value:Effect`."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


def _labels(place: TriedNode) -> Iterator[str]:
    marks, name = place.snapshot.labels_of(place.row), place.snapshot.names[place.row]
    return unmet_node_affinity(place.pod.cls.pod, marks, name)


def unmet_node_affinity(pod: Object, marks: Mapping[str, str], name: str) -> Iterator[str]:
    """The conditions of a pod's nodeSelector and node affinity that a node doesn't meet.

    Args:
        pod: any object with a pod's `spec`.
        marks: the labels of the node.
        name: of the node.
    """
    required = required_node_affinity(pod)
    for requirement in required.selector.requirements:
        if not requirement.matches(marks.get(requirement.key)):
            yield _unmet(requirement, marks)
    if required.affinity is None or required.affinity.matches(marks, name):
        return
    terms = required.affinity.terms
    for number, term in enumerate(terms, 1):
        which = f" (alternative {number} of {len(terms)})" if len(terms) > 1 else ""
        for requirement in term.expressions:
            if not requirement.matches(marks.get(requirement.key)):
                yield _unmet(requirement, marks) + which
        for requirement in term.fields:
            if not requirement.matches(name):
                yield f"asks for a node whose name is {requirement}" + which


def _unmet(requirement: Requirement, marks: Mapping[str, str]) -> str:
    key = requirement.key
    has = f"{key}={marks[key]}" if key in marks else f"no label {key}"
    return f"asks for {requirement}; the node has {has}"


def _ports(place: TriedNode) -> Iterator[str]:
    wanted = place.pod.cls.host_ports
    for holder in place.snapshot.pods_on[place.row]:
        for port in sorted(holder.cls.host_ports):
            if any(map(port.conflicts, wanted)):
                yield f"{holder.key}, priority {holder.priority}, holds port {port}"


def _cordoned(_place: TriedNode) -> Iterator[str]:
    yield "the node is cordoned (spec.unschedulable)"


def _spread(place: TriedNode) -> Iterator[str]:
    return spread_details(place.snapshot, place.pod, place.row)


def _affinity(place: TriedNode) -> Iterator[str]:
    return affinity_details(place.snapshot, place.listers, place.pod, place.row)


_DESCRIBERS: Mapping[str, Callable[[TriedNode], Iterator[str]]] = {
    "NodeResourcesFit": _resources,
    "TaintToleration": _taints,
    "NodeAffinity": _labels,
    "NodePorts": _ports,
    "NodeUnschedulable": _cordoned,
    "PodTopologySpread": _spread,
    "InterPodAffinity": _affinity,
}
