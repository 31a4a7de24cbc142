"""Node selectors and node affinity that a node doesn't meet, as text."""

from collections.abc import Iterable, Iterator, Mapping

from podium.api.objects import Object
from podium.api.selectors.labels import Requirement
from podium.api.selectors.node_selector import required_node_affinity

# The value of a label that may have any.
_ANY = "true"


def unmet_node_affinity(pod: Object, marks: Mapping[str, str], name: str) -> Iterator[str]:
    """Explain which parts of a pod's nodeSelector and node affinity a node doesn't meet."""
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


def missing_labels(pod: Object, marks: Mapping[str, str], name: str) -> Iterator[dict[str, str]]:
    """Yield each set of new labels with which a node meets nodeSelector and node affinity.

    Labels that the node has keep their values: they say what it is.
    """
    required = required_node_affinity(pod)
    terms = () if required.affinity is None else required.affinity.terms
    for expressions in [term.expressions for term in terms] or [()]:
        added = _added((*required.selector.requirements, *expressions), marks)
        if added and required.matches({**marks, **added}, name):
            yield added


def _added(requirements: Iterable[Requirement], marks: Mapping[str, str]) -> dict[str, str]:
    added = dict[str, str]()
    for requirement in requirements:
        if requirement.key not in marks and requirement.operator in ("In", "Exists"):
            value = requirement.values[0] if requirement.values else _ANY
            added.setdefault(requirement.key, value)
    return added


def _unmet(requirement: Requirement, marks: Mapping[str, str]) -> str:
    key = requirement.key
    has = f"{key}={marks[key]}" if key in marks else f"no label {key}"
    return f"asks for {requirement}; the node has {has}"
