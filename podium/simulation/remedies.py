"""Why budgets keep pods from being evicted, and what their owners can do about that."""

from collections.abc import Iterable, Iterator

from podium.api.labels import SelectorError
from podium.api.objects import Object, name, namespace
from podium.api.pods import is_ready
from podium.core.budgets import selects
from podium.store.store import Store


def blocking_budgets(store: Store, pod: Object) -> list[Object]:
    """The budgets that select a pod, by name."""
    budgets = store.list("PodDisruptionBudget", namespace(pod)).items
    return [budget for budget in budgets if _selects(budget, pod)]


def remedies(store: Store, pods: Iterable[Object]) -> list[str]:
    """What would let pods go whose eviction budgets refuse, in plain sentences.

    Args:
        store: with the budgets, and the pods as they are now.
        pods: those that were refused.
    """
    blocked: dict[tuple[str, str], tuple[Object, list[Object]]] = {}
    texts: list[str] = []
    for pod in pods:
        budgets = blocking_budgets(store, pod)
        if len(budgets) > 1:
            names = ", ".join(map(name, budgets))
            texts.append(f"{name(pod)}: several budgets select it ({names}); keep one of them")
        for budget in budgets:
            key = (namespace(budget), name(budget))
            blocked.setdefault(key, (budget, []))[1].append(pod)
    for budget, refused in blocked.values():
        texts += _of_budget(store, budget, refused)
    return texts


def _of_budget(store: Store, budget: Object, refused: list[Object]) -> Iterator[str]:
    called, spec, status = name(budget), budget["spec"], budget.get("status") or {}
    expected, desired = status.get("expectedPods") or 0, status.get("desiredHealthy") or 0
    healthy = status.get("currentHealthy") or 0
    unready = [
        name(pod)
        for pod in store.list("Pod", namespace(budget)).items
        if _selects(budget, pod) and not is_ready(pod)
    ]
    counts = f"it needs {desired} healthy pods, {healthy} of {expected} are healthy"
    if expected and desired >= expected:
        yield (
            f"budget {called} never allows a disruption: {counts}; "
            f"raise the number of replicas above {desired}, or lower minAvailable "
            f"(or raise maxUnavailable) so that one pod may be missing"
        )
    elif unready:
        yield (
            f"budget {called} waits for replacements: {counts}; "
            f"find out why {', '.join(unready)} doesn't become ready"
        )
    else:
        yield f"budget {called} allows no disruption now: {counts}"
    sick = [name(pod) for pod in refused if not is_ready(pod)]
    if sick and spec.get("unhealthyPodEvictionPolicy") != "AlwaysAllow":
        yield (
            f"{', '.join(sick)} isn't ready itself: unhealthyPodEvictionPolicy: AlwaysAllow in "
            f"budget {called} lets it go"
        )
    yield "deleting a pod instead of evicting it passes over budgets, at the application's risk"


def _selects(budget: Object, pod: Object) -> bool:
    try:
        return selects(budget, pod)
    except SelectorError:
        return False
