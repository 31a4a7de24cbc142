"""Tolerations that pods get without asking, and the merging of two lists of them.

The rules are those of the admission plugins DefaultTolerationSeconds and, for merging,
PodTolerationRestriction in v1.36. The latter also lets pods that aren't BestEffort tolerate
memory pressure; it isn't on by default, whatever the documentation suggests, so that is a switch.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.api.qos import qos_class
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE

Object = Mapping[str, Any]
Toleration = Mapping[str, Any]

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
MEMORY_PRESSURE = "node.kubernetes.io/memory-pressure"

DEFAULT_SECONDS = 300


def add_default_tolerations(
    pod: Object, *, seconds: int = DEFAULT_SECONDS, memory_pressure: bool = False
) -> Object:
    """The pod, tolerating for a while that its node isn't ready or can't be reached.

    Args:
        pod: a pod whose requests are filled in.
        seconds: how long, where the pod doesn't say anything about it itself.
        memory_pressure: also let pods that aren't BestEffort tolerate memory pressure.
    """
    spec = pod.get("spec") or {}
    old: Sequence[Toleration] = spec.get("tolerations") or ()
    new = [
        {"key": key, "operator": "Exists", "effect": NO_EXECUTE, "tolerationSeconds": seconds}
        for key in (NOT_READY, UNREACHABLE)
        if not any(_speaks_of(toleration, key) for toleration in old)
    ]
    tolerations: Sequence[Toleration] = [*old, *new]
    if memory_pressure and qos_class(pod) != "BestEffort":
        pressure = {"key": MEMORY_PRESSURE, "operator": "Exists", "effect": NO_SCHEDULE}
        tolerations = merge_tolerations(tolerations, [pressure])
    if list(tolerations) == list(old):
        return pod
    return {**pod, "spec": {**spec, "tolerations": list(tolerations)}}


def _speaks_of(toleration: Toleration, key: str) -> bool:
    """Whether it is about this taint with NoExecute, whatever else it demands."""
    about_key = (toleration.get("key") or key) == key
    return about_key and (toleration.get("effect") or NO_EXECUTE) == NO_EXECUTE


def merge_tolerations(
    first: Iterable[Toleration], second: Iterable[Toleration]
) -> list[Toleration]:
    """Both lists in order, without those that another one includes; of equal ones the first."""
    candidates = [*first, *second]
    merged: list[Toleration] = []
    for index, toleration in enumerate(candidates):
        redundant = any(_includes(other, toleration) for other in merged) or any(
            other != toleration and _includes(other, toleration)
            for other in candidates[index + 1 :]
        )
        if not redundant:
            merged.append(toleration)
    return merged


def _includes(wider: Toleration, narrower: Toleration) -> bool:
    """Whether whatever the narrower one tolerates, the wider one does, for as long."""
    if wider == narrower:
        return True
    wider_exists = wider.get("operator") == "Exists"
    matches_any_key = wider_exists and not wider.get("key")
    if not matches_any_key and _text(wider, "key") != _text(narrower, "key"):
        return False
    if wider.get("effect") and wider["effect"] != narrower.get("effect"):
        return False
    if not _lasts_as_long(wider, narrower):
        return False
    if wider_exists:
        return True
    same_value = _text(wider, "value") == _text(narrower, "value")
    return (wider.get("operator") or "Equal") == narrower.get("operator") == "Equal" and same_value


def _lasts_as_long(wider: Toleration, narrower: Toleration) -> bool:
    seconds, needed = wider.get("tolerationSeconds"), narrower.get("tolerationSeconds")
    if wider.get("effect") != NO_EXECUTE or seconds is None:
        return True
    return needed is not None and bool(needed <= seconds)


def _text(toleration: Toleration, field: str) -> str:
    return str(toleration.get(field) or "")
