"""What a scenario asserts: pods, nodes, budgets, events and other objects, and how they are."""

from collections.abc import Collection

from podium.api.errors import FieldError, unsupported
from podium.api.label_text import parse_selector
from podium.api.labels import SelectorError
from podium.api.meta import DEFAULT_NAMESPACE
from podium.config.reading.fields import Fields
from podium.simulation.checking import DRAIN_STATES, GONE, NODE_STATES, POD_STATES
from podium.simulation.reading.values import target
from podium.simulation.scenario import Check, Target

_COMMON = ("namespace", "is", "onNode", "count", "atLeast", "atMost", "selector")
_SUBJECTS = ("pod", "pods", "node", "budget", "event", "drain", "object", "noPodPending")
_KNOWN = (*_SUBJECTS, *_COMMON, "allows", "of")


def read_checks(step: Fields, name: str) -> tuple[Check, ...]:
    """The checks of a step."""
    checks = [_check(fields) for fields in step.each(name, _KNOWN)]
    return tuple(check for check in checks if check is not None)


def _check(fields: Fields) -> Check | None:
    subjects = [subject for subject in _SUBJECTS if fields.has(subject)]
    if len(subjects) != 1:
        why = f"must have exactly one of {', '.join(_SUBJECTS)}"
        fields.findings.faults.append(FieldError(fields.path, subjects, why))
        return None
    match subjects[0]:
        case "pod" | "pods" as subject:
            return _pods(fields, subject)
        case "noPodPending":
            everywhere = Target("Pod", "", "")
            words = "no pod is pending"
            return Check(words=words, target=everywhere, state="pending", least=0, most=0)
        case "node":
            name = fields.text("node")
            state = _state(fields, "ready", (*NODE_STATES, GONE))
            return Check(words=f"node {name} is {state}", target=_node(name), state=state)
        case "drain":
            name = fields.text("drain")
            state = _state(fields, "done", DRAIN_STATES)
            words = f"the drain of node {name} is {state}"
            return Check(words=words, target=_node(name), state=state)
        case "budget":
            return _budget(fields)
        case "event":
            return _event(fields)
    return _object(fields)


def _pods(fields: Fields, subject: str) -> Check:
    named, selector = (fields.text("pod"), "") if subject == "pod" else ("", fields.text("pods"))
    if selector:
        try:
            parse_selector(selector)
        except SelectorError as error:
            fields.fault("pods", str(error))
    least, most = _range(fields, default=1)
    state = _state(fields, "there", (*POD_STATES, GONE))
    on = fields.text("onNode")
    who = f"pod {named} is" if named else _pods_with(selector, state, least, most)
    words = f"{who} {state}" + (f" on {on}" if on else "")
    place = Target("Pod", fields.text("namespace", DEFAULT_NAMESPACE), named)
    return Check(
        words=words, target=place, selector=selector, state=state, on=on, least=least, most=most
    )


def _pods_with(selector: str, state: str, least: int, most: int | None) -> str:
    if state == GONE:
        return f"all pods with {selector} are"
    verb = "pod with {} is" if least == most == 1 else "pods with {} are"
    return f"{_amount(least, most)} {verb.format(selector)}"


def _budget(fields: Fields) -> Check:
    name, allowed = fields.text("budget"), fields.integer_in("allows", 0, 0, 2**31 - 1)
    place = Target("PodDisruptionBudget", fields.text("namespace", DEFAULT_NAMESPACE), name)
    words = f"budget {name} allows {allowed}"
    return Check(words=words, target=place, allowed=allowed)


def _event(fields: Fields) -> Check:
    reason, about = fields.text("event"), fields.text("of")
    least, most = _range(fields, default=1)
    amount = _amount(least, most)
    words = f"there are {amount} events {reason}" + (f" of {about}" if about else "")
    place = Target("Event", "", about)
    return Check(words=words, target=place, reason=reason, least=least, most=most)


def _object(fields: Fields) -> Check | None:
    found = target(fields.raw("object"), fields.at("object"), fields.findings)
    if found is None:
        return None
    state = _state(fields, "there", ("there", GONE))
    return Check(words=f"{found} is {state}", target=found, state=state)


def _node(name: str) -> Target:
    return Target("Node", "", name)


def _state(fields: Fields, default: str, known: Collection[str]) -> str:
    state = fields.text("is", default)
    if state not in known:
        fields.findings.faults.append(unsupported(fields.at("is"), state, known))
    return state


def _range(fields: Fields, default: int) -> tuple[int, int | None]:
    """The smallest and the greatest number that will do."""
    if fields.has("count"):
        count = fields.integer_in("count", 0, 0, 2**31 - 1)
        return count, count
    most = fields.integer_in("atMost", 0, 0, 2**31 - 1) if fields.has("atMost") else None
    least = fields.integer_in("atLeast", default if most is None else 0, 0, 2**31 - 1)
    return least, most


def _amount(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    return str(least) if least == most else f"{least} to {most}"
