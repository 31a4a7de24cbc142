"""The evaluation of a scenario's checks, with a description of the state if a check fails."""

from collections.abc import Mapping

from podium.api.objects import Object, conditions_of, is_terminating, labels, name, status_of
from podium.api.pods import is_ready, node_name_of, phase_of, shown_phase
from podium.api.selectors.labels import parse_selector
from podium.api.values.message_words import listed
from podium.apiserver.store.store import Store
from podium.simulation.scenario.checks import GONE, NODE_STATES, POD_STATES, Check, numbers_in_words

_LISTED_MAX = 5


def violation_of(check: Check, store: Store, drains: Mapping[str, str]) -> str:
    """Describe how the state violates a check; empty if the check holds."""
    match check.subject:
        case "pod" | "pods" | "no_pod_pending":
            return _pods(check, store)
        case "drain":
            state = drains.get(check.target.name, "not started")
            return "" if state == check.state else f"the drain is {state}"
        case "node":
            node = store.get("Node", "", check.target.name)
            if node is None or check.state == GONE:
                return "" if (node is None) == (check.state == GONE) else _presence(node)
            if NODE_STATES[check.state](node):
                return ""
            states = [
                state for state, holds in NODE_STATES.items() if state != "there" and holds(node)
            ]
            return f"it is {' and '.join(states)}"
        case "budget":
            budget = store.get("PodDisruptionBudget", check.target.namespace, check.target.name)
            if budget is None:
                return "it isn't there"
            found = {field: int(status_of(budget).get(field) or 0) for field in check.numbers}
            return "" if found == check.numbers else f"it {numbers_in_words(found)}"
        case "event":
            count = sum(
                event.get("reason") == check.event
                and check.target.name in ("", (event.get("involvedObject") or {}).get("name"))
                for event in store.list("Event").items
            )
            return "" if check.allows_count(count) else f"there are {count}"
    obj = store.get(check.target.kind, check.target.namespace, check.target.name)
    return "" if (obj is None) == (check.state == GONE) else _presence(obj)


def _pods(check: Check, store: Store) -> str:
    target = check.target
    selector = parse_selector(check.pods) if check.pods else None
    pods = [
        pod
        for pod in store.list("Pod", target.namespace or None).items
        if target.name in ("", name(pod)) and (selector is None or selector.matches(labels(pod)))
    ]
    if check.state == GONE:
        return f"there is {listed([*map(name, pods)], _LISTED_MAX)}" if pods else ""

    def reasons(pod: Object) -> list[str]:
        given = (status_of(pod).get("reason"), *(one.get("reason") for one in conditions_of(pod)))
        return [str(reason) for reason in given if reason]

    def holds(pod: Object) -> bool:
        return POD_STATES[check.state](pod) and (
            check.no_pod_pending is not None
            or (
                check.on_node in ("", node_name_of(pod))
                and check.phase in ("", phase_of(pod))
                and (not check.reason or check.reason in reasons(pod))
            )
        )

    def state(pod: Object) -> str:
        why = f" (reason: {', '.join(reasons(pod)) or 'none'})" if check.reason else ""
        return state_of_pod(pod) + why

    good = [pod for pod in pods if holds(pod)]
    if check.allows_count(len(good)):
        return ""
    if target.name:
        return f"it is {state(pods[0])}" if pods else "it isn't there"
    # Too few of the pods are so, or too many: those are named that stand in the way.
    wrong = [pod for pod in pods if pod not in good] if len(good) < check.least else good
    rest = listed([f"{name(pod)} is {state(pod)}" for pod in wrong], _LISTED_MAX)
    return f"it is so of {len(good)}" + (f"; {rest}" if rest else "")


def _presence(obj: Object | None) -> str:
    return "it isn't there" if obj is None else "it is there"


def state_of_pod(pod: Object) -> str:
    """Describe the state of a pod in a few words."""
    node, status = node_name_of(pod), status_of(pod)
    if is_terminating(pod):
        return f"terminating on {node}" if node else "terminating"
    phase = shown_phase(pod).lower()
    if not node:
        nominated = status.get("nominatedNodeName")
        return f"pending, nominated to {nominated}" if nominated else "pending"
    ready = ", not ready" if phase == "running" and not is_ready(pod) else ""
    return f"{phase} on {node}{ready}"
