"""Scale: how many pods a workload wants, has, and how they are told apart, in one form for all.

The rules are those of the `scale` subresources in v1.36.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds import Kind
from podium.api.meta import name
from podium.apiserver.refusals import conflict, invalid
from podium.apiserver.validation.checks import NOT_NEGATIVE

Object = Mapping[str, Any]

_IDENTITY = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_OPERATORS = {"In": "in", "NotIn": "notin"}


def scale_of(workload: Object) -> dict[str, Any]:
    """The Scale (autoscaling/v1) of a workload."""
    spec, status = workload.get("spec") or {}, workload.get("status") or {}
    metadata = workload["metadata"]
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {field: metadata[field] for field in _IDENTITY if field in metadata},
        "spec": {"replicas": spec.get("replicas") or 0},
        "status": {
            "replicas": status.get("replicas") or 0,
            "selector": selector_text(spec.get("selector") or {}),
        },
    }


def scaled(kind: Kind, workload: Object, scale: Object) -> Object:
    """The workload that wants as many pods as a Scale says.

    Args:
        kind: of the workload.
        workload: as it is stored.
        scale: a Scale; its resourceVersion goes over to the workload, so that whoever stores that
            notices if it isn't current.

    Raises:
        Refused: 422, the number isn't one; 409, it is another workload's Scale.
    """
    metadata, own = scale.get("metadata") or {}, workload["metadata"]
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        fault = FieldError("spec.replicas", replicas, NOT_NEGATIVE)
        raise invalid(name(workload), [fault], "Scale", "autoscaling")
    uid = metadata.get("uid")
    if uid and uid != own["uid"]:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {own['uid']}"
        raise conflict(f"{kind.plural}/scale", name(workload), why, kind.group)
    version = metadata.get("resourceVersion") or own["resourceVersion"]
    return {
        **workload,
        "metadata": {**own, "resourceVersion": version},
        "spec": {**workload["spec"], "replicas": replicas},
    }


def selector_text(selector: Object) -> str:
    """A workload's selector as text: that of a ReplicationController is a plain map."""
    if any(not isinstance(value, str) for value in selector.values()):
        return ",".join(text for _, text in sorted(_requirements(selector)))
    return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))


def _requirements(selector: Object) -> Iterator[tuple[str, str]]:
    """The key of each requirement, and its text."""
    for key, value in (selector.get("matchLabels") or {}).items():
        yield key, f"{key}={value}"
    for expression in selector.get("matchExpressions") or ():
        key, operator = expression["key"], expression["operator"]
        if operator in _OPERATORS:
            values = ",".join(sorted(expression.get("values") or ()))
            yield key, f"{key} {_OPERATORS[operator]} ({values})"
        else:
            yield key, key if operator == "Exists" else f"!{key}"
