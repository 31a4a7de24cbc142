"""Checks of tolerations of pods and taints of nodes."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.selectors.labels import validate_label_value
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE
from podium.apiserver.internal_types import internal
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import label_key, label_value

_EFFECTS = (NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE)


def _operator_and_effect(toleration: Any, path: str) -> checks.Faults:
    operator, effect = toleration.get("operator") or "", toleration.get("effect") or ""
    compared, where = toleration.get("value") or "", checks.join(path, "operator")
    if not toleration.get("key") and operator != "Exists":
        message = (
            "operator must be Exists when `key` is empty, which means "
            '"match all values and all keys"'
        )
        yield FieldError(where, operator, message)
    if toleration.get("tolerationSeconds") is not None and effect != NO_EXECUTE:
        message = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield FieldError(checks.join(path, "effect"), effect, message)
    if operator == "Exists":
        if compared:
            yield FieldError(where, compared, "value must be empty when `operator` is 'Exists'")
    elif operator not in ("", "Equal"):
        # kube-apiserver lists operators of a disabled feature gate only if one of them is used.
        gated = ("Lt", "Gt") if operator in ("Lt", "Gt") else ()
        yield unsupported(where, operator, ("Equal", "Exists", *gated))
    elif faults := validate_label_value(compared):
        yield FieldError(where, compared, ";".join(faults))


tolerations = checks.each(
    checks.both(
        checks.fields(key=checks.unless_empty(label_key)),
        _operator_and_effect,
        checks.fields(effect=checks.unless_empty(checks.one_of(*_EFFECTS))),
    )
)

_taint = checks.fields(
    key=checks.absent_as("", label_key),
    value=label_value,
    effect=checks.needed(checks.one_of(*_EFFECTS)),
)


def taints(taints: Any, path: str) -> checks.Faults:
    """Check the `taints` of a node, including that key and effect are unique."""
    yield from checks.each(_taint)(taints, path)
    seen = set()
    for index, taint in enumerate(taints):
        pair = (taint.get("key"), taint.get("effect"))
        if pair in seen:
            message = "taints must be unique by key and effect pair"
            shown = internal("Taint", taint)
            yield FieldError(f"{path}[{index}]", shown, message, ErrorKind.DUPLICATE)
        seen.add(pair)
