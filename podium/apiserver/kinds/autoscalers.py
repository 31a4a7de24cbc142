"""HorizontalPodAutoscalers: stored with upstream's defaults, though nothing scales by them."""

from podium.api.kinds import KINDS
from podium.api.objects import Object
from podium.apiserver.kinds.default_words import filled, filled_where_absent, inside
from podium.apiserver.kinds.registration import Registration
from podium.apiserver.kinds.strategy import apart_from_status

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


HORIZONTAL_POD_AUTOSCALER = Registration(
    kind=KINDS["HorizontalPodAutoscaler"],
    defaults=_with_defaults,
    strategy=apart_from_status(resets_status=True),
)
