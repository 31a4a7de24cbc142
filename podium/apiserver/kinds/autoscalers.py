"""HorizontalPodAutoscalers: stored with upstream's defaults, though nothing scales by them."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part, spec_of, status_of
from podium.apiserver.kinds.registration.defaulting import filled, filled_where_absent, inside
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import apart_from_status
from podium.apiserver.kinds.registration.table_cells import AGE, NAME, NONE, UNSET, Column, raw

_PERIOD_S = 15
_CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}
_ALL_AT_ONCE = {"type": "Percent", "value": 100, "periodSeconds": _PERIOD_S}
_UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [{"type": "Pods", "value": 4, "periodSeconds": _PERIOD_S}, _ALL_AT_ONCE],
}
# By type of a metric: the field that holds its source and target.
_SOURCES = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_SHOWN_MAX = 2
_DOWN = {"selectPolicy": "Max", "policies": [_ALL_AT_ONCE]}


def _behavior(behavior: Object) -> Object:
    """A behavior with rules for both directions, as soon as there is one at all."""
    both = filled(behavior, scaleUp={}, scaleDown={})
    return inside(
        both,
        scaleUp=lambda rules: filled_where_absent(rules, **_UP),
        scaleDown=lambda rules: filled_where_absent(rules, **_DOWN),
    )


def _with_defaults(autoscaler: Object) -> Object:
    def spec(spec: Object) -> Object:
        spec = filled(spec, minReplicas=1)
        spec = spec if spec.get("metrics") else {**spec, "metrics": [_CPU]}
        return inside(spec, behavior=_behavior)

    return inside(autoscaler, spec=spec)


def _reference(autoscaler: Object, _now_s: float) -> str:
    target = part(spec_of(autoscaler), "scaleTargetRef")
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _min_pods(autoscaler: Object, _now_s: float) -> str:
    least = spec_of(autoscaler).get("minReplicas")
    return UNSET if least is None else str(least)


def _targets(autoscaler: Object, _now_s: float) -> str:
    """The current value and the target of each metric, such as `cpu: 10%/80%`."""
    metrics = entries(spec_of(autoscaler), "metrics")
    current = entries(status_of(autoscaler), "currentMetrics")
    shown = [
        _metric(metric, current[index] if index < len(current) else {})
        for index, metric in enumerate(metrics[:_SHOWN_MAX])
    ]
    more = len(metrics) - _SHOWN_MAX
    return ", ".join(shown) + (f" + {more} more..." if more > 0 else "") or NONE


def _metric(metric: Object, status: Object) -> str:
    field = _SOURCES.get(metric.get("type", ""), "")
    if not field:
        return "<unknown type>"
    target, current = part(metric, field, "target"), part(status, field, "current")
    is_resource = field in ("resource", "containerResource")
    if target.get("averageValue") is not None:
        ratio = f"{_known(current.get('averageValue'))}/{target['averageValue']}"
        suffix = " (avg)" if field in ("external", "object") else ""
    elif is_resource:
        use, wanted = (one.get("averageUtilization") for one in (current, target))
        ratio = f"{_known(use, '%')}/{'<auto>' if wanted is None else f'{wanted}%'}"
        suffix = ""
    else:
        ratio, suffix = f"{_known(current.get('value'))}/{target.get('value', '')}", ""
    name = f"{part(metric, field).get('name', '')}: " if is_resource else ""
    return f"{name}{ratio}{suffix}"


def _known(value: Any, unit: str = "") -> str:
    return "<unknown>" if value is None else f"{value}{unit}"


HORIZONTAL_POD_AUTOSCALER = Registration(
    kind=KINDS["HorizontalPodAutoscaler"],
    defaults=_with_defaults,
    strategy=apart_from_status(resets_status=True),
    columns=(
        NAME,
        Column("Reference", _reference, "The object that is scaled."),
        Column("Targets", _targets, "Current values and targets of the metrics."),
        Column("MinPods", _min_pods, "The least number of pods."),
        raw("MaxPods", ".spec.maxReplicas", "The largest number of pods."),
        raw("Replicas", ".status.currentReplicas", "How many pods there are."),
        AGE,
    ),
)
