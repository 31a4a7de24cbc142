"""Which rows node selectors match, evaluated on columns of labels instead of node by node."""

from collections.abc import Iterable
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from podium.api.selectors.labels import Requirement
from podium.api.selectors.node_selector import (
    NAME_FIELD,
    NodeSelector,
    NodeSelectorTerm,
    RequiredNodeAffinity,
)
from podium.scheduler.snapshot.snapshot import Snapshot

Mask = NDArray[np.bool_]


def matching_rows(
    snapshot: Snapshot, selector: NodeSelector | NodeSelectorTerm | RequiredNodeAffinity
) -> Mask:
    """The rows whose nodes match, as `selector.matches` would say of each.

    Returns:
        bool[nodes], a new array.
    """
    if isinstance(selector, NodeSelectorTerm):
        return _matching_term(snapshot, selector)
    if isinstance(selector, NodeSelector):
        terms = (_matching_term(snapshot, term) for term in selector.terms)
        return reduce(np.logical_or, terms, np.zeros(snapshot.node_count, bool))
    rows = _meeting(snapshot, selector.selector.requirements)
    if selector.affinity is not None:
        rows &= matching_rows(snapshot, selector.affinity)
    return rows


def _matching_term(snapshot: Snapshot, term: NodeSelectorTerm) -> Mask:
    if term.error or term.is_empty:
        return np.zeros(snapshot.node_count, bool)
    rows = _meeting(snapshot, term.expressions)
    for requirement in term.fields:
        rows &= _meeting_field(snapshot, requirement)
    return rows


def _meeting(snapshot: Snapshot, requirements: Iterable[Requirement]) -> Mask:
    rows = np.ones(snapshot.node_count, bool)
    for requirement in requirements:
        rows &= snapshot.columns.label(requirement.key).meets(requirement)
    return rows


def _meeting_field(snapshot: Snapshot, requirement: Requirement) -> Mask:
    """The rows that meet a condition, `In` or `NotIn`, on a field; other fields are empty."""
    if requirement.key != NAME_FIELD:
        return np.full(snapshot.node_count, requirement.matches(""))
    named = np.zeros(snapshot.node_count, bool)
    named[[snapshot.row_of[name] for name in requirement.values if name in snapshot.row_of]] = True
    return named if requirement.operator == "In" else ~named
