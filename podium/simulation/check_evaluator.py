"""Evaluates the checks of a scenario, and says what is the case where one doesn't hold."""

from collections.abc import Callable, Mapping, Sequence

from podium.api.label_text import parse_selector
from podium.api.labels import Selector
from podium.api.objects import Object, condition_of, is_terminating, labels, name, status_of
from podium.api.pods import is_ready, node_name_of, phase_of
from podium.simulation.actions import Check
from podium.store.store import Store

_LISTED_MAX = 5


def _phase(wanted: str) -> Callable[[Object], bool]:
    return lambda pod: phase_of(pod) == wanted


def _is_waiting(pod: Object) -> bool:
    return not node_name_of(pod) and _phase("Pending")(pod)


def _node_ready(node: Object) -> bool:
    condition = condition_of(node, "Ready")
    return condition is not None and condition.get("status") == "True"


POD_STATES: Mapping[str, Callable[[Object], bool]] = {
    "there": lambda pod: True,
    "pending": _is_waiting,
    "bound": lambda pod: bool(node_name_of(pod)),
    "running": _phase("Running"),
    "ready": lambda pod: is_ready(pod) and not is_terminating(pod),
    "not-ready": lambda pod: not is_ready(pod),
    "terminating": is_terminating,
    "succeeded": _phase("Succeeded"),
    "failed": _phase("Failed"),
    "nominated": lambda pod: bool(status_of(pod).get("nominatedNodeName")),
}
"""How pods may be asked to be; `gone` is for none of them to be there."""

NODE_STATES: Mapping[str, Callable[[Object], bool]] = {
    "there": lambda node: True,
    "ready": _node_ready,
    "not-ready": lambda node: not _node_ready(node),
    "cordoned": lambda node: bool(node["spec"].get("unschedulable")),
    "schedulable": lambda node: not node["spec"].get("unschedulable"),
}
"""The same for nodes."""

DRAIN_STATES = ("running", "done", "failed")
GONE = "gone"


def violation_of(check: Check, store: Store, drains: Mapping[str, str]) -> str:
    """What is the case instead of what a check says; empty if it holds.

    Args:
        check: the check.
        store: the cluster's.
        drains: the states of drains, by node.
    """
    match check.target.kind:
        case "Pod":
            return _pods(check, store)
        case "Node" if check.state in DRAIN_STATES:
            state = drains.get(check.target.name, "not started")
            return "" if state == check.state else f"the drain is {state}"
        case "Node":
            return _node(check, store)
        case "PodDisruptionBudget":
            return _budget(check, store)
        case "Event":
            return _events(check, store)
    return _object(check, store)


def _pods(check: Check, store: Store) -> str:
    target = check.target
    selector = parse_selector(check.selector) if check.selector else None
    pods = store.list("Pod", target.namespace or None).items
    meant = [pod for pod in pods if _is_meant(check, selector, pod)]
    if check.state == GONE:
        return "" if not meant else f"there is {_listed(meant, name)}"
    holds = POD_STATES[check.state or "there"]
    good = [pod for pod in meant if holds(pod) and _is_on(check, pod)]
    if check.least <= len(good) and (check.most is None or len(good) <= check.most):
        return ""
    if target.name:
        return f"it is {state_of_pod(meant[0])}" if meant else "it isn't there"
    # Too few of them are so, or too many: those are named that stand in the way.
    wrong = [pod for pod in meant if pod not in good] if len(good) < check.least else good
    rest = _listed(wrong, lambda pod: f"{name(pod)} is {state_of_pod(pod)}")
    return f"it is so of {len(good)}" + (f"; {rest}" if rest else "")


def _is_meant(check: Check, selector: Selector | None, pod: Object) -> bool:
    if check.target.name and name(pod) != check.target.name:
        return False
    return selector is None or selector.matches(labels(pod))


def _is_on(check: Check, pod: Object) -> bool:
    return not check.on or node_name_of(pod) == check.on


def _node(check: Check, store: Store) -> str:
    node = store.get("Node", "", check.target.name)
    if node is None or check.state == GONE:
        return "" if (node is None) == (check.state == GONE) else _presence(node)
    if NODE_STATES[check.state](node):
        return ""
    states = [state for state, holds in NODE_STATES.items() if state != "there" and holds(node)]
    return f"it is {' and '.join(states)}"


def _budget(check: Check, store: Store) -> str:
    budget = store.get("PodDisruptionBudget", check.target.namespace, check.target.name)
    if budget is None:
        return "it isn't there"
    allowed = status_of(budget).get("disruptionsAllowed") or 0
    return "" if allowed == check.allowed else f"it allows {allowed}"


def _events(check: Check, store: Store) -> str:
    count = 0
    for event in store.list("Event").items:
        about = event.get("involvedObject") or {}
        if event.get("reason") == check.reason and check.target.name in ("", about.get("name")):
            count += 1
    if check.least <= count and (check.most is None or count <= check.most):
        return ""
    return f"there are {count}"


def _object(check: Check, store: Store) -> str:
    target = check.target
    found = store.get(target.kind, target.namespace, target.name)
    return "" if (found is None) == (check.state == GONE) else _presence(found)


def _presence(found: Object | None) -> str:
    return "it isn't there" if found is None else "it is there"


def _listed(pods: Sequence[Object], say: Callable[[Object], str]) -> str:
    """What is to be said of the first of them, and how many more there are."""
    said = ", ".join(map(say, pods[:_LISTED_MAX]))
    more = len(pods) - _LISTED_MAX
    return f"{said} and {more} more" if more > 0 else said


def state_of_pod(pod: Object) -> str:
    """How a pod is, in a few words."""
    node, status = node_name_of(pod), status_of(pod)
    if is_terminating(pod):
        return f"terminating on {node}" if node else "terminating"
    phase = str(status.get("phase") or "Pending").lower()
    if not node:
        nominated = status.get("nominatedNodeName")
        return f"pending, nominated to {nominated}" if nominated else "pending"
    ready = ", not ready" if phase == "running" and not is_ready(pod) else ""
    return f"{phase} on {node}{ready}"
