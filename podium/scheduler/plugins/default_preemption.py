"""DefaultPreemption: makes room for pods that fit nowhere, by removing less important ones.

It names the victims. Removing them is left to whoever acts on the decision; for as long as that
lasts, the pod is kept out of the active queue.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from operator import contains
from typing import Any
from weakref import ref

import numpy as np

from podium.scheduler.config.args import DefaultPreemptionArgs
from podium.scheduler.config.preemption_options import PreemptionScope
from podium.scheduler.framework.cluster_events import EventHint, EventResource
from podium.scheduler.framework.cycle.diagnosis import ReasonHistogram, nodes_available_message
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.evaluation.filtering import NOBODY, Filtering
from podium.scheduler.framework.event_registration import after_removal
from podium.scheduler.framework.handle import Handle, tied
from podium.scheduler.framework.status import SUCCESS, Status, unresolvable, unschedulable
from podium.scheduler.preemption.candidate_keys import keys_of
from podium.scheduler.preemption.candidates import CandidateLimit
from podium.scheduler.preemption.choice import choose
from podium.scheduler.preemption.dry_run import NO_VICTIMS, NO_VICTIMS_REASON, DryRun
from podium.scheduler.preemption.eligibility import ineligible
from podium.scheduler.preemption.policies.cross_node.search import CrossNodeSearch
from podium.scheduler.preemption.policies.cross_node.victim_sets import NODES_TOUCHED, VictimSets
from podium.scheduler.preemption.policies.patience import PatientPreemption
from podium.scheduler.preemption.policies.policy import policy_of
from podium.scheduler.preemption.policies.walls import Wall
from podium.scheduler.preemption.policies.whole_gangs import with_whole_gangs
from podium.scheduler.preemption.result import Preemption
from podium.scheduler.preemption.victim_order import IMPORTANCE
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.pod_info import PodInfo

NOT_HELPFUL_REASON = "Preemption is not helpful for scheduling"
FORBIDDEN_REASON = "Preemption is forbidden"
_NAME = "DefaultPreemption"
_HELPED = SUCCESS.by(_NAME)
# A dry run has some 70 bytes a row, and most preemptors come but once.
_RUNS_MAX = 64
VICTIMS_LEAVING_ELSEWHERE = "not eligible due to terminating pods on other nodes."
_UNDER_WAY = "waiting for the preemption for this pod to be finished"


class DefaultPreemption:
    """Looks for a node where preemption helps (PostFilter); dry runs are kept with evaluations.

    Args:
        args: how many candidates to look at; all of them if the handle has no random numbers.
    """

    name = _NAME

    def __init__(self, handle: Handle, args: DefaultPreemptionArgs) -> None:
        self._handle = handle
        self._importance = IMPORTANCE[handle.options.victim_order]
        self._keys = keys_of(handle)
        self._policy = policy_of(handle)
        self._patience = PatientPreemption(handle) if handle.options.patience else None
        self._shields = None if self._policy is None else self._policy.shields
        # Those with a dry run of ours, in the order in which these were made.
        self._evaluations: deque[ref[Evaluation]] = deque()
        options, self._cross_node = handle.options, None
        if options.preemption_scope is PreemptionScope.CROSS_NODE:
            self._cross_node = CrossNodeSearch(
                handle, self._importance, self._shields, options.cross_node_limits
            )
        self._tables = VictimTables(
            handle.snapshot, handle.budgets, self._importance, self._shields
        )
        self._limit = _limit(handle, args)

    def events_to_register(self) -> Sequence[EventHint]:
        """Look at pods that are held back when a pod goes; whether that helps, others must say."""
        return (after_removal(EventResource.ASSIGNED_POD, lambda pod, gone: False),)

    def pre_enqueue(self, pod: PodInfo) -> Status:
        """A pod isn't tried again before its victims have been told to go."""
        return unresolvable(_UNDER_WAY) if pod.uid in self._handle.preempting else SUCCESS

    def by_class(self, pod: PodInfo) -> bool:
        """Not where time, chance or other nodes have a part in it."""
        gangs, others = self._handle.gangs, (self._patience, self._policy, self._cross_node)
        return gangs is None and self._limit is None and others == (None, None, None)

    def post_filter(self, pod: PodInfo, filtered: NodeToStatus) -> Preemption:
        """Choose a node, and the pods that have to go there."""
        snapshot, outcome = self._handle.snapshot, filtered.outcome
        own_row = snapshot.row_of.get(pod.nominated_node_name, -1)
        reason = ineligible(pod, snapshot, int(outcome[own_row]) if own_row >= 0 else 0)
        if reason:
            return _no_help(reason, eligible=False)
        if self._cross_node is not None and pod.uid in self._handle.history.leaving.values():
            return _no_help(VICTIMS_LEAVING_ELSEWHERE, eligible=False)
        if self._patience is not None and (held := self._patience.held(pod, filtered)):
            return _no_help(held.reason, held=held)
        filtering, run = filtered.evaluation.filtering, self._run_of(filtered.evaluation)
        potential = outcome > 0
        if self._policy is not None:
            self._policy.update()
        run.update(pod, filtering, potential)
        if self._limit is not None and potential.any():
            potential = self._limit.shortlist(run, potential)
        run = with_whole_gangs(run, pod, potential, self._handle)
        is_rejected = potential & ~run.is_candidate
        candidates = np.flatnonzero(potential & run.is_candidate)
        walls: dict[int, Wall] = {}
        helped = self._select(pod, run, candidates, is_rejected, walls)
        if helped is None and self._cross_node is not None:
            sets = self._cross_node.find(pod, filtered.evaluation)
            if sets is not None:
                wholes = with_whole_gangs(sets, pod, sets.is_candidate, self._handle)
                candidates = np.flatnonzero(wholes.is_candidate)
                others = is_rejected & ~wholes.is_candidate
                helped = self._select(pod, wholes, candidates, others, walls)
        if helped is not None:
            return helped
        held = None
        if self._policy is not None:
            held = self._policy.held(pod, np.flatnonzero(is_rejected), [*walls.values()])
        reason = self._no_candidate(filtering, run, is_rejected, walls)
        if held is not None:
            reason = f"{reason} Held back: {held.reason}."
        return _no_help(reason, nominated_node_name="", is_rejected=is_rejected, run=run, held=held)

    def _select(
        self,
        pod: PodInfo,
        run: DryRun,
        candidates: Rows,
        is_rejected: Mask,
        walls: dict[int, Wall],
    ) -> Preemption | None:
        """Take the best candidate that isn't behind a wall; None if there is none.

        Args:
            run: has the victims of the candidates.
            is_rejected: bool[nodes], where preemption doesn't help.
            walls: told of the walls before others, by row.
        """
        keys = self._keys
        if isinstance(run, VictimSets):
            keys = (*keys, NODES_TOUCHED)
        while len(candidates):
            choice = choose(run, candidates, keys)
            rows, snapshot = choice.selected, self._handle.snapshot
            row = int(rows[snapshot.ranks().take(rows).argmin()])
            names = self._handle.preferred.nominations.get(pod.uid, ())
            row = tied(names, snapshot, row, partial(contains, rows))
            wall = None if self._policy is None else self._policy.wall(pod, run.victims[row])
            if wall is None:
                node_name = snapshot.names[row]
                return Preemption(
                    _HELPED,
                    node_name,
                    victims=run.victims[row],
                    candidate_rows=candidates,
                    is_rejected=is_rejected,
                    run=run,
                    choice=choice,
                    pdb_violations=int(run.violations[row]),
                    cleared=self._handle.nominator.lower_on(pod, node_name),
                )
            walls[row] = wall
            candidates = candidates[candidates != row]
        return None

    def _run_of(self, evaluation: Evaluation) -> DryRun:
        run: DryRun | None = evaluation.kept.get(self.name)
        if run is None:
            handle = self._handle
            run = DryRun(
                handle.snapshot,
                handle.nominator,
                handle.budgets,
                self._importance,
                self._tables,
                self._shields,
            )
            evaluation.kept[self.name] = run
            self._evaluations.append(ref(evaluation))
            if len(self._evaluations) > _RUNS_MAX:
                oldest = self._evaluations.popleft()()
                if oldest is not None:
                    oldest.kept.pop(self.name, None)
        return run

    def _no_candidate(
        self, filtering: Filtering, run: DryRun, is_rejected: Mask, walls: Mapping[int, Wall]
    ) -> str:
        node_count, reasons = self._handle.snapshot.node_count, ReasonHistogram()
        run.tally.follow(run.outcome * is_rejected, np.where(is_rejected, run.blame, NOBODY))
        reasons.add_tally(filtering, run.tally)
        reasons.add(NO_VICTIMS_REASON, run.tally.count_of(NO_VICTIMS))
        reasons.add(FORBIDDEN_REASON, len(walls))
        others = node_count - len(walls) - int(np.count_nonzero(is_rejected))
        reasons.add(NOT_HELPFUL_REASON, others)
        return nodes_available_message(node_count, reasons)


def _no_help(message: str, **details: Any) -> Preemption:
    status = unschedulable(f"preemption: {message}", plugin=_NAME)
    return Preemption(status, message=message, **details)


def _limit(handle: Handle, args: DefaultPreemptionArgs) -> CandidateLimit | None:
    if handle.rng is None or not args.limits_candidates:
        return None
    return CandidateLimit(
        args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute, handle.rng
    )
