"""The rows from which volumes can be reached, cached because there may be very many volumes."""

from collections.abc import Iterable

import numpy as np

from podium.api.objects import Object, entries, name, spec_of
from podium.api.selectors.labels import Selector
from podium.api.selectors.node_selector import node_selector
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.scheduler.snapshot.snapshot import Snapshot


class VolumeTopology:
    """Finds rows by node labels and by node affinity of volumes."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._epoch = snapshot.node_epoch
        self._reach: dict[str, tuple[Object, Rows]] = {}

    def labelled(self, label: str) -> Mask:
        present: Mask = self._snapshot.columns.label(label).codes != ABSENT
        return present

    def having(self, label: str, values: Iterable[str]) -> Mask:
        return self._snapshot.columns.label(label).having(values)

    def selected(self, selector: Selector) -> Mask:
        if selector.matches_nothing:
            return np.zeros(self._snapshot.node_count, bool)
        return self._snapshot.columns.meeting(selector.requirements)

    def allowed(self, terms: Iterable[Object] | None) -> Mask:
        count = self._snapshot.node_count
        listed = [*terms] if terms else []
        result = np.full(count, not listed)
        for term in listed:
            expressions = term.get("matchLabelExpressions") or ()
            matching = np.full(count, bool(expressions))
            for expression in expressions:
                matching &= self.having(expression.get("key", ""), entries(expression, "values"))
            result |= matching
        return result

    def reach(self, volume: Object) -> Rows:
        """Return the rows that a persistent volume's node affinity matches, ascending."""
        if self._epoch != self._snapshot.node_epoch:
            self._epoch = self._snapshot.node_epoch
            self._reach.clear()
        known = self._reach.get(name(volume))
        if known is None or known[0] is not volume:
            affinity = spec_of(volume).get("nodeAffinity") or {}
            rows = np.flatnonzero(self.matching(affinity.get("required")))
            known = self._reach[name(volume)] = (volume, rows)
        return known[1]

    def matching(self, required: Object | None) -> Mask:
        """Return which rows a persistent volume's NodeSelector matches, bool[nodes]; all for None.

        Only node labels are compared: requirements on fields of the node always hold.
        """
        if required is None:
            return np.ones(self._snapshot.node_count, bool)
        result = np.zeros(self._snapshot.node_count, bool)
        for term in node_selector(required).terms:
            if not term.error:
                result |= self._snapshot.columns.meeting(term.expressions)
        return result
