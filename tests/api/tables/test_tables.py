"""Values, selectors, YAML, budgets and parts of pods in tables of functions and results."""

from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from podium.api.codec.yaml_text import key_text, read_yaml, scalar
from podium.api.errors import FieldError, aggregate
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.nodes import tolerates, untolerated
from podium.api.policy import disruption_budgets
from podium.api.policy.disruption_target import cause_of
from podium.api.policy.quota_usage import has_deadline
from podium.api.resources import (
    is_extended_resource,
    is_scalar_resource,
    pod_limits,
    pod_requests,
    qos_class,
)
from podium.api.selectors import labels as label_selectors
from podium.api.selectors.node_selector import node_selector
from podium.api.values.cron_schedule import parse_schedule
from podium.api.values.integers import INT32, parse_count, parse_int
from podium.api.values.quantity import NANOS_PER_UNIT, milli_value, parse_quantity, value
from podium.api.values.times import duration_seconds, format_duration, format_time, parse_time
from tests import objects
from tests.covering import covers
from tests.objects import Obj
from tests.tables import assert_results

FILES = sorted(Path(__file__).parent.glob("*.txt"))
THREE_READY_PODS = [objects.pod(name, app="a", status=objects.READY) for name in "123"]


def quantity(raw: Any) -> tuple[str, str]:
    """How the quantity is printed, and its amount as a fraction."""
    parsed = parse_quantity(raw)
    return str(parsed), str(Fraction(parsed.nanos, NANOS_PER_UNIT))


def due(text: str, after: str, count: int = 1, zone: str = "UTC") -> list[str]:
    """The next times of a schedule."""
    schedule, times = parse_schedule(text, zone), []
    at_s = datetime.fromisoformat(after).replace(tzinfo=ZoneInfo(zone)).timestamp()
    for _ in range(count):
        next_s = schedule.next_s(at_s)
        assert next_s is not None
        at_s = next_s
        times.append(datetime.fromtimestamp(at_s, ZoneInfo(zone)).strftime("%m-%dT%H:%M:%S%z"))
    return times


def budget(status: Obj | None = None, **spec: Any) -> Obj:
    return objects.budget("a", status=status or {}, **spec)


def disruptions(spec: Obj, expected: int | None, *pods: Obj) -> str:
    """What a budget of three ready pods, and of others, allows."""
    covered = [*THREE_READY_PODS, *pods]
    found = disruption_budgets.allowed_disruptions(budget(**spec), covered, expected)
    return (
        f"{found.disruptions_allowed} allowed, {found.current_healthy} healthy, "
        f"{found.desired_healthy} desired, {found.expected_pods} expected"
    )


def selecting(selector: Obj | None, labels: Obj) -> str:
    """Who applies a budget with the selector to a pod with the labels."""
    subject, carrier = budget(selector=selector), objects.pod("p", metadata={"labels": labels})
    elsewhere = objects.pod("p", namespace="other", metadata={"labels": labels})
    assert not disruption_budgets.selects(subject, elsewhere)
    assert not covers(disruption_budgets.Budget.of(subject), elsewhere)
    views = {
        "controller": disruption_budgets.selects(subject, carrier),
        "scheduler": covers(disruption_budgets.Budget.of(subject), carrier),
    }
    return " and ".join(view for view, applies in views.items() if applies) or "neither"


def qos(
    containers: list[Obj | None], inits: tuple[Obj, ...] = (), resources: Obj | None = None
) -> str:
    """The class of a pod, from the resources of its containers and its own."""
    spec: Obj = {
        "containers": [{"resources": one} for one in containers],
        "initContainers": [{"resources": one} for one in inits],
    }
    return qos_class({"spec": {**spec, **({} if resources is None else {"resources": resources})}})


def disruption_cause(reason: str, status: str = "True", why: str = "") -> str | None:
    """The cause of a pod's condition DisruptionTarget."""
    target = {"type": "DisruptionTarget", "status": status, "reason": reason}
    cause = cause_of(
        {"status": {"conditions": [*objects.READY["conditions"], target], "reason": why}}
    )
    return None if cause is None else cause.name


def kind_name(api_version: str, kind: str) -> str | None:
    found = kind_of({"apiVersion": api_version, "kind": kind})
    return None if found is None else found.name


def yaml_faults(text: str) -> list[tuple[int, int, str]]:
    """The number of each document that has faults, their lines and messages but for libyaml's."""
    return [
        (document.number, fault.line, fault.message.partition(": ")[0])
        for document in read_yaml(text)
        for fault in document.faults
    ]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "count": parse_count,
    "deadline": lambda seconds: has_deadline({"spec": {"activeDeadlineSeconds": seconds}}),
    "disruption-cause": disruption_cause,
    "disruptions": disruptions,
    "documents": lambda text: [(one.number, one.line, one.value) for one in read_yaml(text)],
    "due": due,
    "duration": duration_seconds,
    "extended": lambda name: (is_extended_resource(name), is_scalar_resource(name)),
    "faults": yaml_faults,
    "fewest-pods": lambda spec, count: disruption_budgets.fewest_pods(budget(**spec), count),
    "int32": lambda text: parse_int(text, INT32),
    "integer": parse_int,
    "key": key_text,
    "kind": kind_name,
    "label-key": label_selectors.validate_label_key,
    "label-selector": lambda raw: str(label_selectors.label_selector(raw)),
    "label-value": label_selectors.validate_label_value,
    "needs-scale": lambda spec: disruption_budgets.needs_scale(budget(**spec)),
    "node-selector": lambda *terms: aggregate(node_selector({"nodeSelectorTerms": terms}).errors),
    "plain": lambda text: scalar(text, None, plain=True),
    "pod-limits": pod_limits,
    "pod-requests": lambda pod: pod_requests(pod, use_status=True),
    "printed": lambda text: str(label_selectors.parse_selector(text)),
    "printed-duration": format_duration,
    "printed-time": lambda nanos, digits=0: format_time(nanos, digits=digits),
    "qos": qos,
    "quantity": quantity,
    "requirement": lambda op, values, value: label_selectors.Requirement(
        "key", op, (*values,)
    ).matches(value),
    "rounded-up": lambda text: (value(text), milli_value(text)),
    "schedule": lambda text, zone="UTC": parse_schedule(text, zone).next_s(0),
    "selecting": selecting,
    "selector": lambda text, labels: label_selectors.parse_selector(text).matches(labels),
    "tagged": lambda text, tag: scalar(text, tag, plain=False),
    "time": parse_time,
    "tolerates": tolerates,
    "untolerated": untolerated,
    "under": lambda path, field: FieldError(field, "x", "why").under(path).field,
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_function_returns_what_its_table_says(file: Path) -> None:
    assert_results(file, FUNCTIONS)
