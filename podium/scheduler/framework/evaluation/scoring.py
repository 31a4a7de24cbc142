"""The weighted scores of a class of pods: local ones by row, relative ones of feasible rows."""

from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.interface import CycleError, LocalScore, RelativeScore, Scope
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.snapshot.arrays import Mask, Rows, Scores
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change, Snapshot

INFEASIBLE = -1


class Scoring:
    """Scores of all rows for one class of pods; only those of feasible rows are valid."""

    def __init__(
        self, pipeline: Pipeline, snapshot: Snapshot, pod: PodInfo, filtering: Filtering
    ) -> None:
        self.local: list[tuple[LocalScore, int]] = []
        self.relative: list[tuple[RelativeScore, int]] = []
        self._filtering = filtering
        self._node_count = snapshot.node_count
        self._spread = snapshot.node_count + 1
        self._ties = snapshot.ties
        self._ties_at = self._ties.data
        self.error = self._make_states(pipeline, pod)
        """The failure of a PreScore plugin, so that there are no scores; else None."""
        self._row_scores = [(s, weight) for s, weight in self.local if s.scope is Scope.ROW]
        of_nodes = [(s, weight) for s, weight in self.local if s.scope is Scope.NODE]
        constant = sum(s.constant * weight for s, weight in of_nodes if s.constant is not None)
        self._node_total = _same(constant, self._node_count)
        for state, weight in of_nodes:
            if state.constant is None:
                scores = _weighted(state.all_scores(self._node_count), weight)
                self._node_total = self._node_total + scores
        self._node_total_at = self._node_total.data
        scored = [
            _weighted(s.all_scores(self._node_count), weight) for s, weight in self._row_scores
        ]
        self.local_total = self._node_total + scored[0] if scored else self._node_total.copy()
        """int64[nodes], the weighted sum of local scores; `relative_total` of others."""
        for scores in scored[1:]:
            self.local_total += scores
        self._local_total_at = self.local_total.data
        self._prefer_all(renormalize=True)

    @property
    def follows_feasible(self) -> bool:
        return any(not state.is_idle for state, _ in self.relative)

    @property
    def is_volatile(self) -> bool:
        return any(state.scope is Scope.VOLATILE for state, _ in self.relative)

    def begin(self, pod: PodInfo) -> None:
        for state, _ in self.relative:
            if state.scope is Scope.VOLATILE:
                state.begin(pod)
        self._prefer_all(renormalize=True)

    def update_rows(self, rows: Collection[int]) -> None:
        if not self._row_scores:
            return
        for row in rows:
            total = self._node_total_at[row]
            for state, weight in self._row_scores:
                total += weight * state.score(row)
            self._local_total_at[row] = total

    def update_many(self, rows: Rows) -> None:
        if not self._row_scores:
            return
        totals = self._node_total[rows]
        for state, weight in self._row_scores:
            totals += _weighted(state.scores(rows), weight)
        self.local_total[rows] = totals

    def follow(self, changes: Sequence[Change], *, flipped: bool) -> None:
        """Apply changes of pods, after `update_rows`; `flipped` if the feasible rows changed."""
        filtering = self._filtering
        changed = [state.pods_changed(changes) for state, _ in self.relative]
        if any(changed) or (flipped and self.follows_feasible):
            self._prefer_all(renormalize=True)
        elif filtering.all_rows_changed:
            self._prefer_all(renormalize=False)
        else:
            outcome, local, relative = (
                filtering.outcome_at,
                self._local_total_at,
                self._relative_total_at,
            )
            for row in filtering.touched:
                self._preference_at[row] = (
                    INFEASIBLE
                    if outcome[row]
                    else (local[row] + relative[row]) * self._spread + self._ties_at[row]
                )

    def _prefer_all(self, *, renormalize: bool) -> None:
        if renormalize:
            feasible = self._filtering.feasible_rows()
            if not len(feasible) or not self.follows_feasible:
                self.relative_total = _same(0, self._node_count)
            elif len(feasible) == self._node_count:
                self.relative_total = self.relative_totals(feasible)
            else:
                self.relative_total = np.zeros(self._node_count, np.int64)
                self.relative_total[feasible] = self.relative_totals(feasible)
            self._relative_total_at = self.relative_total.data
        totals = self.local_total * self._spread
        if self.follows_feasible:
            totals += self.relative_total * self._spread
        totals += self._ties
        if not self._filtering.is_open_everywhere:
            totals[self._filtering.outcome != 0] = INFEASIBLE
        self.preference = totals
        """int64[nodes], orders rows by total score, then node name; greater is better."""
        self._preference_at = totals.data

    def preference_among(self, feasible: Mask) -> Scores:
        """Return the preference that rows would have if only these, bool[nodes], were feasible."""
        rows = np.flatnonzero(feasible)
        result = np.full(self._node_count, INFEASIBLE, np.int64)
        if len(rows):
            totals = self.local_total[rows] + self.relative_totals(rows)
            result[rows] = totals * self._spread + self._ties[rows]
        return result

    def ties(self, preference: Scores, row: int, other: int) -> bool:
        """Return whether two rows have equal total scores; `row` has to be feasible."""
        return bool(preference[row] // self._spread == preference[other] // self._spread)

    def relative_totals(self, feasible: Rows) -> Scores:
        totals = [
            _weighted(state.scores(feasible), weight)
            for state, weight in self.relative
            if not state.is_idle
        ]
        return sum(totals[1:], totals[0]) if totals else _same(0, len(feasible))

    def by_plugin(self, feasible: Rows) -> dict[str, Scores]:
        """Return the weighted, normalised scores of the feasible rows by plugin, int64[n] each."""
        local = {state.plugin: weight * state.scores(feasible) for state, weight in self.local}
        relative = {s.plugin: weight * s.scores(feasible) for s, weight in self.relative}
        return {**local, **relative}

    def _make_states(self, pipeline: Pipeline, pod: PodInfo) -> CycleError | None:
        for early in pipeline.by_shape.pre_scores(pipeline.pre_score, pod):
            status = early.pre_score(pod)
            if not status.is_success:
                message = f"running PreScore plugin {early.name}: {status.message}"
                return CycleError(early.name, message)
        for ask, weight in pipeline.by_shape.scores(pipeline.score, pod):
            state = ask(pod)
            if isinstance(state, LocalScore):
                self.local.append((state, weight))
            elif state is not None:
                self.relative.append((state, weight))
        return None


def _weighted(scores: Scores, weight: int) -> Scores:
    return scores if weight == 1 else weight * scores


@lru_cache(8)
def _same(number: int, count: int) -> Scores:
    return np.broadcast_to(np.int64(number), count)
