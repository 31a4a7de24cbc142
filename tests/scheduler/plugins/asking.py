"""Tables of events: whether they may help a pod that a plugin has rejected.

Each line says what it is an example of, which pod waits, what has changed, from what, to what, and
whether the pod is to be tried again.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from podium.scheduler.framework.cluster_events import (
    Action,
    ClusterEvent,
    EnqueueExtensions,
    EventResource,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.queue.hints import registered_events
from podium.scheduler.queue.queue_events import events_of_node_update, events_of_pod_update
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import Obj

Line = tuple[str, Obj, EventResource, Obj | None, Obj | None, bool]

POD = EventResource.ASSIGNED_POD
ITSELF = EventResource.UNSCHEDULED_POD
NODE = EventResource.NODE
NEW = GONE = None
QUEUE, SKIP = True, False


def hint_table(
    plugin: Callable[[Handle], Any], *lines: Line, objects: Iterable[Obj] = ()
) -> Callable[[Sequence[Any]], None]:
    """A test of a plugin's hints, line by line, while there are these objects."""

    @pytest.mark.parametrize("line", [pytest.param(line[1:], id=line[0]) for line in lines])
    def hints(line: Sequence[Any]) -> None:
        handle = Handle(Snapshot(), Listers(objects))
        check(plugin(handle), handle, line)

    return hints


def check(plugin: EnqueueExtensions, handle: Handle, line: Sequence[Any]) -> None:
    waiting, resource, old, new, expected = line
    event = ClusterEvent(resource, _action(resource, old, new))
    pod = pending_pod(waiting, handle.snapshot.classes)
    answers = [
        entry.hint is None or entry.hint(pod, old, new)
        for entry in registered_events(plugin)
        if entry.event.matches(event)
    ]
    assert any(answers) is expected


def _action(resource: EventResource, old: Obj | None, new: Obj | None) -> Action:
    if old is None:
        return Action.ADD
    if new is None:
        return Action.DELETE
    if resource is NODE:
        return events_of_node_update(old, new)
    return events_of_pod_update(old, new) if resource in (POD, ITSELF) else Action.UPDATE
