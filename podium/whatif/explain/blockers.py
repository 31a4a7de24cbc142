"""Who is in the way from another node: pods that inter-pod anti-affinity keeps a pod apart from.

Preemption takes pods off the node that it makes room on, and off no other: in v1.36, too, a pod of
low priority elsewhere in the domain keeps a node closed to a pod of high priority.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from podium.api.documents.report import PodReport, pod_facts
from podium.scheduler.snapshot.affinity_terms import (
    AffinityTerm,
    affinity_terms,
    with_known_namespaces,
)
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Whose = Literal["incoming", "existing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker(PodReport):
    """A pod on one node that keeps a pod off another.

    Attributes:
        node: the node that is closed.
        on: where the pod is that closes it.
        topology_key: the label of which both nodes have the same value.
        is_own_rule: whether it is the incoming pod that doesn't want to be near the other.
    """

    node: str
    on: str
    topology_key: str
    is_own_rule: Annotated[
        bool,
        PlainSerializer(lambda is_own: "incoming" if is_own else "existing", return_type=Whose),
        Field(serialization_alias="antiAffinityOf"),
    ]


def blockers(
    snapshot: Snapshot, listers: Listers, pod: PodInfo, closed: Iterable[str]
) -> list[Blocker]:
    """The pods on other nodes that keep a pod off nodes that inter-pod anti-affinity closes."""
    opponents = list(_opponents(snapshot, listers, pod))
    found = []
    for node_name in sorted(closed):
        here = snapshot.row_of[node_name]
        for other, row, topology_key, is_own_rule in opponents:
            value = snapshot.labels_of(here).get(topology_key)
            shared = value is not None and snapshot.labels_of(row).get(topology_key) == value
            if row != here and shared:
                on = snapshot.names[row]
                found.append(
                    Blocker(
                        **pod_facts(other.obj),
                        node=node_name,
                        on=on,
                        topology_key=topology_key,
                        is_own_rule=is_own_rule,
                    )
                )
    return found


def _opponents(
    snapshot: Snapshot, listers: Listers, pod: PodInfo
) -> Iterator[tuple[PodInfo, int, str, bool]]:
    own = with_known_namespaces(affinity_terms(pod.cls.peer_group).required_anti_affinity, listers)
    around = listers.namespace_labels(pod.namespace)
    theirs: dict[int, tuple[AffinityTerm, ...]] = {}
    for row, pods in enumerate(snapshot.pods_on):
        for other in pods:
            if other.cls.id not in theirs:
                theirs[other.cls.id] = affinity_terms(other.cls.peer_group).required_anti_affinity
            for term in own:
                if term.matches(other.cls.peer_group, {}):
                    yield other, row, term.topology_key, True
            for term in theirs[other.cls.id]:
                if term.matches(pod.cls.peer_group, around):
                    yield other, row, term.topology_key, False
