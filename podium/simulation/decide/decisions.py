"""The decisions on the pods of a scenario, in the format of the records.

Without `sequence`, each pod is decided on the state in the scenario. With `sequence`, each decision
changes the state: the pod is bound to the best node, the first by name, and its volumes are
reserved. Victims of a preemption are deleted, and the preemptor is nominated and decided again.
"""

from collections.abc import Iterator, Mapping
from typing import NotRequired

import msgspec
from msgspec.structs import replace
from typing_extensions import TypedDict

from podium.api.devices.resource_claims import allocated_devices
from podium.api.errors import InvalidValueError
from podium.api.objects import Object, name
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.explain.explanation import Explanation, explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.status import Code, StatusReport
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.decide.scenario import DecisionScenario


class Decided(msgspec.Struct, frozen=True):
    """One decision of a scenario."""

    decision: Decision
    explanation: Explanation
    allocations: Mapping[str, Mapping[str, Object]]
    """By best node and claim that is to be allocated, the claim's `status.allocation` there."""
    bound: str = ""
    """The node to which the pod was bound; always empty without `sequence`."""


def decide(scenario: DecisionScenario) -> Iterator[Decided]:
    """Yield decisions about a scenario's pods, two for each preemptor in a sequence."""
    configuration = scenario.configuration()
    profile = configuration.profiles[0].name if configuration else DEFAULT_SCHEDULER_NAME
    scheduler = Scheduler(configuration, every_node=True)
    scheduler.load(scenario.nodes, scenario.pods, scenario.others)
    scheduler.budgets.replace(Budget.of(pdb) for pdb in scenario.pdbs)
    for obj in scenario.pending:
        pod = scheduler.pending(obj)
        decided = _decided(scheduler, pod, profile)
        if not scenario.sequence:
            yield decided
            scheduler.nominator.withdraw(pod)
            continue
        yield _bound(scheduler, decided, profile)
        scheduler.preempt(decided.decision)
        preemption = decided.decision.preemption
        if preemption is not None and preemption.node_name:
            yield _bound(scheduler, _decided(scheduler, pod, profile), profile)


def _bound(scheduler: Scheduler, decided: Decided, profile: str) -> Decided:
    node_name = decided.decision.node_name
    if node_name:
        status = scheduler.commit(decided.decision.pod, node_name, profile)
        # Only later pods of the scenario can end a wait.
        if not status.is_success and status.code is not Code.WAIT:
            node_name = ""
    return replace(decided, bound=node_name)


def _decided(scheduler: Scheduler, pod: PodInfo, profile: str) -> Decided:
    try:
        decision = scheduler.decide(pod, profile)
    except InvalidValueError as error:
        raise error.under(f"Pod {pod.key}") from None
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    is_answered = decision.error or decision.preemption is not None
    if not (is_answered or evaluation is None or outcome is None or blame is None):
        # Records have the answer of DefaultPreemption even if a plugin before it failed.
        pipeline = scheduler.pipelines[profile]
        filtered = NodeToStatus(scheduler.snapshot, pipeline.pre_filter, evaluation, outcome, blame)
        for plugin in pipeline.post_filter:
            answer = plugin.post_filter(decision.pod, filtered)
            if isinstance(answer, Preemption):
                decision = replace(decision, post_filter=answer, preemption=answer)
                break
    explanation = explain(decision, scheduler.snapshot)
    allocations: dict[str, Mapping[str, Object]] = {}
    for one in scheduler.pipelines[profile].reserve:
        if isinstance(one, DynamicResources):
            allocations_of = {
                node: {name(claim): devices for claim, devices in one.allocations(pod, node)}
                for node in explanation.best
            }
            allocations = {node: by_claim for node, by_claim in allocations_of.items() if by_claim}
    return Decided(decision, explanation, allocations)


class CandidateReport(TypedDict):
    """A node on which preemption would help, with its victims, the most important first."""

    node: str
    victims: list[str]
    pdbViolations: int


class PreemptionReport(TypedDict):
    """The result of preemption; `selected` are the best candidates, which are equal by all keys."""

    eligible: bool
    message: str
    candidates: list[CandidateReport]
    selected: list[str]
    nominated: str
    rejected: dict[str, StatusReport]
    clearsNomination: bool
    clearedPods: list[str]


class DeviceReport(TypedDict):
    """A device that is allocated for a request."""

    request: str
    driver: str
    pool: str
    device: str


class DecisionReport(TypedDict):
    """A decision; `filter` and `scores` are by node, `allocations` by node and claim."""

    pod: str
    prefilter: StatusReport | None
    filter: dict[str, StatusReport]
    feasible: list[str]
    scores: dict[str, dict[str, int]]
    best: list[str]
    preemption: PreemptionReport | None
    bound: str
    allocations: NotRequired[dict[str, dict[str, list[DeviceReport]]]]
    error: NotRequired[str]
    preenqueue: NotRequired[StatusReport]
    nominatedOnly: NotRequired[bool]


class ScenarioAnswer(TypedDict):
    """The result for one scenario; `error` says why there are no decisions, or is empty."""

    id: str
    error: str
    decisions: list[DecisionReport]


def decision_report(decided: Decided) -> DecisionReport:
    """Report a decision."""
    decision, explanation, preemption = decided.decision, decided.explanation, None
    if decision.preemption is not None:
        preemption = PreemptionReport(
            eligible=decision.preemption.eligible,
            message=decision.preemption.message,
            candidates=[
                CandidateReport(
                    node=candidate.node_name,
                    victims=[victim.key for victim in candidate.victims],
                    pdbViolations=candidate.pdb_violations,
                )
                for candidate in explanation.candidates
            ],
            selected=list(explanation.selected),
            nominated=decision.preemption.node_name,
            rejected={node: status.report() for node, status in explanation.rejected.items()},
            clearsNomination=decision.preemption.clears_nomination,
            clearedPods=[pod.key for pod in decision.preemption.cleared],
        )
    answer = DecisionReport(
        pod=decision.pod.key,
        prefilter=None if decision.pre_filter is None else decision.pre_filter.report(),
        filter={node: status.report() for node, status in explanation.filter.items()},
        feasible=list(explanation.feasible),
        scores={
            node: {**scores, "total": explanation.totals[node]}
            for node, scores in explanation.scores.items()
        },
        best=list(explanation.best),
        preemption=preemption,
        bound=decided.bound,
    )
    if decided.allocations:
        answer["allocations"] = {
            node: {claim: _devices(allocation) for claim, allocation in by_claim.items()}
            for node, by_claim in decided.allocations.items()
        }
    if decision.error:
        answer["error"] = decision.error
    if decision.gate is not None:
        answer["preenqueue"] = decision.gate.report()
    if decision.nominated_only:
        answer["nominatedOnly"] = True
    return answer


def _devices(allocation: Object) -> list[DeviceReport]:
    return [
        DeviceReport(request=one.request, driver=one.driver, pool=one.pool, device=one.device)
        for one in allocated_devices(allocation)
    ]
