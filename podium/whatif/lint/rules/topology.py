"""Rules about affinity and anti-affinity between pods, and topology spread constraints."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from podium.api.nodes import is_cordoned
from podium.api.objects import Object, labels, name
from podium.api.pods import node_name_of
from podium.api.values.message_words import count
from podium.api.workloads import SCALED
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.topology_spread import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    SpreadConstraint,
    own_constraints,
    standing,
)
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule, workload_rule
from podium.whatif.lint.workload_reader import Workload

_AFFINITY, _ANTI_AFFINITY = "affinity.podAffinity", "affinity.podAntiAffinity"
_FIELD = "topologySpreadConstraints"
_NO_LABELS: Mapping[str, str] = {}
_SHOWN_MAX = 5


@workload_rule
def affinity_to_lower_priority(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """All pods that a required affinity term matches have a lower priority than the workload."""
    for term in workload.peer_group.terms.required_affinity:
        near, own = _matched(view, term), workload.priority
        priorities = [other.priority for other in near if other.priority is not None]
        if own is not None and priorities and max(priorities) < own:
            message = f"its pods, of priority {own}, must be near pods that are lower"
            lower = tuple(f"{other} ({other.priority})" for other in near)
            yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}", lower)


@Rule
def affinity_to_nobody(view: ClusterView) -> Iterator[Offence]:
    """A required affinity term matches no pods, not even those of the workload."""
    for workload in view.workloads if view.nodes else ():
        for term in workload.peer_group.terms.required_affinity:
            if not _matched(view, term):
                places = ", ".join(sorted(term.namespaces)) or "any selected namespace"
                message = f"its pods must be near pods with {term.selector} in {places}: none is"
                yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}")


@workload_rule
def affinity_label_missing(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """No matching node has the topology key of a required affinity term."""
    nodes = view.nodes_for(workload)
    for term in workload.peer_group.terms.required_affinity:
        if nodes and len(without_label(nodes, term.topology_key)) == len(nodes):
            message = f"no node for its pods has the label {term.topology_key}"
            yield Offence(workload.obj, message, f"{workload.path}.{_AFFINITY}")


@workload_rule
def anti_affinity_label_missing(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """Matching nodes lack the topology key of anti-affinity: some if required, all if preferred."""
    nodes = view.nodes_for(workload)
    terms = workload.peer_group.terms
    for term in (*terms.required_anti_affinity, *terms.preferred_anti_affinity):
        lacking = without_label(nodes, term.topology_key)
        if lacking and (not term.weight or len(lacking) == len(nodes)):
            message = (
                f"{len(lacking)} of {len(nodes)} nodes for its pods lack the label "
                f"{term.topology_key}: the pods don't keep apart there"
            )
            field = f"{workload.path}.{_ANTI_AFFINITY}"
            yield Offence(workload.obj, message, field, node_names(lacking))


@workload_rule
def anti_affinity_without_room(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A workload with anti-affinity to its own pods has more replicas than domains."""
    nodes = view.nodes_for(workload) if workload.kind != "DaemonSet" else ()
    peer_group = workload.peer_group
    for term in peer_group.terms.required_anti_affinity:
        own = view.namespace_labels.get(peer_group.namespace, _NO_LABELS)
        domains = {labels(node).get(term.topology_key) for node in nodes}
        if None in domains or not term.matches(peer_group, own):
            continue
        if nodes and workload.replicas > len(domains):
            places = f"{count(len(domains), 'value')} of {term.topology_key}"
            message = f"{workload.replicas} pods must keep apart, and nodes have {places}"
            yield Offence(workload.obj, message, f"{workload.path}.{_ANTI_AFFINITY}")


def without_label(nodes: Sequence[Object], key: str) -> list[Object]:
    """Return the nodes without a label."""
    return [node for node in nodes if key not in labels(node)]


def node_names(nodes: Sequence[Object]) -> tuple[str, ...]:
    """Return the names of the first nodes, and the number of the others."""
    shown = [f"Node {node['metadata']['name']}" for node in nodes[:_SHOWN_MAX]]
    left = len(nodes) - len(shown)
    return (*shown, count(left, "more node")) if left else (*shown,)


def _matched(view: ClusterView, term: AffinityTerm) -> list[Workload]:
    return [
        one
        for one in view.workloads
        if term.matches(one.peer_group, view.namespace_labels.get(one.namespace, _NO_LABELS))
    ]


