"""All that is known of one class of pods: which rows fit it, and what they score.

An evaluation is made once per class and then follows the snapshot: a pod that came or went
touches its row, in plain integers, and other rows only where a plugin says so
(docs/incremental.md).
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.volumes.claims_and_volumes import claim_uses
from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.evaluation.nominated_pods import Rivalry
from podium.scheduler.framework.evaluation.outcome_counts import OutcomeCounts
from podium.scheduler.framework.evaluation.scoring import Scoring
from podium.scheduler.framework.interface import CycleError, PostFilterResult, PreemptionResult
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.snapshot.arrays import Codes
from podium.scheduler.snapshot.change_log import Change, rows_of
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

INFEASIBLE = -1
_NEVER = (-1, -1, -1)
_CATCH_UP_MAX = 4_000
# Up to so many changes, rows are judged one by one, in plain integers; of more, as arrays.
_SINGLY_MAX = 64


class Refusal(msgspec.Struct, frozen=True, eq=False):
    """What was found out about a pod that fits nowhere and helps itself to no room.

    While nothing has changed, all pods of its class meet the same refusal.
    """

    state: tuple[object, ...]
    outcome: Codes
    blame: Codes
    post_filter: PostFilterResult | None
    preemption: PreemptionResult | None


class Evaluation:
    """Filters and scores of one class of pods, kept up to date.

    Attributes:
        refusal: the last one that holds for all pods of the class; None if there is none.
        said: the last message of a refusal, with the outcome and answer that it was made of.
        kept: what plugins keep, by their name: a CycleState that lasts for the class.
    """

    filtering: Filtering
    kept: dict[str, Any]
    _epochs: tuple[int, int, int]

    def __init__(
        self,
        pipeline: Pipeline,
        snapshot: Snapshot,
        listers: Listers,
        nominator: Nominator,
        pod: PodInfo,
    ) -> None:
        self._pipeline = pipeline
        self._snapshot = snapshot
        self._listers = listers
        self._uses_claims = pod.cls.has_volumes and any(claim_uses(pod.obj))
        self._scoring: Scoring | None = None
        self.kept = {}
        self.outcome_counts = OutcomeCounts()
        self.refusal: Refusal | None = None
        self.said: tuple[Codes, PostFilterResult | None, str] | None = None
        self._nominator = nominator
        self._rivalry: Rivalry | None = None
        self._changes = snapshot.log.cursor()
        self._build(pod)

    @property
    def scoring(self) -> Scoring:
        """What the rows that fit score, of which there must be one; made when first asked for."""
        if self._scoring is None:
            feasible = self.filtering.feasible_rows()
            self._scoring = Scoring(self._pipeline, self._snapshot, self._pod, feasible)
            self._prefer_all(self._scoring)
        return self._scoring

    @property
    def preference(self) -> NDArray[np.int64]:
        """int64[nodes], greater is better, `INFEASIBLE` where the pod doesn't fit.

        The total score, and among equals the smaller node name.
        """
        if not len(self.filtering.feasible_rows()):
            return np.full(self._snapshot.node_count, INFEASIBLE, np.int64)
        _ = self.scoring
        return self._preference

    @property
    def rivalry(self) -> Rivalry | None:
        """What nominated pods close; None while nobody is nominated."""
        if self._rivalry is None and self._nominator:
            self._rivalry = Rivalry(self._snapshot, self._nominator)
        return self._rivalry if self._nominator else None

    def ties(self, preference: NDArray[np.int64], row: int, other: int) -> bool:
        """Whether two rows, of which the first is feasible, have the same total score."""
        return bool(preference[row] // self._spread == preference[other] // self._spread)

    def refresh(self, pod: PodInfo) -> None:
        """Bring everything up to date with the snapshot, for a cycle of `pod`.

        Raises:
            CycleError: a plugin failed; everything is evaluated anew the next time.
        """
        changes = self._changes.new(at_most=_CATCH_UP_MAX)
        try:
            if changes is None or self._epochs != self._current_epochs():
                self._build(pod)
                return
            self._pod = pod
            if len(changes) > _SINGLY_MAX:
                many = rows_of(changes)
                flipped = self.filtering.update_many(many, changes)
                if self._scoring is not None:
                    self._scoring.update_many(many)
                    self._score(self._scoring, changes, flipped=flipped)
            elif changes:
                few = {row for row, _, _ in changes}
                flipped = self.filtering.update(few, changes)
                if self._scoring is not None:
                    self._scoring.update_rows(few)
                    self._score(self._scoring, changes, flipped=flipped)
            is_volatile = self._scoring is not None and self._scoring.is_volatile
            if is_volatile or self.filtering.is_volatile:
                self.filtering.begin(pod)
                if self._scoring is not None:
                    self._scoring.begin(pod)
                    self._scoring.update_relative(self.filtering.feasible_rows())
                    self._prefer_all(self._scoring)
        except CycleError:
            self._epochs = _NEVER
            raise

    def preference_among(self, feasible: NDArray[np.bool_]) -> NDArray[np.int64]:
        """`preference` as it would be if only these rows, bool[nodes], were feasible."""
        rows = np.flatnonzero(feasible)
        result = np.full(len(feasible), INFEASIBLE, np.int64)
        if len(rows):
            totals = self.scoring.local_total[rows] + self.scoring.relative_totals(rows)
            result[rows] = totals * self._spread + self._ties[rows]
        return result

    def _build(self, pod: PodInfo) -> None:
        snapshot = self._snapshot
        self._epochs = self._current_epochs()
        self._pod = pod
        self._scoring = None
        self.filtering = Filtering(self._pipeline, snapshot, pod)
        self._spread = snapshot.node_count + 1
        self._ties = snapshot.ties()

    def _current_epochs(self) -> tuple[int, int, int]:
        assumed = self._listers.assumed_epoch if self._uses_claims else 0
        return self._snapshot.node_epoch, self._listers.epoch, assumed

    def _score(self, scoring: Scoring, changes: Sequence[Change], *, flipped: bool) -> None:
        filtering = self.filtering
        if scoring.update_pods(changes) or (flipped and scoring.follows_feasible):
            scoring.update_relative(filtering.feasible_rows())
            self._prefer_all(scoring)
        elif filtering.all_rows_changed:
            self._prefer_all(scoring)
        else:
            outcome, local, relative = (
                filtering.outcome_at,
                scoring.local_total_at,
                scoring.relative_total_at,
            )
            for row in filtering.touched:
                self._preference_at[row] = (
                    INFEASIBLE
                    if outcome[row]
                    else (local[row] + relative[row]) * self._spread + self._ties_at[row]
                )

    def _prefer_all(self, scoring: Scoring) -> None:
        totals = scoring.local_total * self._spread
        if scoring.follows_feasible:
            totals += scoring.relative_total * self._spread
        totals += self._ties
        if not self.filtering.is_open_everywhere:
            totals[self.filtering.outcome != 0] = INFEASIBLE
        self._preference = totals
        self._preference_at = totals.data
        self._ties_at = self._ties.data
