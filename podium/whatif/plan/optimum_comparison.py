"""Compares a plan with the least disruption for the pods that wait once the changes are made."""

from dataclasses import replace

from podium.api.objects import is_terminating
from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.whatif.optimum.solver import solve, tally
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import PlanRequest


def with_optimum(plan: Plan, request: PlanRequest, seconds: float) -> Plan:
    """A plan with what would have been the least disruption."""
    play = Play(request)
    play.machine.handlers.settle_budgets()
    scheduler = play.scheduler
    waiting = [
        pod
        for pod in play.cluster.store.list("Pod").items
        if not (node_name_of(pod) or is_terminating(pod) or is_finished(pod))
        and scheduler_name_of(pod) in scheduler.pipelines
        and not pod["spec"].get("schedulingGates")
    ]
    pods = [pending_pod(pod, scheduler.snapshot.classes) for pod in waiting]
    found = solve(scheduler, pods, seconds)
    keys = {pod.key for pod in pods}
    victims = [
        (victim.priority, bool(victim.broken))
        for preemption in plan.preemptions
        if preemption.preemptor in keys
        for victim in preemption.taken
    ]
    ordinary = tally(len(keys & {one.pod for one in plan.placements}), victims)
    return replace(plan, optimum=replace(found, ordinary=ordinary))
