"""Outcomes as plain values, for JSON and YAML. The order of the fields is part of the format."""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.core.status import Status
from podium.plan.explaining import DecisionView, PodExplanation, PreemptionView
from podium.plan.outcome import Chance, Disruption, Moment, Plan
from podium.simulation.observing.preemption import CandidateNode, PreemptionOutcome, Victim

API_VERSION = "podium.dev/v1alpha1"

Report = dict[str, Any]


def plan_report(plan: Plan) -> Report:
    """A plan; fields that were there once keep their meaning.

    Times (`at` and the like) are in seconds since the plan began.
    """
    return {
        "apiVersion": API_VERSION,
        "kind": "Plan",
        "placements": [
            _without_empty({"pod": p.pod, "node": p.node, "at": p.at_s}, replaces=p.replaces)
            for p in plan.placements
        ],
        "preemptions": [_preemption(preemption) for preemption in plan.preemptions],
        "pending": [
            _without_empty(
                {"pod": p.pod, "message": p.message},
                nominatedNode=p.nominated_node,
                replaces=p.replaces,
            )
            for p in plan.pending
        ],
        "budgets": [
            {
                "budget": change.budget,
                "allowedBefore": change.allowed_before,
                "allowedAfter": change.allowed_after,
                "allowedLeast": change.allowed_least,
                "leastAt": change.least_at_s,
                "violatedBy": list(change.violated_by),
            }
            for change in plan.budgets
        ],
        "refusals": [
            {"pod": r.pod, "node": r.node, "reason": r.reason, "message": r.message}
            for r in plan.refusals
        ],
        "rejected": [
            _without_empty({"object": r.object, "message": r.message}, workload=r.workload)
            | ({"count": r.count} if r.count > 1 else {})
            for r in plan.rejected
        ],
        "gated": [{"pod": g.pod, "plugin": g.plugin, "message": g.message} for g in plan.gated],
        "ignored": [{"pod": i.pod, "schedulerName": i.scheduler_name} for i in plan.ignored],
        "removed": [
            _without_empty({"pod": r.pod, "reason": r.reason, "at": r.at_s}, node=r.node)
            for r in plan.removed
        ],
        "disruptions": [_disruption(disruption) for disruption in plan.disruptions],
        "timeline": [_moment(moment) for moment in plan.timeline],
        "untilSeconds": plan.until_s,
        "interrupted": plan.interrupted,
        "seeds": plan.seeds,
        "chances": [_chance(chance) for chance in plan.chances],
        "anyway": [{"pod": fate.pod, "outcome": fate.outcome} for fate in plan.anyway],
        "warnings": list(plan.warnings),
        "notes": list(plan.notes),
    }


def explanation_report(explanation: PodExplanation) -> Report:
    """An explanation."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Explanation",
        "pod": explanation.pod,
        "priority": explanation.priority,
        "preemptionPolicy": explanation.preemption_policy,
        "schedulerName": explanation.scheduler_name,
        "boundTo": explanation.was_on or None,
        "decisions": [_decision(view) for view in explanation.decisions],
        "warnings": list(explanation.warnings),
        "notes": list(explanation.notes),
    }


def _preemption(preemption: PreemptionOutcome) -> Report:
    report: Report = {
        "preemptor": preemption.preemptor,
        "node": preemption.node,
        "at": preemption.at_s,
        "victims": _victims(preemption.chosen.victims),
        "alternatives": [_candidate(candidate) for candidate in preemption.alternatives],
    }
    if preemption.left_out:
        report["alternativesLeftOut"] = preemption.left_out
    return report


def _disruption(disruption: Disruption) -> Report:
    report = _without_empty(
        {
            "pod": disruption.pod,
            "node": disruption.node,
            "priority": disruption.priority,
            "at": disruption.at_s,
            "cause": disruption.cause.name,
            "depth": disruption.depth,
            "comesAgain": str(disruption.comes_again),
        },
        by=disruption.by,
        owner=disruption.owner,
        replacement=disruption.replacement,
        replacedOn=disruption.replaced_on,
    )
    if disruption.replaced_at_s is not None:
        report["replacedAt"] = disruption.replaced_at_s
    return report


def _chance(chance: Chance) -> Report:
    outcomes = [{"outcome": outcome, "times": times} for outcome, times in chance.outcomes]
    return {"pod": chance.pod, "outcomes": outcomes}


def _moment(moment: Moment) -> Report:
    return _without_empty(
        {"at": moment.at_s, "event": str(moment.happening), "pod": moment.pod},
        node=moment.node,
        reason=moment.detail,
        by=moment.by,
    )


def _victims(victims: Iterable[Victim]) -> list[Report]:
    return [
        {"pod": victim.pod, "priority": victim.priority, "pdbViolation": victim.breaks_budget}
        | ({"leaving": True} if victim.is_leaving else {})
        for victim in victims
    ]


def _candidate(candidate: CandidateNode) -> Report:
    return {
        "node": candidate.node,
        "victims": _victims(candidate.victims),
        "pdbViolations": candidate.pdb_violations,
        "lostAt": candidate.lost_at_name,
    }


def _without_empty(report: Report, **optional: str) -> Report:
    return {**report, **{field: value for field, value in optional.items() if value}}


def _decision(view: DecisionView) -> Report:
    explanation = view.explanation
    return {
        "at": view.at_s,
        "node": view.node or None,
        "nominatedOnly": view.is_nominated_only,
        "message": view.message or None,
        "error": view.error or None,
        "gate": _status(view.gate),
        "preFilter": _status(view.pre_filter),
        "filter": _by_node(explanation.filter),
        "feasible": [
            {
                "node": node,
                "scores": dict(explanation.scores[node]),
                "total": explanation.totals[node],
            }
            for node in explanation.feasible
            if node in explanation.scores
        ],
        "best": list(explanation.best),
        "preemption": None if view.preemption is None else _preemption_view(view.preemption),
        "blockers": [
            {
                "node": blocker.node,
                "pod": blocker.pod,
                "on": blocker.on,
                "priority": blocker.priority,
                "topologyKey": blocker.topology_key,
                "antiAffinityOf": "incoming" if blocker.is_own_rule else "existing",
            }
            for blocker in view.blockers
        ],
        "freedPorts": [
            {"node": freed.node, "port": freed.port, "pod": freed.pod} for freed in view.freed_ports
        ],
    }


def _preemption_view(view: PreemptionView) -> Report:
    outcome = view.outcome
    candidates = [] if outcome is None else [outcome.chosen, *outcome.alternatives]
    return {
        "eligible": view.is_eligible,
        "message": view.message or None,
        "node": None if outcome is None else outcome.node,
        "candidates": [_candidate(candidate) for candidate in candidates],
        "rejected": _by_node(view.rejected),
    }


def _status(status: Status | None) -> Report | None:
    if status is None:
        return None
    return {"plugin": status.plugin, "code": str(status.code), "reasons": list(status.reasons)}


def _by_node(statuses: Mapping[str, Status]) -> list[Report]:
    return [{"node": node, **(_status(status) or {})} for node, status in sorted(statuses.items())]
