"""Node selectors: `nodeSelector`, required and preferred node affinity, a volume's node affinity.

The rules are those of component-helpers' `nodeaffinity` package in v1.36: terms are alternatives;
a term is a conjunction of conditions on labels (`matchExpressions`) and on fields
(`matchFields`, where the only field is `metadata.name`); a term without conditions matches
nothing; a term that can't be parsed matches nothing either, and its faults are kept.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.objects import entries, spec_of
from podium.api.pod_specs import node_affinity_of
from podium.api.selectors.labels import (
    NODE_OPERATORS,
    Requirement,
    Selector,
    equality_selector,
    requirement_faults,
)
from podium.api.well_known import REQUIRED

NAME_FIELD = "metadata.name"
_FIELD_OPERATORS = ("In", "NotIn")

_Expression = Mapping[str, Any]
_Judge = Callable[[_Expression], list[FieldError]]


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """A conjunction of conditions on a node; one that couldn't be parsed matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()
    error: tuple[FieldError, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the term as written has no condition at all (and so matches nothing)."""
        return not (self.expressions or self.fields or self.error)

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Whether a node with these labels and this name meets all conditions."""
        if self.error or self.is_empty:
            return False
        for requirement in self.expressions:
            if not requirement.matches(labels.get(requirement.key)):
                return False
        # A node without a name (a template of nodes to come) isn't judged by its name.
        return not name or all(
            requirement.matches(name if requirement.key == NAME_FIELD else "")
            for requirement in self.fields
        )


@dataclass(frozen=True, slots=True)
class NodeSelector:
    """Alternatives: a node matches if it matches any term. Without terms nothing matches."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    @property
    def errors(self) -> tuple[FieldError, ...]:
        """Why terms couldn't be parsed, in order; such terms match nothing."""
        return tuple(fault for term in self.terms for fault in term.error)

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Whether a node with these labels and this name matches any term."""
        return any(term.matches(labels, name) for term in self.terms)


@dataclass(frozen=True, slots=True)
class RequiredNodeAffinity:
    """All that a pod demands of a node's labels and name: `nodeSelector` and required affinity."""

    selector: Selector
    affinity: NodeSelector | None

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Whether a node with these labels and this name meets both."""
        return self.selector.matches(labels) and (
            self.affinity is None or self.affinity.matches(labels, name)
        )


def node_selector(raw: Mapping[str, Any]) -> NodeSelector:
    """The meaning of a `NodeSelector`: of its `nodeSelectorTerms`, empty ones dropped."""
    terms = (
        _term(term, f"nodeSelectorTerms[{index}]")
        for index, term in enumerate(entries(raw, "nodeSelectorTerms"))
    )
    return NodeSelector(tuple(term for term in terms if not term.is_empty))


def preferred_terms(
    raw_list: Sequence[Mapping[str, Any]] | None,
) -> tuple[tuple[int, NodeSelectorTerm], ...]:
    """The meaning of preferred node affinity: weights and terms, in order.

    Terms without weight or without conditions are dropped. Terms that couldn't be parsed stay,
    with their `error`: Kubernetes refuses to score any node for such a pod.
    """
    weighted = (
        (raw.get("weight") or 0, _term(raw.get("preference") or {}, f"[{index}]"))
        for index, raw in enumerate(raw_list or ())
    )
    return tuple((weight, term) for weight, term in weighted if weight and not term.is_empty)


def required_node_affinity(pod: Mapping[str, Any]) -> RequiredNodeAffinity:
    """What a pod's `nodeSelector` and required node affinity demand together."""
    spec = spec_of(pod)
    affinity = node_affinity_of(spec)
    required = affinity.get(REQUIRED)
    return RequiredNodeAffinity(
        selector=equality_selector(spec.get("nodeSelector")),
        affinity=None if required is None else node_selector(required),
    )


def _term(raw: Mapping[str, Any], path: str) -> NodeSelectorTerm:
    expressions, fields = raw.get("matchExpressions") or (), raw.get("matchFields") or ()
    faults = (
        *_faults(expressions, f"{path}.matchExpressions", _expression_faults),
        *_faults(fields, f"{path}.matchFields", _field_faults),
    )
    if faults:
        return NodeSelectorTerm(error=faults)
    return NodeSelectorTerm(_requirements(expressions), _requirements(fields))


def _faults(expressions: Iterable[_Expression], path: str, judge: _Judge) -> Iterator[FieldError]:
    for index, expression in enumerate(expressions):
        for fault in judge(expression):
            yield fault.under(f"{path}[{index}]")


def _expression_faults(expression: _Expression) -> list[FieldError]:
    operator = expression.get("operator", "")
    if operator not in NODE_OPERATORS:
        return [unsupported("operator", operator, NODE_OPERATORS)]
    return requirement_faults(expression.get("key", ""), operator, expression.get("values"))


def _field_faults(expression: _Expression) -> list[FieldError]:
    operator, values = expression.get("operator", ""), expression.get("values")
    if operator not in _FIELD_OPERATORS:
        return [unsupported("operator", operator, _FIELD_OPERATORS)]
    if len(values or ()) != 1:
        return [FieldError("values", values, "must have one element")]
    return []


def _requirements(expressions: Iterable[_Expression]) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(e.get("key", ""), e["operator"], tuple(entries(e, "values")))
        for e in expressions
    )
