"""Rules about PodDisruptionBudgets, judged for when all pods are there and ready."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from podium.api.objects import name, namespace
from podium.api.workloads import selector_of
from podium.whatif.lint.budget_view import BudgetView
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, rule
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds
from podium.whatif.lint.workload_reader import SCALED

_SELECTOR = "spec.selector"


@rule(
    "workload-without-budget",
    Severity.WARNING,
    "A workload with replicas has no budget",
    reason=(
        "Nothing keeps drains from evicting all of its pods at once, and preemption prefers "
        "victims that no budget covers."
    ),
    fix="Add a PodDisruptionBudget that selects its pods, with `maxUnavailable: 1` to begin with. "
    "`thresholds.replicasMin` says from how many replicas on.",
)
def workload_without_budget(view: ClusterView, thresholds: Thresholds) -> Iterator[Offence]:
    """No budget selects the pods of a workload that has several."""
    covered = {id(one) for budget in view.budgets for one in budget.workloads}
    for workload in view.workloads:
        is_due = workload.kind in SCALED and workload.replicas >= thresholds.replicas_min
        if is_due and id(workload) not in covered:
            message = f"no PodDisruptionBudget selects its {workload.replicas} pods"
            yield Offence(workload.obj, message)


@rule(
    "budget-never-met",
    Severity.ERROR,
    "A budget asks for more pods than there are",
    reason="It is broken from the beginning: no pod can be evicted, and no node drained, ever.",
    fix="Ask for fewer pods than the workload has; with `maxUnavailable` the budget follows the "
    "workload when that is scaled.",
)
def budget_never_met(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """More healthy pods are wanted than there are to be."""
    for one in _judged(view):
        if one.status is not None and one.status.desired_healthy > one.replicas:
            yield _offence(one, f"asks for more than the {one.replicas} pods that it selects")


@rule(
    "budget-allows-nothing",
    Severity.WARNING,
    "A budget never allows a disruption",
    reason=(
        "Even with all pods ready none may be evicted. Drains wait forever, and upgrades of nodes "
        "with them; preemption breaks the budget where it must."
    ),
    fix="Let one pod go, with `maxUnavailable: 1`, and have more than one replica. Where evictions "
    "are never wanted, and somebody moves the pods by hand, say so in an annotation.",
)
def budget_allows_nothing(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """All selected pods are wanted healthy, and no rounding is behind it."""
    for one in _judged(view):
        if _is_stuck(one) and not _is_rounded(one):
            yield _offence(one, f"of {one.replicas} pods never lets any of them go")


@rule(
    "budget-rounds-to-nothing",
    Severity.WARNING,
    "A budget's percentage rounds to all of its pods",
    reason=(
        "The disruption controller rounds percentages up. Of a few pods, `minAvailable: 80%` is "
        "all of them, and none may ever be evicted."
    ),
    fix="Use `maxUnavailable`, whose percentages round up to at least one pod, or more replicas.",
)
def budget_rounds_to_nothing(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A percentage below 100 of the selected pods is all of them."""
    for one in _judged(view):
        if _is_stuck(one) and _is_rounded(one):
            yield _offence(one, f"of {one.replicas} pods rounds up to all of them")


@rule(
    "budget-without-scale",
    Severity.ERROR,
    "A budget refers to how many pods are wanted, and nobody says",
    reason=(
        "Percentages and `maxUnavailable` refer to the scale of the pods' controllers. Pods of "
        "DaemonSets and Jobs have none, and bare pods aren't wanted by anybody; so the budget "
        "allows no disruption at all, or the wrong number."
    ),
    fix="Use a whole number as `minAvailable`, or select pods of Deployments, StatefulSets, "
    "ReplicaSets and ReplicationControllers only.",
)
def budget_without_scale(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A budget that needs a scale selects pods without one."""
    for one in view.budgets:
        if one.needs_scale and one.unscaled:
            told = _offence(one, "needs a scale, which some of its pods don't have")
            yield replace(told, witnesses=tuple(map(str, one.unscaled)))


@rule(
    "overlapping-budgets",
    Severity.ERROR,
    "Two budgets select the same pods",
    reason=(
        "The eviction API refuses to evict a pod that more than one budget selects, whatever they "
        "allow: its node can't be drained."
    ),
    fix="Narrow the selectors, so that each pod is selected by one budget.",
)
def overlapping_budgets(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """The pods of a workload are selected by both of two budgets."""
    for one, other in combinations(view.budgets, 2):
        common = [workload for workload in one.workloads if workload in other.workloads]
        if common:
            message = f"{name(other.budget)} selects the same pods: none of them can be evicted"
            yield Offence(one.budget, message, _SELECTOR, tuple(map(str, common)))


@rule(
    "budget-selects-nothing",
    Severity.WARNING,
    "A budget selects no pods",
    reason="It protects nothing: mostly a label is misspelt, or has changed since.",
    fix="Make the selector match the labels of the pods, not those of their controller; the "
    "namespace must be theirs, too. Of manifests alone, the rule leaves out namespaces with "
    "objects of kinds that aren't Kubernetes' own, as operators may make pods for them.",
)
def budget_selects_nothing(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """No workload in the namespace of a budget has pods with the labels."""
    for one in view.budgets:
        place = namespace(one.budget)
        if not one.workloads and view.workloads and place not in view.operated_namespaces:
            selector = selector_of(one.budget)
            shown = "an absent selector" if selector.matches_nothing else str(selector)
            yield Offence(one.budget, f"no pods in {place} match {shown}", _SELECTOR)


@rule(
    "budget-selects-everything",
    Severity.WARNING,
    "A budget selects all pods of its namespace",
    reason=(
        "Evictions count all pods against the one budget, and any other budget overlaps with it. "
        "To preemption an empty selector selects nothing: it protects nobody from that."
    ),
    fix="Write a budget for each workload, with the labels of its pods.",
)
def budget_selects_everything(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """The selector is there, and empty."""
    for budget in view.of("PodDisruptionBudget"):
        if selector_of(budget).is_empty:
            message = f"its empty selector selects all pods in {namespace(budget)}"
            yield Offence(budget, message, _SELECTOR)


def _offence(one: BudgetView, says: str) -> Offence:
    field, bound = one.bound
    message = f"{field}: {bound} {says}"
    if bound == "":
        message = "it says neither minAvailable nor maxUnavailable, and so lets no pod go"
    return Offence(one.budget, message, f"spec.{field}", one.witnesses)


def _judged(view: ClusterView) -> Iterator[BudgetView]:
    """The budgets that can be computed; how many pods a DaemonSet has, only its nodes tell."""
    for one in view.budgets:
        counts = one.replicas and all(workload.kind != "DaemonSet" for workload in one.workloads)
        if counts and not (one.needs_scale and one.unscaled):
            yield one


def _is_stuck(one: BudgetView) -> bool:
    status = one.status
    wanted = status is not None and status.desired_healthy <= one.replicas
    return wanted and status is not None and status.disruptions_allowed == 0


def _is_rounded(one: BudgetView) -> bool:
    _, bound = one.bound
    return isinstance(bound, str) and bound not in ("", "0%", "100%")
