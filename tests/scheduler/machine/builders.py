"""Objects, outcomes and a hand-driven machine for tests of the scheduler."""

from collections.abc import Mapping
from typing import Any

from podium.machines.effects import Effect
from podium.machines.events import CallError, Outcome
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod
from tests import objects
from tests.objects import Obj

CLASSES = PodClasses()


def pod(
    name: str = "p",
    *,
    cpu: str = "1",
    priority: int = 0,
    node: str = "",
    status: Mapping[str, Any] | None = None,
    **metadata: Any,
) -> Obj:
    return objects.pod(
        name,
        cpu,
        on=node,
        metadata={"uid": f"uid-{name}", "generation": 1, "labels": {}, **metadata},
        status={"phase": "Pending", **(status or {})},
        priority=priority,
        schedulerName="default-scheduler",
    )


def pending(name: str = "p", **fields: Any) -> PodInfo:
    return pending_pod(pod(name, **fields), CLASSES)


def placed(name: str = "p", node: str = "n1", **fields: Any) -> PodInfo:
    return placed_pod(pod(name, node=node, **fields), CLASSES)


def done(effect: Effect, obj: Mapping[str, Any] | None = None) -> Outcome:
    return Outcome(effect, obj=obj)


def failed(effect: Effect, reason: str = "InternalError", code: int = 500) -> Outcome:
    return Outcome(effect, error=CallError(code, reason, f"{reason} happened"))