@workload_rule
def spread_label_missing(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A matching node lacks a constraint's topology key; all nodes, if it is ScheduleAnyway."""
    nodes = view.nodes_for(workload)
    for constraint in _constraints(workload, DO_NOT_SCHEDULE):
        if lacking := without_label(nodes, constraint.topology_key):
            part = f"{len(lacking)} of {len(nodes)} nodes for its pods lack"
            message = f"{part} the label {constraint.topology_key}, and none is scheduled there"
            yield _offence(workload, message, node_names(lacking))
    for one in _constraints(workload, SCHEDULE_ANYWAY):
        lacking = without_label(nodes, one.topology_key)
        if lacking and len(lacking) == len(nodes):
            message = f"no node for its pods has the label {one.topology_key}: nothing spreads"
            yield _offence(workload, message, node_names(lacking))


@Rule
def min_domains_unmet(view: ClusterView) -> Iterator[Offence]:
    """The nodes that a constraint counts have fewer domains than its minDomains."""
    for workload, constraint, domains_of in _hard_constraints(view):
        domains = domains_of(view.nodes)
        if constraint.min_domains > max(len(domains), 1):
            fit = min(constraint.max_skew * len(domains), workload.replicas)
            values = count(len(domains), "value")
            message = (
                f"minDomains is {constraint.min_domains}, and nodes have {values} of "
                f"{constraint.topology_key}: there is room for {fit} of {workload.replicas} pods"
            )
            yield _offence(workload, message, tuple(sorted(domains)))


@workload_rule
def spread_ignores_own_pods(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """The selector of a constraint does not match the pods of the workload."""
    peer_group = workload.peer_group
    for action in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY):
        for constraint in _constraints(workload, action):
            if not constraint.counts(peer_group, peer_group):
                selector = str(constraint.selector) or "an empty selector"
                message = f"{selector} doesn't count its own pods on {constraint.topology_key}"
                yield _offence(workload, message)


@Rule
def spread_counts_closed_nodes(view: ClusterView) -> Iterator[Offence]:
    """A domain takes no pods but counts as the emptiest, so that maxSkew leaves pods pending."""
    for workload, one, domains_of in _hard_constraints(view):
        if one.honors_taints:
            continue
        open_nodes = [node for node in view.nodes_for(workload) if not is_cordoned(node)]
        open_domains = domains_of(open_nodes)
        closed = sorted(domains_of(view.nodes) - open_domains)
        if not closed or not open_domains:
            continue
        peer_group, held = workload.peer_group, dict.fromkeys(closed, 0)
        inside = [node for node in view.nodes if labels(node).get(one.topology_key) in held]
        for node in inside:
            pods = view.pods_on.get(name(node), ())
            of_node = sum(one.counts(peer_group, PeerGroup(0, pod)) for pod in pods)
            held[labels(node)[one.topology_key]] += of_node
        emptiest = min(held, key=lambda domain: (held[domain], domain))
        fit = (held[emptiest] + one.max_skew) * len(open_domains) + sum(held.values())
        if fit < workload.replicas:
            message = (
                f"{one.topology_key} {emptiest} has only nodes that are cordoned or tainted, "
                f"and counts with {count(held[emptiest], 'pod')}: there is room for {fit} of "
                f"{workload.replicas} pods"
            )
            yield _offence(workload, message, node_names(inside))


@workload_rule
def replicas_on_one_node(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """All running pods of a workload are on one node, although other nodes match."""
    pods = view.pods_of(workload)
    on = {node_name_of(pod) for pod in pods}
    is_due = workload.kind in SCALED and len(pods) >= max(view.thresholds.replicas_min, 2)
    if not is_due or len(on) > 1 or len(view.nodes_for(workload)) < 2:
        return
    peer_group = workload.peer_group
    anti = (*peer_group.terms.required_anti_affinity, *peer_group.terms.preferred_anti_affinity)
    if not workload.spec.get(_FIELD) and not any(term.matches(peer_group, {}) for term in anti):
        message = f"its {len(pods)} pods are all on {next(iter(on))}, and nothing spreads them"
        yield Offence(workload.obj, message, workload.path)


def _constraints(workload: Workload, action: str) -> Sequence[SpreadConstraint]:
    return own_constraints(PodClass(0, workload.pod, workload.peer_group), action)


def _hard_constraints(
    view: ClusterView,
) -> Iterator[tuple[Workload, SpreadConstraint, Callable[[Iterable[Object]], set[str]]]]:
    for workload in view.workloads if view.nodes else ():
        constraints = _constraints(workload, DO_NOT_SCHEDULE)
        cls = PodClass(0, workload.pod, workload.peer_group)
        for index, constraint in enumerate(constraints):
            yield workload, constraint, partial(_domains, cls, constraints, index)


def _domains(
    cls: PodClass, constraints: Sequence[SpreadConstraint], index: int, nodes: Iterable[Object]
) -> set[str]:
    domains = (standing(cls, constraints, node) for node in nodes)
    return {domain[index][0] for domain in domains if domain is not None and domain[index][1]}


def _offence(workload: Workload, message: str, witnesses: tuple[str, ...] = ()) -> Offence:
    return Offence(workload.obj, message, f"{workload.path}.{_FIELD}", witnesses)
