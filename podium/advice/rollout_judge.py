"""Plays steps of a rollout, and judges what they do to important pods."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec

from podium.advice.rollout_report import PreemptedPod, StepOutcome
from podium.advice.rollout_steps import FinalPriorities, RolloutStep
from podium.api.disruption import BY_SCHEDULER
from podium.api.objects import is_terminating, status_of
from podium.api.pods import is_finished, is_ready, node_name_of
from podium.plan.changes import Apply
from podium.plan.leaving_pods import short_of_pods
from podium.plan.outcome_reader import OutcomeReader
from podium.plan.play import Play
from podium.plan.rollouts import Rollout


class Judge(msgspec.Struct, frozen=True):
    """Says which pods mustn't be preempted.

    Attributes:
        priorities: in the end.
        important: pods of at least this final priority mustn't be preempted by anybody, and
            others may be; None if no pod may be by what isn't above it in the end.
    """

    priorities: FinalPriorities
    important: int | None = None

    def judged(self, pod: PreemptedPod) -> PreemptedPod:
        """The pod with whether it mustn't be preempted by this one."""
        least = pod.by_final_priority if self.important is None else self.important
        return replace(pod, is_dangerous=pod.final_priority >= least)


class _EndangeredError(Exception):
    """An important pod has been preempted."""


def play_step(play: Play, step: RolloutStep, judge: Judge) -> StepOutcome:
    """Apply what a step consists of, and play until its rollouts have ended or it isn't safe.

    Args:
        play: one that has come to rest.
        step: to be made.
        judge: says what mustn't happen.
    """
    since_s, before = play.passed_s, len(play.preemptions.preemptors)
    # Refusals of earlier steps are told with these.
    short = {one.workload for one in short_of_pods(play)}
    preempted: list[PreemptedPod] = []

    def look(_passed_s: float = 0.0) -> None:
        # Who has to leave is told a moment after it was decided.
        if len(play.preemptions.preemptors) - before > len(preempted):
            preempted[:] = map(judge.judged, _preempted(play, since_s, judge.priorities))
            if any(pod.is_dangerous for pod in preempted):
                raise _EndangeredError

    play.change([Apply(step.manifests)])
    rollouts: Sequence[Rollout] = ()
    with suppress(_EndangeredError):
        if not play.run(None, look):
            raise KeyboardInterrupt
        rollouts = play.rollouts.found()
    lacking = [one for one in short_of_pods(play) if one.workload not in short]
    return StepOutcome(
        step.name,
        round(max((one.at_s or since_s for one in rollouts), default=since_s) - since_s, 3),
        tuple(pod for pod in preempted if not pod.is_dangerous),
        tuple(pod for pod in preempted if pod.is_dangerous),
        tuple(f"{one.workload}: {one.message}" for one in rollouts if one.state != "Complete"),
        (*play.rejected, *lacking),
    )


def _preempted(play: Play, since_s: float, priorities: FinalPriorities) -> Iterator[PreemptedPod]:
    owners, histories = play.owners(), OutcomeReader(play).histories
    for lost in histories.disrupted:
        if lost.cause is not BY_SCHEDULER or lost.ended_s is None or lost.ended_s < since_s:
            continue
        row, by = owners.row(lost), histories.by_uid[play.preemptions.preemptors[lost.uid]]
        by_row = owners.row(by)
        yield PreemptedPod(
            **row,
            node=lost.node,
            at_s=round(lost.ended_s - since_s, 3),
            final_priority=priorities.of(row["workload"], lost.priority),
            by=by.pod,
            by_workload=by_row["workload"],
            by_priority=by.priority,
            by_final_priority=priorities.of(by_row["workload"], by.priority),
        )


def fingerprint(play: Play) -> str:
    """What the further course depends on, names aside: in clusters of one fingerprint it is alike.

    Of when pods started only the order counts, and only among pods of one priority: so victims
    are chosen, and surplus pods of a workload.
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
