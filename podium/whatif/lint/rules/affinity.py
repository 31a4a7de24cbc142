"""Rules about affinity to other pods, and away from them."""

from collections.abc import Iterator, Mapping, Sequence

from podium.api.objects import Object, labels
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, Kin, affinity_terms
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, rule
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds
from podium.whatif.lint.workload_reader import Workload

_AFFINITY, _ANTI_AFFINITY = "affinity.podAffinity", "affinity.podAntiAffinity"
_NOBODY: Mapping[str, str] = {}


@rule(
    "affinity-to-lower-priority",
    Severity.WARNING,
    "Pods must be near pods of lower priority",
    reason=(
        "Preemption makes room by removing pods of lower priority, and these are the ones the pod "
        "needs. No node helps it, and it stays pending although it outranks all that is there."
    ),
    fix="Give the pods that it needs the same priority at least, or prefer to be near them "
    "rather than require it.",
)
def affinity_to_lower_priority(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """All that a required term matches has a lower priority."""
    for workload in view.workloads:
        for term in affinity_terms(Kin(0, workload.pod)).required_affinity:
            found = _matched(view, term)
            own = workload.priority
            priorities = [one.priority for one in found if one.priority is not None]
            if own is not None and priorities and max(priorities) < own:
                message = f"its pods, of priority {own}, must be near pods that are lower"
                lower = tuple(f"{one} ({one.priority})" for one in found)
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}", lower)


@rule(
    "affinity-to-nobody",
    Severity.WARNING,
    "Pods must be near pods that aren't there",
    reason="They stay pending until somebody makes such pods: mostly a label is misspelt.",
    fix="Make the term match the labels and the namespace of the pods that are meant.",
)
def affinity_to_nobody(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A required term matches no pods of the cluster, not even their own."""
    for workload in view.workloads if view.nodes else ():
        for term in affinity_terms(Kin(0, workload.pod)).required_affinity:
            if not _matched(view, term):
                places = ", ".join(sorted(term.namespaces)) or "any selected namespace"
                message = f"its pods must be near pods with {term.selector} in {places}: none is"
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}")


@rule(
    "affinity-label-missing",
    Severity.WARNING,
    "Pods must be near others by a label that no node has",
    reason="A node without the label isn't near anything: the pods can't be scheduled.",
    fix="Use a label that the nodes have, such as `kubernetes.io/hostname` or "
    "`topology.kubernetes.io/zone`, or label them.",
)
def affinity_label_missing(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """No node where the pods may go has the topology key of a required term."""
    for workload in view.workloads:
        nodes = view.nodes_for(workload)
        for term in affinity_terms(Kin(0, workload.pod)).required_affinity:
            if nodes and len(without_label(nodes, term.topology_key)) == len(nodes):
                message = f"no node for its pods has the label {term.topology_key}"
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}")


@rule(
    "anti-affinity-label-missing",
    Severity.WARNING,
    "Pods keep apart by a label that nodes lack",
    reason=(
        "On a node without the label the term doesn't count: any number of the pods may go there, "
        "and be lost together."
    ),
    fix="Label these nodes, use a label that they have, or keep the pods off them by node "
    "affinity.",
)
def anti_affinity_label_missing(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A node where the pods may go lacks the topology key of a required term.

    Preferred ones count where all nodes lack it.
    """
    for workload in view.workloads:
        nodes = view.nodes_for(workload)
        terms = affinity_terms(Kin(0, workload.pod))
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


@rule(
    "anti-affinity-without-room",
    Severity.WARNING,
    "More pods must keep apart than there are places",
    reason="Each place takes one of them: the rest stay pending, whatever their priority.",
    fix="Have fewer replicas, more nodes or zones, or prefer to keep apart; topology spread "
    "constraints keep pods even rather than alone.",
)
def anti_affinity_without_room(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A workload has more replicas than domains, and a required term against its own pods."""
    for workload in view.workloads:
        nodes = view.nodes_for(workload) if workload.kind != "DaemonSet" else ()
        kin = Kin(0, workload.pod)
        for term in affinity_terms(kin).required_anti_affinity:
            own = view.namespace_labels.get(kin.namespace, _NOBODY)
            domains = {labels(node).get(term.topology_key) for node in nodes}
            if None in domains or not term.matches(kin, own):
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
        if term.matches(Kin(0, one.pod), view.namespace_labels.get(one.namespace, _NOBODY))
    ]
