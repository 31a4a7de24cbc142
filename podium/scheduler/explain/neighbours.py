"""The pods, and their number, by which affinity or spread keeps a pod out of a domain."""

from collections import Counter
from collections.abc import Iterator, Sequence

from podium.api.nodes import is_cordoned, untolerated_taints
from podium.api.values.message_words import count as counted
from podium.api.values.message_words import listed
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, with_known_namespaces
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot
from podium.scheduler.snapshot.topology_spread import DO_NOT_SCHEDULE, own_constraints, standing

_NAMED_MAX = 5


def spread_details(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    """Explain which of the pod's spread constraints the node of a row would violate."""
    for constraint in own_constraints(pod.cls, DO_NOT_SCHEDULE):
        key = constraint.topology_key
        here = snapshot.labels_of(row).get(key)
        if here is None:
            yield f"the node has no label {key}, by which the pod's kind is to be spread"
            continue
        counts: Counter[str] = Counter()
        for other_row, node in enumerate(snapshot.nodes):
            stands = standing(pod.cls, [constraint], node)
            if stands is not None and stands[0][1]:
                counts[stands[0][0]] += sum(
                    constraint.counts(pod.cls.peer_group, other.cls.peer_group)
                    for other in snapshot.pods_on[other_row]
                )
        has_too_few = len(counts) < constraint.min_domains
        least = 0 if has_too_few else min(counts.values(), default=0)
        own = constraint.meets(pod.cls.peer_group, pod.cls.peer_group)
        if counts[here] + own - least > constraint.max_skew:
            pods = counted(counts[here], "such pod")
            emptiest = [] if has_too_few else [d for d, count in counts.items() if count == least]
            yield (
                f"{key}={here} has {pods}, the emptiest {key} {least}"
                f"{_closed(snapshot, pod, key, emptiest)}; maxSkew is {constraint.max_skew}"
            ) + (f", and minDomains {constraint.min_domains} isn't reached" if has_too_few else "")


def _closed(snapshot: Snapshot, pod: PodInfo, key: str, domains: Sequence[str]) -> str:
    # Domains in which the pod fits no node can't be filled by it.
    tolerations = pod.cls.spec.get("tolerations")
    for row, node in enumerate(snapshot.nodes):
        is_closed = is_cordoned(node) or [*untolerated_taints(node, tolerations)]
        if not is_closed and snapshot.labels_of(row).get(key) in domains:
            return ""
    named = listed(sorted(domains), _NAMED_MAX)
    return f" ({named}, whose nodes are all cordoned or tainted)" if domains else ""


def affinity_details(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    """Explain which required affinity no pod meets, and which pods violate anti-affinity."""
    terms = pod.cls.peer_group.terms
    marks = snapshot.labels_of(row)
    all_pods = [other for pods in snapshot.pods_on for other in pods]

    def domain(term: AffinityTerm) -> str:
        return f"{term.topology_key}={marks.get(term.topology_key, '')}"

    def is_near(other: PodInfo, term: AffinityTerm) -> bool:
        value = marks.get(term.topology_key)
        return value is not None and value == snapshot.labels_of(other.row).get(term.topology_key)

    def matching(term: AffinityTerm) -> tuple[PodInfo, ...]:
        return tuple(
            other
            for other in all_pods
            if is_near(other, term) and term.matches(other.cls.peer_group, {})
        )

    for term in with_known_namespaces(terms.required_affinity, listers):
        if term.topology_key not in marks:
            key = term.topology_key
            yield (
                f"the node has no label {key}, so that no pod with {term.selector} is in its "
                f"{key}, where one must be"
            )
        elif not matching(term):
            yield f"no pod with {term.selector} is in {domain(term)}, where it must be"
    apart: dict[tuple[str, tuple[PodInfo, ...]], list[str]] = {}
    for term in with_known_namespaces(terms.required_anti_affinity, listers):
        apart.setdefault((domain(term), matching(term)), []).append("its own")
    around = listers.namespace_labels(pod.namespace)
    theirs: dict[AffinityTerm, list[PodInfo]] = {}
    for other in all_pods:
        for term in other.cls.peer_group.terms.required_anti_affinity:
            if is_near(other, term) and term.matches(pod.cls.peer_group, around):
                theirs.setdefault(term, []).append(other)
    for term, others in theirs.items():
        apart.setdefault((domain(term), tuple(others)), []).append("their")
    for (place, pods), rules in apart.items():
        if pods:
            ordered = sorted(pods, key=lambda pod: (-pod.priority, pod.key))
            named = listed([f"{pod.key} (priority {pod.priority})" for pod in ordered], _NAMED_MAX)
            yield f"{named} in {place}, by {' and '.join(rules)} anti-affinity"
