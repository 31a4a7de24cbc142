"""The search for a safe order of steps by simulation.

Each step is simulated in a copy of the cluster after the steps before it. Where the same steps in
another order have led to an equivalent cluster, the rest isn't simulated again.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import msgspec

from podium.api.documents.report import report_facts
from podium.api.objects import is_terminating, status_of
from podium.api.pods import is_finished, is_ready, node_name_of
from podium.simulation.workers import Progress, in_a_copy
from podium.whatif.plan.next_pods import preempted_since, tried
from podium.whatif.plan.outcome.lost_pods import short_of_pods
from podium.whatif.plan.outcome.stale_priorities import StalePods, stale_pods_of
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import PreemptedPod, Rollout, StalePriority
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import NEXT_PODS_MAX
from podium.whatif.rollout_order.rollout_report import DeadEnd, JudgedPod, StepOutcome
from podium.whatif.rollout_order.rollout_steps import FinalPriorities, RolloutStep


class Judge(msgspec.Struct, frozen=True):
    """Decides by final priorities which pods are important; see `RolloutRequest.important`."""

    priorities: FinalPriorities
    important: int | None = None

    def judged(self, pod: PreemptedPod) -> JudgedPod:
        """Add the final priorities to a preempted pod, and whether it mustn't be preempted."""
        final = self.priorities.of(pod.workload, pod.priority)
        by_final = self.priorities.of(pod.by_workload, pod.by_priority)
        least = by_final if self.important is None else self.important
        return JudgedPod(
            **report_facts(pod, PreemptedPod),
            final_priority=final,
            by_final_priority=by_final,
            is_dangerous=final >= least,
        )


class _EndangeredError(Exception):
    """An important pod has been preempted."""


def play_step(play: Play, step: RolloutStep, judge: Judge) -> StepOutcome:
    """Simulate a step in a cluster at rest until its rollouts have ended or it isn't safe.

    After a step that alters the priority of new pods, such pods are tried, each in a copy.
    """
    since_s, before = play.passed_s, len(play.preemptions.preemptors)
    # Refusals of earlier steps are reported with those steps.
    short = {one.workload for one in short_of_pods(Timeline(play))}
    preempted: list[JudgedPod] = []
    stale_before = set(map(_change, stale_pods_of(play))) if step.alters_new_pods else set()

    def look(_passed_s: float = 0.0) -> None:
        # Victims are known a moment after the preemption was decided.
        if len(play.preemptions.preemptors) - before > len(preempted):
            preempted[:] = map(judge.judged, preempted_since(Timeline(play), since_s))
            if any(pod.is_dangerous for pod in preempted):
                raise _EndangeredError

    play.change(step.changes)
    rollouts: Sequence[Rollout] = ()
    stale: tuple[StalePriority, ...] = ()
    with suppress(_EndangeredError):
        if not play.run(None, look):
            raise KeyboardInterrupt
        rollouts = play.rollouts.found()
        if step.alters_new_pods:
            new = [one for one in stale_pods_of(play) if _change(one) not in stale_before]
            stale = tuple(tried(play, new, NEXT_PODS_MAX))
    victims = [lost for one in stale for found in one.next_pods for lost in found.preempted]
    lacking = [one for one in short_of_pods(Timeline(play)) if one.workload not in short]
    return StepOutcome(
        step.name,
        round(max((one.at_s or since_s for one in rollouts), default=since_s) - since_s, 3),
        tuple(pod for pod in preempted if not pod.is_dangerous),
        tuple(pod for pod in preempted if pod.is_dangerous),
        tuple(f"{one.workload}: {one.message}" for one in rollouts if one.state != "Complete"),
        (*play.rejected, *lacking),
        stale,
        tuple(pod for pod in map(judge.judged, victims) if pod.is_dangerous),
    )


def _change(stale: StalePods) -> tuple[object, ...]:
    return stale.workload, stale.priority, stale.next_priority


