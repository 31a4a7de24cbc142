"""Peer groups of pods, and their inter-pod affinity terms, read as AffinityTerm of v1.36."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from podium.api.objects import Object, is_terminating, labels, name, namespace, spec_of
from podium.api.pods import affinity_of
from podium.api.selectors.labels import NOTHING, Selector, SelectorError, label_selector
from podium.api.well_known import PREFERRED, REQUIRED
from podium.scheduler.snapshot.listers import Listers

Mark = tuple[str, str]
"""A label and its value, by which pods can be looked up."""


class PeerGroup:
    """Pods with equal namespace, labels and affinity terms, which other pods can't tell apart.

    `id` is an index into columns of peer groups; `PodClasses.forget` changes it.
    """

    __slots__ = ("__dict__", "__weakref__", "_affinity", "id", "labels", "namespace", "terminating")

    def __init__(self, group_id: int, pod: Object) -> None:
        self.id = group_id
        self.namespace = namespace(pod)
        self.labels: Mapping[str, str] = labels(pod)
        self.terminating = is_terminating(pod)
        self._affinity = affinity_of(spec_of(pod))

    @cached_property
    def terms(self) -> "AffinityTerms":
        if not self._affinity.get("podAffinity") and not self._affinity.get("podAntiAffinity"):
            return _NONE
        lists: list[tuple[AffinityTerm, ...]] = []
        faults: list[str] = []
        for list_name, field_name, strength in _LISTS:
            raw_terms = (self._affinity.get(field_name) or {}).get(strength) or ()
            try:
                lists.append(tuple(_term(raw, strength, self.namespace) for raw in raw_terms))
            except SelectorError as error:
                faults.append(f"{list_name}: {error}")
                lists.append(())
        message = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]" if faults else ""
        return AffinityTerms(*lists, error=message)


def peer_group_key(pod: Object) -> tuple[object, ...]:
    """Return a key that two pods share exactly if they are of one peer group."""
    affinity = affinity_of(spec_of(pod))
    return (
        namespace(pod),
        labels(pod),
        is_terminating(pod),
        affinity.get("podAffinity"),
        affinity.get("podAntiAffinity"),
    )


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """A term of inter-pod affinity or anti-affinity; `weight` is 0 if it is required."""

    namespaces: frozenset[str]
    namespace_selector: Selector
    selector: Selector
    topology_key: str
    weight: int = 0

    def matches(self, peer_group: PeerGroup, namespace_labels: Mapping[str, str]) -> bool:
        in_namespace = peer_group.namespace in self.namespaces or self.namespace_selector.matches(
            namespace_labels
        )
        return in_namespace and self.selector.matches(peer_group.labels)


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """The valid terms of a peer group; `error` is upstream's message about invalid ones."""

    required_affinity: tuple[AffinityTerm, ...] = ()
    required_anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_affinity: tuple[AffinityTerm, ...] = ()
    preferred_anti_affinity: tuple[AffinityTerm, ...] = ()
    error: str = field(default="", compare=False, kw_only=True)

    @property
    def is_empty(self) -> bool:
        return self == _NONE


def with_known_namespaces(
    terms: Iterable[AffinityTerm], listers: Listers
) -> tuple[AffinityTerm, ...]:
    """Replace namespace selectors of terms by the names of existing namespaces."""
    resolved = []
    for term in terms:
        selector = term.namespace_selector
        if not selector.is_empty and not selector.matches_nothing:
            selected = {name(n) for n in listers.list("Namespace") if selector.matches(labels(n))}
            known = term.namespaces | selected
            term = replace(term, namespaces=known, namespace_selector=NOTHING)
        resolved.append(term)
    return tuple(resolved)


_NONE = AffinityTerms()
# In the order of the fields of AffinityTerms, named as errors of upstream name them.
_LISTS = (
    ("requiredAffinityTerms", "podAffinity", REQUIRED),
    ("requiredAntiAffinityTerms", "podAntiAffinity", REQUIRED),
    ("preferredAffinityTerms", "podAffinity", PREFERRED),
    ("preferredAntiAffinityTerms", "podAntiAffinity", PREFERRED),
)


def _term(raw: Object, strength: str, own_namespace: str) -> AffinityTerm:
    weight = 0
    if strength == PREFERRED:
        weight, raw = int(raw.get("weight") or 0), raw.get("podAffinityTerm") or {}
    namespaces, namespace_selector = raw.get("namespaces"), raw.get("namespaceSelector")
    is_own = not namespaces and namespace_selector is None
    return AffinityTerm(
        namespaces=frozenset((own_namespace,) if is_own else namespaces or ()),
        namespace_selector=label_selector(namespace_selector),
        selector=label_selector(raw.get("labelSelector")),
        topology_key=str(raw.get("topologyKey") or ""),
        weight=weight,
    )
