"""DefaultPreemption: makes pods that fit on no node schedulable by removing less important pods.

It names the victims; the caller removes them. Until then the pod stays out of the active queue.
"""

from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Any
from weakref import ref

import msgspec
import numpy as np
from msgspec.structs import replace

from podium.api.policy.disruption_target import BY_SCHEDULER, disruption_reason
from podium.scheduler.config.args import DefaultPreemptionArgs
from podium.scheduler.devices.freed_devices import PLUGIN, freed_devices
from podium.scheduler.framework.cluster_events import EventHint, EventResource, after_removal
from podium.scheduler.framework.cycle.diagnosis import count_reasons, nodes_available_message
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.evaluation.filtering import NO_FILTER, Filtering
from podium.scheduler.framework.handle import Handle, tied
from podium.scheduler.framework.status import SUCCESS, Status, unresolvable, unschedulable
from podium.scheduler.preemption.choice import Preemption, choose
from podium.scheduler.preemption.dry_run import NO_VICTIMS, NO_VICTIMS_REASON, DryRun
from podium.scheduler.preemption.policies.candidate_keys import keys_of
from podium.scheduler.preemption.policies.enabled_policies import policies_of, victim_tables
from podium.scheduler.preemption.policies.victim_sets import NODES_TOUCHED, VictimSets
from podium.scheduler.preemption.policy import Objection
from podium.scheduler.snapshot.arrays import Mask
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

NOT_HELPFUL_REASON = "Preemption is not helpful for scheduling"
FORBIDDEN_REASON = "Preemption is forbidden"
NEVER = "not eligible due to preemptionPolicy=Never."
VICTIMS_TERMINATING = "not eligible due to a terminating pod on the nominated node."
FREEING = "not eligible as the nominated node is still freeing what terminated pods have used."
_NAME = "DefaultPreemption"
_HELPED = SUCCESS.by(_NAME)
# A dry run takes some 70 bytes per row, and most classes preempt only once.
_RUNS_MAX = 64
_UNDER_WAY = "waiting for the preemption for this pod to be finished"


