"""What pods see of each other: namespace, labels, terms of affinity, and whether they are leaving.

A peer group is all pods that other pods can't tell apart; pods of one workload are of one, even if
their requests differ. Inter-pod affinity and topology spreading count pods by peer group. Terms are
read as AffinityTerm of the scheduling framework, v1.36.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from podium.api.objects import Object, is_terminating, labels, name, namespace, spec_of
from podium.api.pod_specs import affinity_of
from podium.api.selectors.labels import NOTHING, Selector, SelectorError, label_selector
from podium.api.well_known import PREFERRED, REQUIRED
from podium.scheduler.snapshot.listers import Listers

Mark = tuple[str, str]
"""A label and its value: what pods can be looked up by."""


class PeerGroup:
    """Pods that other pods can't tell apart.

    Attributes:
        id: index into columns of peer groups, from 0; another one after `PodClasses.forget`.
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
        """All terms that the pods have about other pods."""
        near: Object = self._affinity.get("podAffinity") or {}
        apart: Object = self._affinity.get("podAntiAffinity") or {}
        if not near and not apart:
            return _NONE
        faults: list[str] = []
        read = (
            self._read("requiredAffinityTerms", _required(near), faults),
            self._read("requiredAntiAffinityTerms", _required(apart), faults),
            self._read("preferredAffinityTerms", _weighted(near), faults),
            self._read("preferredAntiAffinityTerms", _weighted(apart), faults),
        )
        error = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]" if faults else ""
        return AffinityTerms(*read, error)

    def _read(
        self, kind: str, raw: Iterable[tuple[Object, int]], faults: list[str]
    ) -> tuple["AffinityTerm", ...]:
        found = []
        try:
            for term, weight in raw:
                listed, namespace_selector = term.get("namespaces"), term.get("namespaceSelector")
                own = not listed and namespace_selector is None
                found.append(
                    AffinityTerm(
                        namespaces=frozenset((self.namespace,) if own else listed or ()),
                        namespace_selector=label_selector(namespace_selector),
                        selector=label_selector(term.get("labelSelector")),
                        topology_key=str(term.get("topologyKey") or ""),
                        weight=weight,
                    )
                )
        except SelectorError as error:
            faults.append(f"{kind}: {error}")
            return ()
        return tuple(found)


def peer_group_key(pod: Object) -> tuple[object, ...]:
    """Equal for pods of one peer group, and for no others."""
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
    """A term of a pod's affinity or anti-affinity to other pods; a required one has weight 0."""

    namespaces: frozenset[str]
    namespace_selector: Selector
    selector: Selector
    topology_key: str
    weight: int = 0

    def matches(self, peer_group: PeerGroup, namespace_labels: Mapping[str, str]) -> bool:
        """Whether pods of a peer group, whose namespace has these labels, are meant."""
        in_namespace = peer_group.namespace in self.namespaces or self.namespace_selector.matches(
            namespace_labels
        )
        return in_namespace and self.selector.matches(peer_group.labels)


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """All terms of a peer group; those that `error` is about, in upstream's words, are left out."""

    required_affinity: tuple[AffinityTerm, ...] = ()
    required_anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_affinity: tuple[AffinityTerm, ...] = ()
    preferred_anti_affinity: tuple[AffinityTerm, ...] = ()
    error: str = field(default="", compare=False)

    @property
    def is_empty(self) -> bool:
        return self == _NONE


def with_known_namespaces(
    terms: Iterable[AffinityTerm], listers: Listers
) -> tuple[AffinityTerm, ...]:
    """The terms with their namespace selectors resolved to the namespaces that there are."""
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


def _required(affinity: Object) -> list[tuple[Object, int]]:
    return [(term, 0) for term in affinity.get(REQUIRED) or ()]


def _weighted(affinity: Object) -> list[tuple[Object, int]]:
    preferred = affinity.get(PREFERRED) or ()
    return [(term.get("podAffinityTerm") or {}, int(term.get("weight") or 0)) for term in preferred]
