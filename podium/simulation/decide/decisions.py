"""Decide the pods of a scenario.

Without `sequence` each pod is decided against the scenario's own state. With it every decision
changes the state: the pod is bound to the smallest name among the best nodes, and what it needs of
volumes is reserved; a preemption's victims vanish, the pod is nominated and decided once more.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from podium.api.errors import InvalidValueError
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.explain.explanation import Explanation, explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.status import Code
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.decide.scenario import Scenario

# Nothing happens in a scenario that would end a wait.
_NO_CLOCK_S = 0.0


class Decided(msgspec.Struct, frozen=True):
    """One decision of a scenario.

    Attributes:
        bound: the node that the pod was bound to; only in a sequence.
    """

    decision: Decision
    explanation: Explanation
    bound: str = ""


def decide(scenario: Scenario) -> Iterator[Decided]:
    """The decisions, in order; in a sequence a preemptor has two."""
    scheduler = Scheduler(scenario.configuration, every_node=True)
    scheduler.load(scenario.nodes, scenario.pods, scenario.others)
    scheduler.set_budgets(Budget.of(pdb) for pdb in scenario.budgets)
    for obj in scenario.pending:
        pod = scheduler.pending(obj)
        if scenario.sequence:
            profile = scenario.scheduler_name
            first = _decided(scheduler, pod, profile)
            yield _bound(scheduler, first, profile)
            scheduler.preempt(first.decision)
            preemption = first.decision.preemption
            if preemption is not None and preemption.node_name:
                yield _bound(scheduler, _decided(scheduler, pod, profile), profile)
        else:
            yield _decided(scheduler, pod, scenario.scheduler_name)
            scheduler.nominator.withdraw(pod)


def _bound(scheduler: Scheduler, decided: Decided, profile: str) -> Decided:
    node_name = decided.decision.node_name
    if node_name:
        status = scheduler.commit(decided.decision.pod, node_name, profile, _NO_CLOCK_S)
        if not status.is_success and status.code is not Code.WAIT:
            node_name = ""
    return Decided(decided.decision, decided.explanation, node_name)


def _decided(scheduler: Scheduler, pod: PodInfo, profile: str) -> Decided:
    try:
        decision = scheduler.decide(pod, profile)
    except InvalidValueError as error:
        raise error.under(f"Pod {pod.key}") from None
    decision = _with_preemption(scheduler, decision, profile)
    return Decided(decision, explain(decision, scheduler.snapshot))


def _with_preemption(scheduler: Scheduler, decision: Decision, profile: str) -> Decision:
    """The decision with what DefaultPreemption says, which isn't asked where another one failed."""
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    if decision.error or decision.preemption is not None:
        return decision
    if evaluation is None or outcome is None or blame is None:
        return decision
    pipeline = scheduler.pipelines[profile]
    filtered = NodeToStatus(scheduler.snapshot, pipeline.pre_filter, evaluation, outcome, blame)
    for plugin in pipeline.post_filter:
        answer = plugin.post_filter(decision.pod, filtered)
        if isinstance(answer, Preemption):
            return replace(decision, post_filter=answer, preemption=answer)
    return decision