class CandidateLimit(msgspec.Struct, frozen=True):
    """Limits candidates to the greater of a percentage of potential nodes and a number of nodes.

    kube-scheduler starts its dry runs at a random node and stops at enough candidates, at least one
    of which violates no budget (GetOffsetAndNumCandidates and DryRunPreemption, v1.36). Podium
    considers all candidates unless the configuration sets a number.
    """

    percentage: int
    absolute: int
    rng: Random

    def shortlist(self, run: DryRun, potential: Mask) -> Mask:
        """Return the rows whose dry runs kube-scheduler would have made, bool[nodes]."""
        rows = np.flatnonzero(potential)
        count = len(rows)
        wanted = min(max(count * self.percentage // 100, self.absolute), count)
        order = np.roll(rows, -self.rng.randrange(count))
        is_candidate = run.is_candidate[order]
        clean = np.cumsum(is_candidate & (run.violations[order] == 0))
        enough = (np.cumsum(is_candidate) >= wanted) & (clean > 0)
        end = int(enough.argmax()) + 1 if enough.any() else count
        listed = np.zeros_like(potential)
        listed[order[:end]] = True
        return listed


class DefaultPreemption:
    """Finds a node where preemption helps (PostFilter); keeps dry runs by class of pods."""

    name = _NAME

    def __init__(self, handle: Handle, args: DefaultPreemptionArgs) -> None:
        self._handle = handle
        self._keys = keys_of(handle)
        self._policies = policies_of(handle)
        self._tables = victim_tables(handle, self._policies.protection)
        # Evaluations that keep a dry run of this plugin, the oldest first.
        self._evaluations: deque[ref[Evaluation]] = deque()
        self._limit = None
        if handle.rng is not None and args.limits_candidates:
            self._limit = CandidateLimit(
                args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute, handle.rng
            )

    def events_to_register(self) -> Sequence[EventHint]:
        """Register for deletions of pods, with a hint that leaves the decision to other plugins."""
        return (after_removal(EventResource.ASSIGNED_POD, lambda pod, gone: False),)

    def pre_enqueue(self, pod: PodInfo) -> Status:
        """Gate a preemptor until its last victim has been seen to terminate."""
        return unresolvable(_UNDER_WAY) if pod.uid in self._handle.preempting else SUCCESS

    def by_class(self, pod: PodInfo) -> bool:
        return self._limit is None and not self._policies

    def post_filter(self, pod: PodInfo, filtered: NodeToStatus) -> Preemption:
        snapshot, outcome, policies = self._handle.snapshot, filtered.outcome, self._policies
        own_row = snapshot.row_of.get(pod.nominated_node_name, -1)
        reason = _ineligible(pod, snapshot, int(outcome[own_row]) if own_row >= 0 else 0)
        states = filtered.evaluation.filtering.states
        if (
            own_row >= 0
            and outcome[own_row] > 0
            and any(state.is_freeing(own_row) for state in states)
        ):
            reason = reason or FREEING
        if reason := reason or policies.ineligible(pod):
            return _no_help(reason, eligible=False)
        if (held := policies.wait(pod, filtered)) is not None:
            return _no_help(held.reason, held=held)
        evaluation = filtered.evaluation
        filtering, potential = evaluation.filtering, outcome > 0
        run: DryRun | None = evaluation.kept.get(self.name)
        if run is None:
            run = evaluation.kept[self.name] = DryRun(self._tables, self._handle.nominator)
            self._evaluations.append(ref(evaluation))
            if len(self._evaluations) > _RUNS_MAX:
                oldest = self._evaluations.popleft()()
                if oldest is not None:
                    oldest.kept.pop(self.name, None)
        policies.update()
        run.update(pod, filtering, potential)
        if self._limit is not None and potential.any():
            potential = self._limit.shortlist(run, potential)
        run = policies.extend(run, pod, potential)
        is_rejected = potential & ~run.is_candidate
        objections: dict[int, Objection] = {}
        preemption = self._select(pod, run, potential & run.is_candidate, is_rejected, objections)
        if preemption is None and (sets := policies.find(pod, evaluation)) is not None:
            sets = policies.extend(sets, pod, sets.is_candidate)
            others = is_rejected & ~sets.is_candidate
            preemption = self._select(pod, sets, sets.is_candidate, others, objections)
        if preemption is not None:
            count = self._device_count(pod, preemption, filtering)
            return replace(preemption, device_count=count) if count else preemption
        rejected = np.flatnonzero(is_rejected)
        run.outcome_counts.follow(
            run.outcome * is_rejected, np.where(is_rejected, run.blame, NO_FILTER)
        )
        reasons = count_reasons(filtering, run.outcome_counts)
        reasons[NO_VICTIMS_REASON] += run.outcome_counts.count_of(NO_VICTIMS)
        reasons[FORBIDDEN_REASON] += len(objections)
        reasons[NOT_HELPFUL_REASON] += snapshot.node_count - len(objections) - len(rejected)
        reason = nodes_available_message(snapshot.node_count, reasons)
        held = policies.held(pod, rejected, objections.values())
        if held is not None:
            reason = f"{reason} Held back: {held.reason}."
        return _no_help(reason, nominated_node_name="", is_rejected=is_rejected, run=run, held=held)

    def _device_count(self, pod: PodInfo, preemption: Preemption, filtering: Filtering) -> int:
        # Devices are taken away on purpose only where the filter for them objects.
        handle, node_name = self._handle, preemption.node_name
        state = next((one for one in filtering.states if one.plugin == PLUGIN), None)
        if state is None or not handle.options.device_preemption:
            return 0
        row = handle.snapshot.row_of[node_name]
        rivals = handle.nominator.rivals_on(pod, node_name)
        lacks_devices = state.code_among(row, [*handle.snapshot.pods_on[row], *rivals]) > 0
        return len(freed_devices(handle.allocated, preemption.victims)) if lacks_devices else 0

    def _select(
        self,
        pod: PodInfo,
        run: DryRun,
        is_candidate: Mask,
        is_rejected: Mask,
        objections: dict[int, Objection],
    ) -> Preemption | None:
        """Return the best candidate to which no policy objects; None if there is none.

        Objections to other candidates are added to `objections`, by row.
        """
        snapshot, candidates, keys = self._handle.snapshot, np.flatnonzero(is_candidate), self._keys
        if isinstance(run, VictimSets):
            keys = (*keys, NODES_TOUCHED)
        while len(candidates):
            choice = choose(run, candidates, keys)
            rows = choice.selected
            first = int(rows[snapshot.ranks.take(rows).argmin()])
            names = self._handle.preferred.nominations.get(pod.uid, ())
            row = tied(names, snapshot, first, rows.__contains__)
            victims, node_name = run.victims_on(row), snapshot.names[row]
            objection = self._policies.objection(pod, victims)
            if objection is None:
                return Preemption(
                    _HELPED,
                    node_name,
                    victims=victims,
                    candidate_rows=candidates,
                    is_rejected=is_rejected,
                    run=run,
                    choice=choice,
                    pdb_violations=int(run.violations[row]),
                    cleared=self._handle.nominator.lower_on(pod, node_name),
                )
            objections[row] = objection
            candidates = candidates[candidates != row]
        return None


def _no_help(message: str, **details: Any) -> Preemption:
    status = unschedulable(f"preemption: {message}", plugin=_NAME)
    return Preemption(status, message=message, **details)


def _ineligible(pod: PodInfo, snapshot: Snapshot, nominated_outcome: int) -> str:
    """Explain why a pod may not preempt (PodEligibleToPreemptOthers, v1.36); empty if it may.

    If `nominated_outcome` is negative, the pod can't fit its nominated node and needs another.
    """
    if not pod.cls.preempts:
        return NEVER
    row = snapshot.row_of.get(pod.nominated_node_name)
    if row is None or nominated_outcome < 0:
        return ""
    if any(
        victim.cls.terminating
        and victim.priority < pod.priority
        and disruption_reason(victim.obj) == BY_SCHEDULER.reason
        for victim in snapshot.pods_on[row]
    ):
        return VICTIMS_TERMINATING
    return ""
