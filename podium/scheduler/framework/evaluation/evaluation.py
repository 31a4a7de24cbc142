"""The evaluation of a class of pods: which rows fit it, and how they score.

An evaluation is made once per class and then updated from the snapshot's log: a pod that was added
or removed changes its row, and other rows only if a plugin says so (docs/incremental.md).
"""

from collections.abc import Hashable
from typing import Any

import msgspec
import numpy as np

from podium.api.volumes.claims_and_volumes import claim_uses
from podium.scheduler.framework.evaluation.filtering import Filtering, OutcomeCounts
from podium.scheduler.framework.evaluation.hypothetical_rows import Rivalry
from podium.scheduler.framework.evaluation.scoring import INFEASIBLE, Scoring
from podium.scheduler.framework.interface import (
    CycleError,
    PostFilterResult,
    PreemptionResult,
)
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.snapshot.arrays import Codes, Scores
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot, rows_of

_NEVER = (-1,)
_CATCH_UP_MAX = 4_000
# Up to this many changes, rows are filtered one by one, in plain integers; else as arrays.
_SINGLY_MAX = 64


class Refusal(msgspec.Struct, frozen=True, eq=False):
    """The refusal of a pod that fits on no node and that PostFilter didn't help.

    It holds for all pods of the class while `SchedulingCycle` finds `state` unchanged.
    """

    state: tuple[object, ...]
    outcome: Codes
    blame: Codes
    post_filter: PostFilterResult | None
    preemption: PreemptionResult | None


class Evaluation:
    """Filters and scores of one class of pods, kept up to date."""

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
        self._nominator = nominator
        self._uses_claims = pod.cls.has_volumes and any(claim_uses(pod.obj))
        self._dependent = [p for p in pipeline.dependent if p.depends_on(pod) is not None]
        self.kept: dict[str, Any] = {}
        """Data that plugins keep for the class, by plugin: a CycleState that lasts."""
        self.outcome_counts = OutcomeCounts()
        self.refusal: Refusal | None = None
        """The last refusal that holds for all pods of the class, if any."""
        self.said: tuple[Codes, PostFilterResult | None, str] | None = None
        """The last message of a refusal, with the outcome and PostFilter result that it is of."""
        self._rivalry: Rivalry | None = None
        self._changes = snapshot.log.cursor()
        self._pod = pod
        self._epochs = self._current_epochs()
        self.filtering = Filtering(pipeline, snapshot, pod)
        self._scoring: Scoring | None = None

    @property
    def scoring(self) -> Scoring:
        """Scores of the rows that fit, computed on first use; at least one row has to fit."""
        if self._scoring is None:
            self._scoring = Scoring(self._pipeline, self._snapshot, self._pod, self.filtering)
        return self._scoring

    @property
    def preference(self) -> Scores:
        """Preference of each row, int64[nodes]: greater is better, `INFEASIBLE` if refused."""
        if not len(self.filtering.feasible_rows()):
            return np.full(self._snapshot.node_count, INFEASIBLE, np.int64)
        return self.scoring.preference

    @property
    def rivalry(self) -> Rivalry | None:
        """Rows that don't fit once nominated pods are counted; None if no pod is nominated."""
        if self._rivalry is None and self._nominator:
            self._rivalry = Rivalry(self._snapshot, self._nominator)
        return self._rivalry if self._nominator else None

    def refresh(self, pod: PodInfo) -> None:
        """Update filters and scores for `pod`; after a CycleError, the next call starts anew."""
        changes = self._changes.new(at_most=_CATCH_UP_MAX)
        self._pod, scoring, flipped = pod, self._scoring, False
        try:
            if changes is None or self._epochs != self._current_epochs():
                self._epochs = self._current_epochs()
                self._scoring = None
                self.filtering = Filtering(self._pipeline, self._snapshot, pod)
                return
            stirred = self.filtering.stirred()
            if stirred is None or len(changes) + len(stirred) > _SINGLY_MAX:
                many = self._snapshot.rows
                if stirred is not None:
                    many = np.concatenate((rows_of(changes), np.array(stirred, np.int64)))
                flipped = self.filtering.update_many(many, changes)
                if scoring is not None:
                    scoring.update_many(many)
            elif changes or stirred:
                few = {*stirred, *(row for row, _, _ in changes)}
                flipped = self.filtering.update(few, changes)
                if scoring is not None:
                    scoring.update_rows(few)
            if (changes or stirred != ()) and scoring is not None:
                scoring.follow(changes, flipped=flipped)
            is_volatile = scoring is not None and scoring.is_volatile
            if is_volatile or self.filtering.is_volatile:
                self.filtering.begin(pod)
                if scoring is not None:
                    scoring.begin(pod)
        except CycleError:
            self._epochs = _NEVER
            raise

    def _current_epochs(self) -> tuple[Hashable, ...]:
        assumed = self._listers.assumed_epoch if self._uses_claims else 0
        others = [plugin.depends_on(self._pod) for plugin in self._dependent]
        return self._snapshot.node_epoch, self._listers.epoch, assumed, *others
