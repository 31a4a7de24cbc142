"""The scheduling cycle, which decides about one pod.

A decision only changes caches that are kept between cycles. The caller applies the decision: it
assumes the pod, removes victims, and sets nominations.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

import msgspec
import numpy as np

from podium.api.objects import Object
from podium.api.pods import scheduler_name_of
from podium.api.process.recent_values import Recent
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.post_filter import NodeToStatus, run_post_filter_plugins
from podium.scheduler.framework.evaluation.evaluation import Evaluation, Refusal
from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.handle import Handle, tied
from podium.scheduler.framework.interface import (
    FITS,
    AllocatingPlugin,
    CycleError,
    PostFilterResult,
    PreemptionResult,
)
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.framework.status import Code
from podium.scheduler.snapshot.arrays import Codes
from podium.scheduler.snapshot.pod_info import PodInfo

# Each evaluation has several columns as long as the cluster; pods that come one of a kind, such as
# a DaemonSet's, would otherwise fill the memory.
EVALUATIONS_BYTES_MAX = 180 * 2**20
_EVALUATIONS_MAX = 1024
_BYTES_PER_ROW = 56
# Most classes are never met again. They share as little memory as stays in the processor's
# innermost caches, until they are.
_NEWCOMERS_MAX = 4
_Key = tuple[str, int]
_NO_ROWS = np.zeros(0, np.intp)
NO_NODES = "no nodes available to schedule pods"

Answer = TypeVar("Answer")


class Timing(msgspec.Struct, frozen=True):
    """Measures how long extension points take."""

    stopwatch: Callable[[], float]
    """Returns seconds; only differences count."""
    observe: Callable[[float, str, str, str], None]
    """Called with seconds, extension point, status code, and profile."""

    def measure(
        self,
        point: str,
        profile: str,
        work: Callable[[], Answer],
        code_of: Callable[[Answer], Code],
    ) -> Answer:
        started_s = self.stopwatch()
        answer = work()
        self.observe(self.stopwatch() - started_s, point, code_of(answer).value, profile)
        return answer


class SchedulingCycle:
    """Decides about pods by the profiles' pipelines; keeps an evaluation per class and profile."""

    def __init__(
        self,
        handle: Handle,
        pipelines: Mapping[str, Pipeline],
        during: Callable[[PodInfo], AbstractContextManager[None]] | None = None,
    ) -> None:
        self._handle = handle
        self._snapshot = handle.snapshot
        self._nominator = handle.nominator
        self._pipelines = pipelines
        self.timing: Timing | None = None
        self._during = during
        handle.finder.filtering = self._filtering
        handle.finder.rows = lambda pod: self._filtering(pod).feasible_rows()
        handle.finder.allocations = self._allocations
        self._evaluations: Recent[_Key, Evaluation] = Recent(_EVALUATIONS_MAX)
        self._newcomers: Recent[_Key, Evaluation] = Recent(_NEWCOMERS_MAX)
        self._met: set[_Key] = set()

    def decide(self, pod: PodInfo, scheduler_name: str) -> Decision:
        """Decide about a pod, its nominated node first; raises KeyError without such a profile."""
        if self._snapshot.classes.is_crowded:
            self._evaluations, self._newcomers = Recent(_EVALUATIONS_MAX), Recent(_NEWCOMERS_MAX)
            self._met.clear()
            self._handle.budgets.forget_classes()
            self._snapshot.forget_classes()
        pipeline = self._pipelines[scheduler_name]
        for plugin in pipeline.pre_enqueue:
            gate = plugin.pre_enqueue(pod)
            if not gate.is_success:
                return Decision(pod, gate=gate.by(plugin.name))
        if not self._snapshot.node_count:
            return Decision(pod, error=NO_NODES)
        try:
            if self._during is not None and self._nominator:
                with self._during(pod):
                    return self._decide(pod, pipeline, self._evaluation(pipeline, pod))
            return self._decide(pod, pipeline, self._evaluation(pipeline, pod))
        except CycleError as error:
            return Decision(pod, error=str(error))

    def _filtering(self, pod: PodInfo) -> Filtering:
        return self._refreshed(self._pipeline_of(pod), pod).filtering

    def _allocations(self, pod: PodInfo, node_name: str) -> Iterator[tuple[Object, Object]]:
        for plugin in self._pipeline_of(pod).reserve:
            if isinstance(plugin, AllocatingPlugin):
                yield from plugin.allocations(pod, node_name)

    def _pipeline_of(self, pod: PodInfo) -> Pipeline:
        # Pods of other schedulers are filtered by the first profile.
        first = next(iter(self._pipelines.values()))
        return self._pipelines.get(scheduler_name_of(pod.obj), first)

    def _evaluation(self, pipeline: Pipeline, pod: PodInfo) -> Evaluation:
        if self.timing is None:
            return self._refreshed(pipeline, pod)
        work = partial(self._refreshed, pipeline, pod)
        return self.timing.measure("Filter", pipeline.scheduler_name, work, _filter_code)

    def _refreshed(self, pipeline: Pipeline, pod: PodInfo) -> Evaluation:
        key = (pipeline.scheduler_name, pod.cls.id)
        evaluation = self._evaluations.get(key) or self._newcomers.get(key)
        if evaluation is None:
            listers, nominator = self._handle.listers, self._nominator
            evaluation = Evaluation(pipeline, self._snapshot, listers, nominator, pod)
            if key in self._met:
                self._evaluations.count_max = evaluations_max(self._snapshot.node_count)
                self._evaluations.put(key, evaluation)
            else:
                self._met.add(key)
                self._newcomers.put(key, evaluation)
        evaluation.refresh(pod)
        return evaluation

    def _decide(self, pod: PodInfo, pipeline: Pipeline, evaluation: Evaluation) -> Decision:
        filtering = evaluation.filtering
        if not filtering.pre_filter.is_success:
            return self._unschedulable(pod, pipeline, evaluation)
        nominated = self._snapshot.row_of.get(pod.nominated_node_name)
        if nominated is not None and filtering.outcome[nominated] == FITS:
            rivals = self._nominator.rivals_on(pod, pod.nominated_node_name)
            if not rivals or filtering.with_pods([(nominated, rivals)])[1][0] == FITS:
                return Decision(
                    pod,
                    node_name=pod.nominated_node_name,
                    row=nominated,
                    nominated_only=True,
                    evaluation=evaluation,
                )
        if pipeline.sampling is None:
            if (failure := filtering.failure()) is not None:
                return _failed(pod, evaluation, failure)
            if not len(filtering.feasible_rows()):
                return self._unschedulable(pod, pipeline, evaluation)
        visited, feasible, rivalry = None, None, evaluation.rivalry
        closed = _NO_ROWS if rivalry is None else rivalry.closed(pod, filtering)
        if len(closed) or pipeline.sampling is not None:
            feasible = filtering.outcome == FITS
            feasible[closed] = False
            if pipeline.sampling is not None:
                visited = pipeline.sampling.visited(self._snapshot, feasible)
                feasible &= visited
                if (failure := filtering.failure(visited)) is not None:
                    return _failed(pod, evaluation, failure)
            if not feasible.any():
                return self._unschedulable(pod, pipeline, evaluation)
        scoring = evaluation.scoring
        if scoring.error is not None:
            return _failed(pod, evaluation, scoring.error)
        preference = scoring.preference if feasible is None else scoring.preference_among(feasible)
        row = int(preference.argmax())
        if names := self._handle.preferred.placements.get(pod.uid):
            row = tied(names, self._snapshot, row, partial(scoring.ties, preference, row))
        return Decision(
            pod,
            node_name=self._snapshot.names[row],
            row=row,
            evaluation=evaluation,
            visited=visited,
        )

    def _unschedulable(self, pod: PodInfo, pipeline: Pipeline, evaluation: Evaluation) -> Decision:
        state = self._refusal_state(pod, pipeline, evaluation.filtering)
        refusal = evaluation.refusal
        if refusal is None or state is None or refusal.state != state:
            outcome, blame = outcome_of(pod, evaluation)
            filtered = NodeToStatus(self._snapshot, pipeline.pre_filter, evaluation, outcome, blame)
            answer = self._post_filter(
                pipeline, lambda: run_post_filter_plugins(pipeline.post_filter, pod, filtered)
            )
            refusal = Refusal(state or (), outcome, blame, *answer)
            is_helped = answer[0] is not None and answer[0].nominated_node_name
            evaluation.refusal = None if state is None or is_helped else refusal
        else:
            known = refusal.post_filter or PostFilterResult(), refusal.preemption
            answer = self._post_filter(pipeline, lambda: known)
        pre_filter = evaluation.filtering.pre_filter
        return Decision(
            pod,
            evaluation=evaluation,
            outcome=refusal.outcome,
            blame=refusal.blame,
            pre_filter=None if pre_filter.is_success else pre_filter,
            post_filter=answer[0],
            preemption=answer[1],
        )

    def _refusal_state(
        self, pod: PodInfo, pipeline: Pipeline, filtering: Filtering
    ) -> tuple[object, ...] | None:
        """Return what a refusal of the pod's class depends on; None if it holds for this pod alone.

        PostFilter plugins whose `by_class(pod)` is true return equal results for the whole class.
        """
        snapshot, nominator, budgets = self._snapshot, self._nominator, self._handle.budgets
        if pod.nominated_node_name or nominator.rows_of(pod, snapshot):
            return None
        plugins: Sequence[Any] = pipeline.post_filter
        if not all(hasattr(plugin, "by_class") and plugin.by_class(pod) for plugin in plugins):
            return None
        logs = (snapshot.log, snapshot.restarts, nominator.log, budgets.log)
        ends = [log.end for log in logs]
        return filtering, filtering.generation, *ends, *plugins

    def _post_filter(
        self,
        pipeline: Pipeline,
        ask: Callable[[], tuple[PostFilterResult, PreemptionResult | None]],
    ) -> tuple[PostFilterResult | None, PreemptionResult | None]:
        if not pipeline.post_filter:
            return None, None
        if self.timing is None:
            return ask()
        return self.timing.measure(
            "PostFilter", pipeline.scheduler_name, ask, lambda answer: answer[0].status.code
        )