def fingerprint(play: Play) -> str:
    """Return a digest of all that further steps depend on, apart from names.

    Only the order in which pods of one priority started counts, as victims and surplus pods of a
    workload are chosen by that.
    """
    owners = play.owners()
    alike: dict[int, list[tuple[str, str, str, bool]]] = defaultdict(list)
    for pod in play.cluster.store.list("Pod").items:
        if not (is_finished(pod) or is_terminating(pod)):
            row = owners.row_of(pod)
            began = status_of(pod).get("startTime") or pod["metadata"]["creationTimestamp"]
            place = (row["workload"], node_name_of(pod), is_ready(pod))
            alike[row["priority"]].append((str(began), *place))
    rows = []
    for priority, pods in alike.items():
        ranks = {began: rank for rank, began in enumerate(sorted({pod[0] for pod in pods}))}
        rows += [(priority, ranks[began], *place) for began, *place in pods]
    return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()


class RolloutSearch(msgspec.Struct):
    """A search for a safe order, with the results that cut it short.

    Attributes:
        most: the most steps to simulate.
        tried: the number of simulated steps.
        dead: the steps that are left, and fingerprints of clusters, where no order is safe.
        dead_ends: the steps that weren't safe, with the steps before.
        known: outcomes of steps that aren't safe, by their names and those of the steps before;
            they aren't simulated again.
    """

    steps: Sequence[RolloutStep]
    judge: Judge
    most: int
    tried: int = 0
    dead: set[tuple[frozenset[int], str]] = msgspec.field(default_factory=set)
    dead_ends: list[DeadEnd] = msgspec.field(default_factory=list)
    known: dict[tuple[str, ...], StepOutcome] = msgspec.field(default_factory=dict)
    progress: Progress | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether the most steps have been simulated."""
        return self.tried >= self.most

    def in_order(self, play: Play, steps: Sequence[RolloutStep]) -> tuple[StepOutcome, ...]:
        """Simulate steps in this order in `play` itself, up to the first that isn't safe."""
        outcomes: list[StepOutcome] = []
        for step in steps:
            outcomes.append(play_step(play, step, self.judge))
            if not outcomes[-1].is_safe:
                break
        return tuple(outcomes)

    def learn(self, outcomes: Sequence[StepOutcome]) -> None:
        """Keep the outcomes of steps in an order, so that they aren't simulated again."""
        self.tried += len(outcomes)
        if not outcomes[-1].is_safe:
            self.known[tuple(one.step for one in outcomes)] = outcomes[-1]

    def safe_order(
        self, play: Play, left: Sequence[int], done: tuple[StepOutcome, ...] = ()
    ) -> tuple[StepOutcome, ...] | None:
        """Find a safe order; None if there is none, or if the search is cut short.

        Args:
            play: the cluster at rest; it stays unchanged.
            left: the numbers of the steps, in the order in which they are tried.
            done: the outcomes of the steps before, with which the order begins.
        """
        for number in left:
            if self.is_cut_short:
                return None
            before = tuple(one.step for one in done)
            if outcome := self.known.get((*before, self.steps[number].name)):
                self.dead_ends.append(DeadEnd(before, outcome))
                continue
            found, known = in_a_copy(partial(self._after, play, done, left, number))
            # What the copy has learnt.
            self.tried, self.dead, self.dead_ends = known
            if self.progress is not None:
                self.progress(self.tried)
            if found is not None:
                return found
        return None

    def _after(
        self, play: Play, done: tuple[StepOutcome, ...], left: Sequence[int], number: int
    ) -> tuple[tuple[StepOutcome, ...] | None, "_Known"]:
        outcome = play_step(play, self.steps[number], self.judge)
        self.tried += 1
        rest = tuple(one for one in left if one != number)
        found = None
        if not outcome.is_safe:
            self.dead_ends.append(DeadEnd(tuple(one.step for one in done), outcome))
        elif not rest:
            found = (*done, outcome)
        else:
            place = (frozenset(rest), fingerprint(play))
            if place not in self.dead:
                found = self.safe_order(play, rest, (*done, outcome))
                if found is None and not self.is_cut_short:
                    self.dead.add(place)
        return found, (self.tried, self.dead, self.dead_ends)


_Known = tuple[int, set[tuple[frozenset[int], str]], list[DeadEnd]]
