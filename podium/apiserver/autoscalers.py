"""HorizontalPodAutoscalers between autoscaling/v2, in which they are stored, and autoscaling/v1.

Version 1 has a field for the use of CPU only. All else stands in annotations, so that who reads an
autoscaler in version 1 and writes it back loses nothing.

Source: apimachinery's conversions of autoscaling/v1, v1.36.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from podium.api.objects import Object, annotations, part, spec_of, status_of
from podium.apiserver.refusals import bad_request

API_VERSION = "autoscaling/v1"

_PREFIX = "autoscaling.alpha.kubernetes.io/"
_METRICS, _BEHAVIOR = f"{_PREFIX}metrics", f"{_PREFIX}behavior"
_CONDITIONS, _CURRENT_METRICS = f"{_PREFIX}conditions", f"{_PREFIX}current-metrics"
_OURS = (_METRICS, _BEHAVIOR, _CONDITIONS, _CURRENT_METRICS)

_TARGET, _CURRENT = "target", "current"
_RESOURCE = {
    "name": "name",
    "{}AverageUtilization": "{}.averageUtilization",
    "{}AverageValue": "{}.averageValue",
}
# By type of metric: a field in an annotation, and the same field in version 2. Braces stand for
# `target` in a spec and `current` in a status.
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "Resource": _RESOURCE,
    "ContainerResource": {**_RESOURCE, "container": "container"},
    "Pods": {
        "metricName": "metric.name",
        "selector": "metric.selector",
        "{}AverageValue": "{}.averageValue",
    },
    "Object": {
        "target": "describedObject",
        "metricName": "metric.name",
        "selector": "metric.selector",
        "{}Value": "{}.value",
        "averageValue": "{}.averageValue",
    },
    "External": {
        "metricName": "metric.name",
        "metricSelector": "metric.selector",
        "{}Value": "{}.value",
        "{}AverageValue": "{}.averageValue",
    },
}
_TARGET_TYPES = {
    "averageUtilization": "Utilization",
    "averageValue": "AverageValue",
    "value": "Value",
}

_STATUS_FIELDS = ("conditions", "currentMetrics")


def shown_in_v1(stored: Object) -> dict[str, Any]:
    """A stored autoscaler as version 1 has it; apiVersion and kind aside."""
    spec, status = dict(spec_of(stored)), dict(status_of(stored))
    others, use = _without_cpu(spec.pop("metrics", None) or (), _TARGET)
    if use is not None:
        spec["targetCPUUtilizationPercentage"] = use
    current = status.pop("currentMetrics", None) or ()
    use = _without_cpu(current, _CURRENT)[1]
    if use is not None:
        status["currentCPUUtilizationPercentage"] = use
    noted = {
        _BEHAVIOR: _renamed(spec.pop("behavior", None), str.upper),
        _CONDITIONS: status.pop("conditions", None),
        _CURRENT_METRICS: [_in_v1(metric, _CURRENT) for metric in current],
        _METRICS: [_in_v1(metric, _TARGET) for metric in others],
    }
    texts = {name: msgspec.json.encode(value).decode() for name, value in noted.items() if value}
    status = {"currentReplicas": 0, "desiredReplicas": 0, **status}
    return {**_annotated(stored, texts), "spec": spec, "status": status}


def stored_from_v1(shown: Object) -> dict[str, Any]:
    """An autoscaler of version 1 as it is stored; apiVersion and kind aside.

    Raises:
        Refused: an annotation that holds a part of it can't be read.
    """
    noted = {name: _read(shown, name) for name in _OURS}
    spec, status = dict(spec_of(shown)), dict(status_of(shown))
    # Nobody knows these fields in version 1.
    for fields, unknown in ((spec, ("metrics", "behavior")), (status, _STATUS_FIELDS)):
        for name in unknown:
            fields.pop(name, None)
    use = spec.pop("targetCPUUtilizationPercentage", None)
    metrics = [] if use is None else [_cpu({"type": "Utilization", "averageUtilization": use})]
    metrics += [_in_v2(metric, _TARGET) for metric in noted[_METRICS] or ()]
    if metrics:
        spec["metrics"] = metrics
    if noted[_BEHAVIOR]:
        spec["behavior"] = _renamed(noted[_BEHAVIOR], str.lower)
    status.pop("currentCPUUtilizationPercentage", None)
    if noted[_CURRENT_METRICS]:
        status["currentMetrics"] = [_in_v2(one, _CURRENT) for one in noted[_CURRENT_METRICS]]
    if noted[_CONDITIONS]:
        status["conditions"] = noted[_CONDITIONS]
    found = {**_annotated(shown, {}), "spec": spec}
    return {**found, "status": status} if status or "status" in shown else found


def _without_cpu(metrics: Any, amount: str) -> tuple[list[Object], int | None]:
    """The metrics without the first one for the use of CPU, and that use in percent."""
    for at, metric in enumerate(metrics):
        resource = metric.get("resource") or {}
        use = part(resource, amount).get("averageUtilization")
        if resource.get("name") == "cpu" and use is not None:
            return [*metrics[:at], *metrics[at + 1 :]], use
    return [*metrics], None


def _cpu(target: Object) -> Object:
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _fields(metric: Object, amount: str) -> Iterator[tuple[str, list[str]]]:
    for ours, theirs in _FIELDS.get(str(metric.get("type")), {}).items():
        yield ours.format(amount), theirs.format(amount).split(".")


def _source(metric: Object) -> str:
    """The field that holds what a metric says: `containerResource` for ContainerResource."""
    kind = str(metric.get("type"))
    return kind[:1].lower() + kind[1:]


def _in_v1(metric: Object, amount: str) -> Object:
    source = metric.get(_source(metric)) or {}
    found = {}
    for ours, path in _fields(metric, amount):
        value = source
        for step in path:
            value = (value or {}).get(step)
        if value is not None:
            found[ours] = value
    return {"type": metric.get("type"), _source(metric): found}


def _in_v2(metric: Object, amount: str) -> Object:
    source = metric.get(_source(metric)) or {}
    found: dict[str, Any] = {}
    for ours, path in _fields(metric, amount):
        if ours in source:
            *within, last = path
            place = found.setdefault(within[0], {}) if within else found
            place[last] = source[ours]
    if amount == _TARGET:
        target = found.setdefault(_TARGET, {})
        kind = next((kind for field, kind in _TARGET_TYPES.items() if field in target), "Value")
        target["type"] = kind
    return {"type": metric.get("type"), _source(metric): found}


def _annotated(obj: Object, texts: Mapping[str, str]) -> dict[str, Any]:
    """The object with these annotations in place of all that hold a part of an autoscaler."""
    others = {name: text for name, text in annotations(obj).items() if name not in _OURS}
    metadata = {**obj.get("metadata", {}), "annotations": {**others, **texts}}
    if not metadata["annotations"]:
        del metadata["annotations"]
    return {**obj, "metadata": metadata}


def _read(shown: Object, name: str) -> Any:
    text = annotations(shown).get(name)
    if text is None:
        return None
    try:
        found = msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        raise bad_request(f"metadata.annotations[{name}]: {error}") from None
    wanted = dict if name == _BEHAVIOR else list
    entries = found if isinstance(found, list) else ()
    if not isinstance(found, wanted) or not all(map(_is_metric, entries)):
        raise bad_request(f"metadata.annotations[{name}]: must hold {_KINDS[wanted]}")
    return found


def _is_metric(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get(_source(entry)) or {}, dict)


_KINDS: Mapping[type, str] = {dict: "an object", list: "a list of objects"}


def _renamed(value: Any, change: Any) -> Any:
    """The value with the first letters of all fields changed; the annotation has them capital."""
    if isinstance(value, list):
        return [_renamed(one, change) for one in value]
    if isinstance(value, dict):
        found = {change(name[:1]) + name[1:]: _renamed(one, change) for name, one in value.items()}
        return {name: one for name, one in found.items() if one is not None}
    return value
