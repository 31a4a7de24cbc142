"""Which budgets are for a pod, one at a time; the scheduler knows it by classes of pods."""

from podium.api.objects import Object, labels, name, namespace
from podium.api.policy.disruption_budgets import Budget


def covers(budget: Budget, pod: Object) -> bool:
    """Whether the pod's disruption costs one of those that the budget allows."""
    is_selected = budget.selects(namespace(pod), labels(pod))
    return is_selected and name(pod) not in budget.disrupted
