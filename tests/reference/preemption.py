"""DefaultPreemption on plain objects: one node, and one pod, at a time."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from podium.api.objects import Object
from podium.api.selectors.labels import label_selector
from podium.api.values.times import parse_time
from podium.scheduler.preemption.go_sort import go_sort
from tests.reference.cluster import Cluster, priority
from tests.reference.trial import Refusal, Trial
from tests.reference.verdict import UNRESOLVABLE, UNSCHEDULABLE
from tests.reference.volume_world import labels_of

NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."
NO_VICTIMS = "No preemption victims found for incoming pod"
NOT_HELPFUL = "Preemption is not helpful for scheduling"


@dataclass
class Candidate:
    """A node where preemption helps, with its victims."""

    node_name: str
    victims: list[Object]
    violations: int


@dataclass
class Preemption:
    """What PostFilter comes to."""

    message: str = ""
    eligible: bool = True
    candidates: Sequence[Candidate] = ()
    rejected: Mapping[str, Refusal] = field(default_factory=dict)


def preempt(
    cluster: Cluster,
    pod: Object,
    refusals: Mapping[str, Refusal],
    trial_of: Callable[[Object], Trial],
) -> Preemption:
    """Look for candidates, for a pod that all nodes refuse."""
    reason = ineligible(cluster, pod, refusals)
    if reason:
        return Preemption(reason, eligible=False)
    candidates: list[Candidate] = []
    rejected: dict[str, Refusal] = {}
    for node in cluster.nodes:
        name = node["metadata"]["name"]
        if refusals[name].code == UNSCHEDULABLE:
            result = dry_run(trial_of(node), cluster.budgets)
            if isinstance(result, Candidate):
                candidates.append(result)
            else:
                rejected[name] = result
    message = "" if candidates else _message(len(cluster.nodes), rejected)
    return Preemption(message, candidates=candidates, rejected=rejected)


def ineligible(cluster: Cluster, pod: Object, refusals: Mapping[str, Refusal]) -> str:
    """Why a pod may not preempt others; empty if it may."""
    if pod["spec"].get("preemptionPolicy") == "Never":
        return NEVER
    node = cluster.node(cluster.nomination_of(pod))
    if node is None or refusals[node["metadata"]["name"]].code == UNRESOLVABLE:
        return ""
    for other in cluster.pods_on(node):
        if priority(other) < priority(pod) and _is_leaving_for_another(other):
            return TERMINATING
    return ""


def _is_leaving_for_another(pod: Object) -> bool:
    if "deletionTimestamp" not in pod["metadata"]:
        return False
    for condition in pod["status"].get("conditions", []):
        if condition["type"] == "DisruptionTarget":
            return bool(
                condition["status"] == "True" and condition.get("reason") == "PreemptionByScheduler"
            )
    return False


def _message(node_count: int, rejected: Mapping[str, Refusal]) -> str:
    reasons = Counter(reason for refusal in rejected.values() for reason in refusal.reasons)
    reasons[NOT_HELPFUL] += node_count - len(rejected)
    parts = [f"{count} {reason}" for reason, count in reasons.items() if count]
    return f"0/{node_count} nodes are available: {', '.join(sorted(parts))}."


def dry_run(trial: Trial, budgets: Sequence[Object]) -> Candidate | Refusal:
    """Who has to go so that the pod fits on a node, or why that doesn't help."""
    potential = [pod for pod in trial.pods if priority(pod) < priority(trial.pod)]
    if not potential:
        return Refusal("", UNRESOLVABLE, (NO_VICTIMS,))
    for pod in potential:
        trial.remove(pod)
    refusal = trial.refusal()
    if refusal is not None:
        return refusal
    victims, violations = [], 0
    violating, others = in_order_of_reprieve(potential, budgets)
    for pod in violating + others:
        trial.add(pod)
        if trial.refusal() is not None:
            trial.remove(pod)
            victims.append(pod)
            violations += pod in violating
    if violating and others:
        victims = by_importance(victims)
    return Candidate(trial.node["metadata"]["name"], victims, violations)


def in_order_of_reprieve(
    pods: Sequence[Object], budgets: Sequence[Object]
) -> tuple[list[Object], list[Object]]:
    """Pods whose disruption breaks a budget, and the others; the most important first in each."""
    allowed = [budget["status"].get("disruptionsAllowed", 0) for budget in budgets]
    violating: list[Object] = []
    others: list[Object] = []
    for pod in by_importance(pods):
        breaks = False
        for index, budget in enumerate(budgets):
            if _covers(budget, pod):
                allowed[index] -= 1
                breaks = breaks or allowed[index] < 0
        (violating if breaks else others).append(pod)
    return violating, others


def _covers(budget: Object, pod: Object) -> bool:
    if not labels_of(pod) or budget["metadata"]["namespace"] != pod["metadata"]["namespace"]:
        return False
    selector = label_selector(budget["spec"].get("selector"))
    if selector.is_empty or not selector.matches(labels_of(pod)):
        return False
    return pod["metadata"]["name"] not in budget["status"].get("disruptedPods", {})


def by_importance(pods: Sequence[Object]) -> list[Object]:
    """Sorted by insertion, as Go sorts up to twelve; of longer lists its own algorithm is asked."""
    result: list[Object] = []
    if len(pods) > 12:
        result += pods
        go_sort(result, is_more_important)
        return result
    for pod in pods:
        place = len(result)
        while place > 0 and is_more_important(pod, result[place - 1]):
            place -= 1
        result.insert(place, pod)
    return result


def is_more_important(one: Object, two: Object) -> bool:
    """A pod without a start time starts when it is asked about: the one asked first, earlier."""
    if priority(one) != priority(two):
        return priority(one) > priority(two)
    if _start(one) is None and _start(two) is None:
        return True
    return _started(one) < _started(two)


def _start(pod: Object) -> int | None:
    text = pod["status"].get("startTime")
    return None if text is None else parse_time(text)


def _started(pod: Object) -> float:
    start = _start(pod)
    return float("inf") if start is None else start


def selected(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that no criterion tells apart."""
    left = list(candidates)
    for criterion in (
        lambda c: c.violations,
        lambda c: priority(c.victims[0]),
        lambda c: sum(priority(pod) + 2**31 for pod in c.victims),
        lambda c: len(c.victims),
        lambda c: -_earliest_start_of_highest(c.victims),
    ):
        least = min(criterion(candidate) for candidate in left)
        left = [candidate for candidate in left if criterion(candidate) == least]
    return left


def _earliest_start_of_highest(victims: Sequence[Object]) -> float:
    highest = max(priority(victim) for victim in victims)
    return min(_started(victim) for victim in victims if priority(victim) == highest)
