"""What a change of a node amounts to."""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.objects import Object, condition_of
from podium.simulation.observing.entry import Fact

_NOTHING: Mapping[str, Any] = {}
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


def node_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """What has happened to a node; `old` or `new` is None if it came or went."""
    if new is None:
        yield Fact("NodeGone")
        return
    if old is None:
        yield Fact("NodeCreated")
    old = old or _NOTHING
    yield from _conditions(old, new)
    yield from _taints(old.get("spec") or _NOTHING, new.get("spec") or _NOTHING)


def _conditions(old: Object, new: Object) -> Iterator[Fact]:
    ready, message = _status(new, "Ready")
    if ready and ready != _status(old, "Ready")[0]:
        kinds = {"True": "NodeReady", "False": "NodeNotReady", "Unknown": "NodeUnknown"}
        yield Fact(kinds[ready], {"message": message})
    for kind in _PRESSURES:
        before, now = _status(old, kind)[0] == "True", _status(new, kind)[0] == "True"
        if before != now:
            yield Fact("NodeCondition", {"condition": kind, "status": str(now)})


def _status(node: Object, kind: str) -> tuple[str, str]:
    condition = condition_of(node, kind) or _NOTHING
    return condition.get("status") or "", condition.get("message") or ""


def _taints(old: Object, new: Object) -> Iterator[Fact]:
    cordoned = bool(new.get("unschedulable"))
    if cordoned != bool(old.get("unschedulable")):
        yield Fact("NodeCordoned" if cordoned else "NodeUncordoned")
    before, now = _by_name(old), _by_name(new)
    for name in (name for name in now if name not in before):
        yield Fact("NodeTainted", {"taint": name})
    for name in (name for name in before if name not in now):
        yield Fact("NodeUntainted", {"taint": name})


def _by_name(spec: Object) -> dict[str, Object]:
    return {_text(taint): taint for taint in spec.get("taints") or ()}


def _text(taint: Object) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint.get('effect')}"
