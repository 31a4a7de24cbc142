"""Node selectors: `nodeSelector`, required and preferred node affinity, a volume's node affinity.

The rules are those of component-helpers' `nodeaffinity` package in v1.36: terms are alternatives;
a term is a conjunction of conditions on labels (`matchExpressions`) and on fields
(`matchFields`, where the only field is `metadata.name`); a term without conditions matches
nothing; a term that can't be parsed matches nothing either, and its faults are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.objects import entries, spec_of
from podium.api.pods import node_affinity_of
from podium.api.selectors.labels import (
    NODE_OPERATORS,
    Requirement,
    Selector,
    equality_selector,
    requirement_faults,
)
from podium.api.well_known import REQUIRED

NAME_FIELD = "metadata.name"
_FIELD_OPERATORS = NODE_OPERATORS[:2]


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """A term of a node selector: a conjunction of requirements. An invalid term matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()
    error: tuple[FieldError, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the term has no requirements; an empty term matches nothing."""
        return not (self.expressions or self.fields or self.error)

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Return whether a node with these labels and this name meets all requirements."""
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
    """A node selector: a node has to match at least one term; without terms, no node matches."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    @property
    def errors(self) -> tuple[FieldError, ...]:
        """The faults of all invalid terms, in order."""
        return tuple(fault for term in self.terms for fault in term.error)

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Return whether a node with these labels and this name matches any term."""
        return any(term.matches(labels, name) for term in self.terms)


@dataclass(frozen=True, slots=True)
class RequiredNodeAffinity:
    """A pod's requirements for nodes: `nodeSelector` and required node affinity."""

    selector: Selector
    affinity: NodeSelector | None

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Return whether a node with these labels and this name meets both requirements."""
        return self.selector.matches(labels) and (
            self.affinity is None or self.affinity.matches(labels, name)
        )


def node_selector(raw: Mapping[str, Any]) -> NodeSelector:
    """Convert the `nodeSelectorTerms` of a `NodeSelector`, omitting empty terms."""
    terms = (
        _term(term, f"nodeSelectorTerms[{index}]")
        for index, term in enumerate(entries(raw, "nodeSelectorTerms"))
    )
    return NodeSelector(tuple(term for term in terms if not term.is_empty))


def preferred_terms(
    raw_list: Sequence[Mapping[str, Any]] | None,
) -> tuple[tuple[int, NodeSelectorTerm], ...]:
    """Convert preferred node affinity into weights and terms, in order.

    Terms without weight or requirements are omitted. Invalid terms are kept with their `error`:
    Kubernetes refuses to score any node for such a pod.
    """
    weighted = (
        (raw.get("weight") or 0, _term(raw.get("preference") or {}, f"[{index}]"))
        for index, raw in enumerate(raw_list or ())
    )
    return tuple((weight, term) for weight, term in weighted if weight and not term.is_empty)


def required_node_affinity(pod: Mapping[str, Any]) -> RequiredNodeAffinity:
    """Return a pod's `nodeSelector` and required node affinity."""
    spec = spec_of(pod)
    affinity = node_affinity_of(spec)
    required = affinity.get(REQUIRED)
    return RequiredNodeAffinity(
        selector=equality_selector(spec.get("nodeSelector")),
        affinity=None if required is None else node_selector(required),
    )


def _term(raw: Mapping[str, Any], path: str) -> NodeSelectorTerm:
    faults = []
    for field in ("matchExpressions", "matchFields"):
        operators = NODE_OPERATORS if field == "matchExpressions" else _FIELD_OPERATORS
        for index, expression in enumerate(raw.get(field) or ()):
            operator, values = expression.get("operator", ""), expression.get("values")
            if operator not in operators:
                own_faults = [unsupported("operator", operator, operators)]
            elif field == "matchExpressions":
                own_faults = requirement_faults(expression.get("key", ""), operator, values)
            else:
                is_one = len(values or ()) == 1
                own_faults = (
                    [] if is_one else [FieldError("values", values, "must have one element")]
                )
            faults += [fault.under(f"{path}.{field}[{index}]") for fault in own_faults]
    if faults:
        return NodeSelectorTerm(error=tuple(faults))
    expressions, fields = (
        tuple(
            Requirement(e.get("key", ""), e["operator"], tuple(entries(e, "values")))
            for e in raw.get(field) or ()
        )
        for field in ("matchExpressions", "matchFields")
    )
    return NodeSelectorTerm(expressions, fields)
