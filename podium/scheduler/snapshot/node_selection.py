"""Which rows node selectors match, evaluated on columns of labels instead of node by node."""

from collections.abc import Iterable
from functools import reduce

import numpy as np

from podium.api.selectors.labels import Requirement
from podium.api.selectors.node_selector import (
    NAME_FIELD,
    NodeSelector,
    NodeSelectorTerm,
    RequiredNodeAffinity,
)
from podium.scheduler.snapshot.arrays import Mask
from podium.scheduler.snapshot.snapshot import Snapshot


def matching_rows(
    snapshot: Snapshot, selector: NodeSelector | NodeSelectorTerm | RequiredNodeAffinity
) -> Mask:
    """The rows whose nodes match, as `selector.matches` would say of each; a new bool[nodes]."""
    if isinstance(selector, NodeSelectorTerm):
        return _matching_term(snapshot, selector)
    if isinstance(selector, NodeSelector):
        terms = (_matching_term(snapshot, term) for term in selector.terms)
        return reduce(np.logical_or, terms, np.zeros(snapshot.node_count, bool))
    rows = meeting(snapshot, selector.selector.requirements)
    if selector.affinity is not None:
        rows &= matching_rows(snapshot, selector.affinity)
    return rows


def _matching_term(snapshot: Snapshot, term: NodeSelectorTerm) -> Mask:
    if term.error or term.is_empty:
        return np.zeros(snapshot.node_count, bool)
    rows = meeting(snapshot, term.expressions)
    for requirement in term.fields:
        if requirement.key != NAME_FIELD:
            # Other fields are taken to be empty.
            rows &= requirement.matches("")
            continue
        named = np.zeros(snapshot.node_count, bool)
        row_of = snapshot.row_of
        named[[row_of[name] for name in requirement.values if name in row_of]] = True
        rows &= named if requirement.operator == "In" else ~named
    return rows


def meeting(snapshot: Snapshot, requirements: Iterable[Requirement]) -> Mask:
    """The rows whose nodes' labels meet all requirements, a new bool[nodes]."""
    rows = np.ones(snapshot.node_count, bool)
    for requirement in requirements:
        rows &= snapshot.columns.label(requirement.key).meets(requirement)
    return rows
