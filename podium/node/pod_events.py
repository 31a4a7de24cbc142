"""Events that a node records about the containers of a pod, with the texts of v1.36."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.control.effects import Record
from podium.node.life import Life, Stage

Object = Mapping[str, Any]

REPORTER = "kubelet"


@dataclass(frozen=True, slots=True)
class Seen:
    """How a life was when it was last looked at.

    Attributes:
        starts: how often its containers have been started.
        stopping: whether they were being stopped.
        backing_off: whether a restart was being waited for.
    """

    starts: int = 0
    stopping: bool = False
    backing_off: bool = False


def seen(life: Life) -> Seen:
    """How a life is now."""
    runs = life.stage is Stage.RUNNING
    has_run = runs or life.last_exit is not None
    return Seen(
        starts=life.restarts + 1 if has_run else 0,
        stopping=life.why is not None and runs,
        backing_off=life.stage is Stage.BACKING_OFF and life.back_off_s > 0,
    )


def life_events(pod: Object, before: Seen, now: Seen) -> Iterator[Record]:
    """What has happened to the containers of a pod between two looks."""
    metadata = pod["metadata"]
    whose = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    for container in pod["spec"]["containers"]:
        called = container["name"]
        if now.starts > before.starts:
            image = f'Container image "{container.get("image") or ""}" already present on machine'
            yield node_record(pod, "Normal", "Pulled", image)
            yield node_record(pod, "Normal", "Created", "Container created")
            yield node_record(pod, "Normal", "Started", "Container started")
        if now.backing_off and not before.backing_off:
            note = f"Back-off restarting failed container {called} in pod {whose}"
            yield node_record(pod, "Warning", "BackOff", note)
        if now.stopping and not before.stopping:
            yield node_record(pod, "Normal", "Killing", f"Stopping container {called}")


def node_record(about: Object, kind: str, reason: str, note: str) -> Record:
    """An event that a node's agent reports."""
    return Record(
        regarding=about,
        reporting_controller=REPORTER,
        type=kind,
        reason=reason,
        action="",
        note=note,
    )
