"""Rules about PodDisruptionBudgets, judged as if all selected pods existed and were ready."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from podium.api.kinds.builtin_kinds import kind_of
from podium.api.objects import name, namespace
from podium.api.policy.disruption_budgets import BudgetStatus
from podium.api.values.message_words import count
from podium.api.workloads import SCALED, selector_of
from podium.whatif.lint.cluster_view import BudgetView, ClusterView
from podium.whatif.lint.rule import Offence, Rule

_SELECTOR = "spec.selector"


@Rule
def workload_without_budget(view: ClusterView) -> Iterator[Offence]:
    """No budget selects the pods of a workload with several replicas."""
    covered = {id(one) for budget in view.budgets for one in budget.workloads}
    for workload in view.workloads:
        is_due = workload.kind in SCALED and workload.replicas >= view.thresholds.replicas_min
        if is_due and id(workload) not in covered:
            message = f"no PodDisruptionBudget selects its {count(workload.replicas, 'pod')}"
            yield Offence(workload.obj, message)


@Rule
def budget_never_met(view: ClusterView) -> Iterator[Offence]:
    """A budget requires more healthy pods than its workloads have."""
    for budget, status in _judged(view):
        if status.desired_healthy > budget.replicas:
            yield _offence(
                budget, f"asks for more than the {count(budget.replicas, 'pod')} that it selects"
            )


@Rule
def budget_allows_nothing(view: ClusterView) -> Iterator[Offence]:
    """A budget requires all selected pods to be healthy, even without rounding."""
    for budget in _stuck(view, is_rounded=False):
        yield _offence(budget, f"of {count(budget.replicas, 'pod')} never lets any go")


@Rule
def budget_rounds_to_nothing(view: ClusterView) -> Iterator[Offence]:
    """A budget's percentage below 100 is rounded up to all selected pods."""
    for budget in _stuck(view, is_rounded=True):
        yield _offence(budget, f"of {count(budget.replicas, 'pod')} rounds up to all")


@Rule
def budget_without_scale(view: ClusterView) -> Iterator[Offence]:
    """A budget that depends on a scale subresource selects pods of workloads without one."""
    for budget in view.budgets:
        if unscaled := budget.unscaled:
            offence = _offence(budget, "needs a scale, which some of its pods don't have")
            yield replace(offence, witnesses=tuple(map(str, unscaled)))


@Rule
def overlapping_budgets(view: ClusterView) -> Iterator[Offence]:
    """Two budgets select the pods of one workload."""
    for budget, other in combinations(view.budgets, 2):
        common = [workload for workload in budget.workloads if workload in other.workloads]
        if common:
            message = f"{name(other.budget)} selects the same pods: none of them can be evicted"
            yield Offence(budget.budget, message, _SELECTOR, tuple(map(str, common)))


@Rule
def budget_selects_nothing(view: ClusterView) -> Iterator[Offence]:
    """A budget selects no pods of any workload in its namespace."""
    # In manifests, operators may make pods of custom resources.
    custom = (
        []
        if view.nodes
        else [objects for objects in view.by_kind.values() if not kind_of(objects[0])]
    )
    operated = {namespace(obj) for objects in custom for obj in objects}
    for budget in view.budgets:
        place = namespace(budget.budget)
        if not budget.workloads and view.workloads and place not in operated:
            selector = selector_of(budget.budget)
            shown = "an absent selector" if selector.matches_nothing else str(selector)
            yield Offence(budget.budget, f"no pods in {place} match {shown}", _SELECTOR)


@Rule
def budget_selects_everything(view: ClusterView) -> Iterator[Offence]:
    """The selector of a budget is empty, and selects all pods of the namespace."""
    for budget in view.of("PodDisruptionBudget"):
        if selector_of(budget).is_empty:
            message = f"its empty selector selects all pods in {namespace(budget)}"
            yield Offence(budget, message, _SELECTOR)


def _offence(budget: BudgetView, says: str) -> Offence:
    field, bound = budget.bound
    message = f"{field}: {bound} {says}"
    if bound == "":
        message = "it says neither minAvailable nor maxUnavailable, and so lets no pod go"
    workloads = tuple(f"{workload} (of {workload.replicas})" for workload in budget.workloads)
    return Offence(budget.budget, message, f"spec.{field}", workloads)


def _judged(view: ClusterView) -> Iterator[tuple[BudgetView, BudgetStatus]]:
    # The pods of a DaemonSet depend on the nodes.
    for one in view.budgets:
        counts = one.replicas and all(workload.kind != "DaemonSet" for workload in one.workloads)
        if counts and one.status is not None and not one.unscaled:
            yield one, one.status


def _stuck(view: ClusterView, *, is_rounded: bool) -> Iterator[BudgetView]:
    for budget, status in _judged(view):
        _, bound = budget.bound
        rounds = isinstance(bound, str) and bound not in ("", "0%", "100%")
        is_met = status.desired_healthy <= budget.replicas
        if is_met and status.disruptions_allowed == 0 and rounds == is_rounded:
            yield budget
