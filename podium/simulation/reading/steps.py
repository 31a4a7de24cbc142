"""The steps of a scenario: each says when, and one thing that is done then."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.config.reading.fields import Fields
from podium.node.simulated.behaviour import PREFIX, BehaviourError, behaviour_of, node_behaviour_of
from podium.simulation.reading.checks import read_checks
from podium.simulation.reading.cluster import RATE_FIELDS, read_rates
from podium.simulation.reading.values import Context, manifests, seconds, target, targets
from podium.simulation.scenario import (
    RETRY_S,
    Action,
    Apply,
    Change,
    Delete,
    Drain,
    Expect,
    SetFaults,
    Step,
    Taint,
    Target,
)

Object = Mapping[str, Any]
Read = Callable[[Fields, Context], Action]

_DRAIN = (
    "node",
    "timeout",
    "gracePeriod",
    "force",
    "ignoreDaemonSets",
    "deleteEmptyDirData",
    "retryEvery",
)
_TAINT = re.compile(
    r"(?P<node>\S+) (?P<key>[^=:\s]+)(=(?P<value>[^:\s]*))?"
    r":(?P<effect>NoSchedule|PreferNoSchedule|NoExecute)"
)
_TAINT_RULE = (
    "must be `NODE KEY[=VALUE]:EFFECT`, such as `node-1 gpu=broken:NoExecute`; "
    "effects are NoSchedule, PreferNoSchedule and NoExecute"
)
_SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_DOWN = PREFIX + "down"


def _apply(step: Fields, context: Context) -> Action:
    return Apply(manifests(step, "apply", context))


def _delete(step: Fields, context: Context) -> Action:
    if not isinstance(step.raw("delete"), Mapping):
        return Delete(targets(step, "delete"))
    fields = step.nested("delete", ("objects", "gracePeriod"))
    return Delete(targets(fields, "objects"), _whole_seconds(fields, "gracePeriod"))


def _scale(step: Fields, context: Context) -> Action:
    fields = step.nested("scale", ("object", "replicas"))
    found = target(fields.raw("object"), fields.at("object"), fields.findings)
    replicas = fields.integer("replicas", -1)
    if replicas < 0:
        fields.fault("replicas", "must be a number of pods, 0 or more")
    if found is not None and found.kind not in _SCALABLE:
        fields.fault("object", f"kinds that can be scaled: {', '.join(_SCALABLE)}")
    elif found is not None:
        fault = context.limit.resize(
            found.kind, found.namespace, found.name, replicas, fields.at("replicas")
        )
        fields.findings.faults += [fault] if fault else []
    body = {"spec": {"replicas": replicas}}
    return Change(found or _nowhere(), body, "")


def _taint(step: Fields, context: Context) -> Action:
    return _read_taint(step, "taint", removes=False)


def _untaint(step: Fields, context: Context) -> Action:
    return _read_taint(step, "untaint", removes=True)


def _read_taint(step: Fields, name: str, *, removes: bool) -> Action:
    match = _TAINT.fullmatch(step.text(name))
    if match is None:
        step.fault(name, _TAINT_RULE)
        return Taint("", {}, removes)
    taint = {"key": match["key"], "effect": match["effect"]}
    if match["value"]:
        taint["value"] = match["value"]
    return Taint(match["node"], taint, removes)


def _cordon(step: Fields, context: Context) -> Action:
    return _node_change(step, "cordon", {"spec": {"unschedulable": True}}, "")


def _uncordon(step: Fields, context: Context) -> Action:
    return _node_change(step, "uncordon", {"spec": {"unschedulable": None}}, "")


def _down(step: Fields, context: Context) -> Action:
    body = {"metadata": {"annotations": {_DOWN: "true"}}}
    return _node_change(step, "down", body, "falls silent")


def _up(step: Fields, context: Context) -> Action:
    body = {"metadata": {"annotations": {_DOWN: None}}}
    return _node_change(step, "up", body, "is heard of again")


def _remove(step: Fields, context: Context) -> Action:
    return Delete((Target("Node", "", _node_name(step, "remove")),))


def _node_change(step: Fields, name: str, body: Object, words: str) -> Action:
    return Change(Target("Node", "", _node_name(step, name)), body, words)


def _node_name(step: Fields, name: str) -> str:
    found = step.text(name)
    if not found:
        step.fault(name, "must be the name of a node")
    return found


def _drain(step: Fields, context: Context) -> Action:
    if isinstance(step.raw("drain"), str):
        return Drain(node=step.text("drain"))
    fields = step.nested("drain", _DRAIN)
    return Drain(
        node=_node_name(fields, "node"),
        timeout_s=seconds(fields, "timeout"),
        grace_period_s=_whole_seconds(fields, "gracePeriod"),
        force=fields.boolean("force"),
        ignore_daemon_sets=fields.boolean("ignoreDaemonSets", default=True),
        delete_empty_dir_data=fields.boolean("deleteEmptyDirData"),
        retry_s=seconds(fields, "retryEvery") or RETRY_S,
    )


def _behave(step: Fields, context: Context) -> Action:
    """Set what annotations script; empty texts take them away."""
    fields = step.nested("behave", ("object", "annotations"))
    found = target(fields.raw("object"), fields.at("object"), fields.findings)
    said = fields.nested("annotations", None).strings()
    full = {key if "/" in key else PREFIX + key: value for key, value in said.items()}
    scripted = {"metadata": {"annotations": {key: value for key, value in full.items() if value}}}
    try:
        behaviour_of(scripted)
        node_behaviour_of(scripted)
    except BehaviourError as error:
        fields.fault("annotations", str(error))
    if found is not None and found.kind not in ("Pod", "Node"):
        fields.fault("object", "must be a pod or a node")
    body = {"metadata": {"annotations": {key: value or None for key, value in full.items()}}}
    words = ", ".join(f"{key.removeprefix(PREFIX)}={value}" for key, value in full.items())
    return Change(found or _nowhere(), body, f"is told {words}")


def _faults(step: Fields, context: Context) -> Action:
    return SetFaults(read_rates(step.nested("faults", RATE_FIELDS)))


def _assert(step: Fields, context: Context) -> Action:
    return Expect(read_checks(step, "assert"), seconds(step, "within") or 0.0)


_ACTIONS: Mapping[str, Read] = {
    "apply": _apply,
    "delete": _delete,
    "scale": _scale,
    "taint": _taint,
    "untaint": _untaint,
    "cordon": _cordon,
    "uncordon": _uncordon,
    "drain": _drain,
    "down": _down,
    "up": _up,
    "remove": _remove,
    "behave": _behave,
    "faults": _faults,
    "assert": _assert,
}
_STEP = ("at", "within", "refused", *_ACTIONS)


def read_steps(spec: Fields, context: Context) -> tuple[Step, ...]:
    """The steps, in the order in which they are taken."""
    steps: list[Step] = []
    last_s = 0.0
    for fields in spec.each("steps", _STEP):
        at_s = seconds(fields, "at")
        if at_s is not None and at_s < last_s:
            fields.fault("at", f"must not be before the step before it, at {last_s:g}s")
        last_s = at_s if at_s is not None else last_s
        named = [name for name in _ACTIONS if fields.has(name)]
        if len(named) != 1:
            why = f"must have exactly one of {', '.join(_ACTIONS)}, but has {len(named)}"
            fields.findings.faults.append(FieldError(fields.path, named, why))
            continue
        if fields.has("within") and named != ["assert"]:
            fields.fault("within", "only for assert")
        refusal = fields.text("refused") if fields.has("refused") else None
        steps.append(Step(fields.path, at_s, _ACTIONS[named[0]](fields, context), refusal))
    return tuple(steps)


def _whole_seconds(fields: Fields, name: str) -> int | None:
    found = seconds(fields, name)
    if found is not None and found != int(found):
        fields.fault(name, "must be whole seconds")
    return None if found is None else int(found)


def _nowhere() -> Target:
    """What stands for a target that can't be read; it isn't looked at, as there is a fault."""
    return Target("", "", "")
