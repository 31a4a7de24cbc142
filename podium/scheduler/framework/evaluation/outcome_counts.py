"""How many rows say what: counted once, and afterwards only where another thing is said."""

from collections import Counter

import numpy as np

from podium.scheduler.snapshot.arrays import Codes

# Codes are int32, so that a plugin's number above them keeps pairs apart.
_CODE_BITS = 32
_FEW_ROWS_MAX = 64


class OutcomeCounts:
    """Counts rows by objecting filter and code: `counts` of (blame, code)."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()
        self._outcome, self._blame = np.zeros((2, 0), np.int32)

    def follow(self, outcome: Codes, blame: Codes) -> None:
        """Count these, int32[rows], instead of the last ones; the arrays must not change later."""
        before, who, self._outcome, self._blame = self._outcome, self._blame, outcome, blame
        if outcome is before and blame is who:
            return
        if len(outcome) != len(before):
            self._count(outcome, blame)
            return
        changed = np.flatnonzero((outcome != before) | (blame != who))
        if len(changed) > _FEW_ROWS_MAX:
            self._count(outcome, blame)
            return
        for pair in zip(who[changed].tolist(), before[changed].tolist(), strict=True):
            self.counts[pair] -= 1
        for pair in zip(blame[changed].tolist(), outcome[changed].tolist(), strict=True):
            self.counts[pair] += 1

    def count_of(self, who: int) -> int:
        """The number of rows to which a filter objects, by whatever code."""
        return sum(count for (blame, _), count in self.counts.items() if blame == who)

    def row_of(self, pair: tuple[int, int]) -> int:
        """The first of the rows with a (blame, code)."""
        who, code = pair
        return int(((self._outcome == code) & (self._blame == who)).argmax())

    def _count(self, outcome: Codes, blame: Codes) -> None:
        self.counts.clear()
        pairs = (blame.astype(np.int64) << _CODE_BITS) + outcome
        # There are few pairs, and a look at all rows for each takes less than sorting them.
        while len(pairs):
            pair, others = int(pairs[0]), pairs[pairs != pairs[0]]
            who = pair + 2 ** (_CODE_BITS - 1) >> _CODE_BITS
            self.counts[who, pair - (who << _CODE_BITS)] = len(pairs) - len(others)
            pairs = others
