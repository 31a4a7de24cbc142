"""Rules about affinity to other pods, and away from them."""

from collections.abc import Iterator, Mapping, Sequence

from podium.api.objects import Object, labels
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup, affinity_terms
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.workload_reader import Workload

_AFFINITY, _ANTI_AFFINITY = "affinity.podAffinity", "affinity.podAntiAffinity"
_NOBODY: Mapping[str, str] = {}


@Rule
def affinity_to_lower_priority(view: ClusterView) -> Iterator[Offence]:
    """All that a required term matches has a lower priority."""
    for workload in view.workloads:
        for term in affinity_terms(PeerGroup(0, workload.pod)).required_affinity:
            found = _matched(view, term)
            own = workload.priority
            priorities = [one.priority for one in found if one.priority is not None]
            if own is not None and priorities and max(priorities) < own:
                message = f"its pods, of priority {own}, must be near pods that are lower"
                lower = tuple(f"{one} ({one.priority})" for one in found)
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}", lower)


@Rule
def affinity_to_nobody(view: ClusterView) -> Iterator[Offence]:
    """A required term matches no pods of the cluster, not even their own."""
    for workload in view.workloads if view.nodes else ():
        for term in affinity_terms(PeerGroup(0, workload.pod)).required_affinity:
            if not _matched(view, term):
                places = ", ".join(sorted(term.namespaces)) or "any selected namespace"
                message = f"its pods must be near pods with {term.selector} in {places}: none is"
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}")


@Rule
def affinity_label_missing(view: ClusterView) -> Iterator[Offence]:
    """No node where the pods may go has the topology key of a required term."""
    for workload in view.workloads:
        nodes = view.nodes_for(workload)
        for term in affinity_terms(PeerGroup(0, workload.pod)).required_affinity:
            if nodes and len(without_label(nodes, term.topology_key)) == len(nodes):
                message = f"no node for its pods has the label {term.topology_key}"
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}")


@Rule
def anti_affinity_label_missing(view: ClusterView) -> Iterator[Offence]:
    """A node where the pods may go lacks the topology key of a required term.

    Preferred ones count where all nodes lack it.
    """
    for workload in view.workloads:
        nodes = view.nodes_for(workload)
        terms = affinity_terms(PeerGroup(0, workload.pod))
        for term in (*terms.required_anti_affinity, *terms.preferred_anti_affinity):
            lacking = without_label(nodes, term.topology_key)
            if len(lacking) == len(nodes) if term.weight else lacking:
                message = (
                    f"{len(lacking)} of {len(nodes)} nodes for its pods lack the label "
                    f"{term.topology_key}: the pods don't keep apart there"
                )
                field = f"{workload.path}.{_ANTI_AFFINITY}"
                if lacking:
                    yield Offence(workload.obj, message, field, node_names(lacking))


@Rule
def anti_affinity_without_room(view: ClusterView) -> Iterator[Offence]:
    """A workload has more replicas than domains, and a required term against its own pods."""
    for workload in view.workloads:
        nodes = view.nodes_for(workload) if workload.kind != "DaemonSet" else ()
        peer_group = PeerGroup(0, workload.pod)
        for term in affinity_terms(peer_group).required_anti_affinity:
            own = view.namespace_labels.get(peer_group.namespace, _NOBODY)
            domains = {labels(node).get(term.topology_key) for node in nodes}
            if None in domains or not term.matches(peer_group, own):
                continue
            if nodes and workload.replicas > len(domains):
                places = f"{len(domains)} values of {term.topology_key}"
                message = f"{workload.replicas} pods must keep apart, and nodes have {places}"
                yield Offence(workload.obj, message, f"{workload.path}.{_ANTI_AFFINITY}")


def without_label(nodes: Sequence[Object], key: str) -> list[Object]:
    """The nodes that don't have a label."""
    return [node for node in nodes if key not in labels(node)]


def node_names(nodes: Sequence[Object]) -> tuple[str, ...]:
    """The first of some nodes, and how many more there are."""
    shown = [f"Node {node['metadata']['name']}" for node in nodes[:_SHOWN_MAX]]
    left = len(nodes) - len(shown)
    return (*shown, f"{left} more nodes") if left else (*shown,)


_SHOWN_MAX = 5


def _matched(view: ClusterView, term: AffinityTerm) -> list[Workload]:
    return [
        one
        for one in view.workloads
        if term.matches(PeerGroup(0, one.pod), view.namespace_labels.get(one.namespace, _NOBODY))
    ]