def _failed(pod: PodInfo, evaluation: Evaluation, error: CycleError) -> Decision:
    outcome, blame = outcome_of(pod, evaluation)
    return Decision(pod, error=str(error), evaluation=evaluation, outcome=outcome, blame=blame)


def evaluations_max(node_count: int) -> int:
    """Return how many evaluations are kept in a cluster of this many nodes."""
    fitting = EVALUATIONS_BYTES_MAX // (_BYTES_PER_ROW * max(node_count, 1))
    return min(max(fitting, 1), _EVALUATIONS_MAX)


def _filter_code(evaluation: Evaluation) -> Code:
    filtering = evaluation.filtering
    if not filtering.pre_filter.is_success:
        return filtering.pre_filter.code
    return Code.SUCCESS if (filtering.outcome == FITS).any() else Code.UNSCHEDULABLE


def outcome_of(pod: PodInfo, evaluation: Evaluation) -> tuple[Codes, Codes]:
    """Return outcome and blame of a pod, int32[nodes] each, with nominated pods counted."""
    filtering, rivalry = evaluation.filtering, evaluation.rivalry
    if not filtering.pre_filter.is_success:
        # PreFilter refuses the pod on all rows.
        return np.full(len(filtering.outcome), -1, np.int32), filtering.blame.copy()
    if rivalry is not None:
        outcome, blame = rivalry.outcome(pod, filtering)
    else:
        outcome, blame = filtering.outcome.copy(), filtering.blame.copy()
    filtering.judge_nominated(pod.nominated_node_name, outcome, blame)
    return outcome, blame
