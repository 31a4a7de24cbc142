"""HorizontalPodAutoscalers: v1.36's defaults and columns. Nobody scales by them here."""

from collections.abc import Mapping
from typing import Any

from podium.api.kinds import KINDS
from podium.api.objects import Object, spec_of, status_of
from podium.apiserver.kinds.columns import AGE, NAME, NONE, UNSET, Column, as_it_is
from podium.apiserver.kinds.filling import filled, inside
from podium.apiserver.kinds.registration import Registration
from podium.apiserver.kinds.strategy import apart_from_status

_UNKNOWN = "<unknown>"
_SHOWN_MAX = 2
_WELL_USED = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}
# By type of metric: the field that has it, and whether it goes by a resource.
_SOURCES: Mapping[str, tuple[str, bool]] = {
    "Resource": ("resource", True),
    "ContainerResource": ("containerResource", True),
    "Pods": ("pods", False),
    "Object": ("object", False),
    "External": ("external", False),
}


def _with_defaults(spec: Object) -> Object:
    return (
        filled(spec, minReplicas=1)
        if spec.get("metrics")
        else {
            **filled(spec, minReplicas=1),
            "metrics": [_WELL_USED],
        }
    )


def _targets(obj: Object, _: float) -> str:
    specs = spec_of(obj).get("metrics") or []
    known = status_of(obj).get("currentMetrics") or []
    told = [
        _metric(spec, known[index] if index < len(known) else {})
        for index, spec in enumerate(specs)
    ]
    rest = f" + {len(told) - _SHOWN_MAX} more..." if len(told) > _SHOWN_MAX else ""
    return ", ".join(told[:_SHOWN_MAX]) + rest or NONE


def _metric(spec: Object, status: Object) -> str:
    """What a metric is, and is to be."""
    field, is_resource = _SOURCES.get(spec.get("type") or "", ("", False))
    if not field:
        return "<unknown type>"
    wanted = spec.get(field) or {}
    target, current = wanted.get("target") or {}, (status.get(field) or {}).get("current") or {}
    prefix = f"{wanted.get('name')}: " if is_resource else ""
    average, suffix = target.get("averageValue"), ""
    if average is not None:
        key, suffix = "averageValue", "" if is_resource or field == "pods" else " (avg)"
    else:
        key = "averageUtilization" if is_resource else "value"
    sign = "%" if key == "averageUtilization" else ""

    def shown(amounts: Mapping[str, Any], missing: str) -> str:
        return f"{amounts[key]}{sign}" if amounts.get(key) is not None else missing

    return f"{prefix}{shown(current, _UNKNOWN)}/{shown(target, '<auto>')}{suffix}"


AUTOSCALER = Registration(
    kind=KINDS["HorizontalPodAutoscaler"],
    defaults=lambda obj: inside(obj, spec=_with_defaults),
    strategy=apart_from_status(),
    columns=(
        NAME,
        Column(
            "Reference",
            lambda obj, _: "/".join(
                str((spec_of(obj).get("scaleTargetRef") or {}).get(field) or "")
                for field in ("kind", "name")
            ),
            "What is scaled.",
        ),
        Column("Targets", _targets, "Metrics as they are, and as they are to be."),
        Column("MinPods", lambda obj, _: str(spec_of(obj).get("minReplicas", UNSET)), "The least."),
        Column("MaxPods", as_it_is(".spec.maxReplicas"), "The most."),
        Column("Replicas", as_it_is(".status.currentReplicas"), "How many there are."),
        AGE,
    ),
)
