"""What the queue reads off a pipeline."""

from collections.abc import Sequence
from typing import Any

import pytest

from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventHint, EventResource
from podium.scheduler.framework.pipeline import ByShape, Pipeline
from podium.scheduler.queue.hints import QueueProfile, registered_events
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.scheduler.queue import toys

ADD, LABELS, TAINTS = Action.ADD, Action.UPDATE_NODE_LABEL, Action.UPDATE_NODE_TAINT
SHAPES = ByShape(Snapshot())


class Registers:
    """A plugin that says what it waits for."""

    def __init__(self, name: str, hints: Sequence[EventHint]) -> None:
        self.name = name
        self.hints = hints

    def events_to_register(self) -> Sequence[EventHint]:
        return self.hints


def test_plugins_of_all_points_that_can_reject() -> None:
    points = ("pre_filter", "filter", "post_filter", "reserve", "permit", "pre_bind")
    plugins: dict[str, Any] = {p: (Registers(p, toys.hinted(toys.NODE_ADD)),) for p in points}
    gate = toys.Gate()
    sort = toys.Sort()
    profile = QueueProfile.of(Pipeline(toys.PROFILE, sort, SHAPES, pre_enqueue=(gate,), **plugins))
    assert (profile.queue_sort, profile.pre_enqueue) == (sort, (gate,))
    assert set(profile.hints) == {"Gate", *points}
    assert all(profile.hints[point][:1] == toys.hinted(toys.NODE_ADD) for point in points)


@pytest.mark.parametrize(
    ("registered", "in_effect"),
    [
        ([ADD], [ADD, TAINTS]),
        ([ADD | LABELS], [ADD | LABELS, TAINTS]),
        ([ADD | TAINTS], [ADD | TAINTS]),
        ([ADD, TAINTS], [ADD, TAINTS]),
        ([LABELS], [LABELS]),
        ([], []),
    ],
)
def test_additions_of_nodes_bring_updates_of_taints(
    registered: list[Action], in_effect: list[Action]
) -> None:
    """As in v1.36, whose additions of nodes once were missed while these weren't ready."""
    events = [EventHint(ClusterEvent(EventResource.NODE, action)) for action in registered]
    found = registered_events(Registers("Plugin", events))
    assert [(entry.event.action, entry.hint) for entry in found] == [(a, None) for a in in_effect]


def test_a_plugin_that_says_nothing_is_asked_again_after_every_event() -> None:
    silent: Any = toys.Gate("Silent")
    talking: Any = Registers("Talking", toys.hinted(toys.NODE_ADD))
    pipeline = Pipeline(toys.PROFILE, toys.Sort(), SHAPES, filter=(silent, talking))
    q = SchedulingQueue({toys.PROFILE: QueueProfile.of(pipeline)})
    pods = {name: toys.waiting() for name in ("Silent", "Talking")}
    for name, pod in pods.items():
        q.add(pod, toys.PROFILE, 0.0)
        q.fail(toys.popped(q, 0.0), [name], now_s=0.0)
    assert q.event(toys.NODE_LABEL, {}, {}, 50.0) == 1
    assert q.place_of(pods["Silent"].uid) is QueueName.ACTIVE
    assert q.place_of(pods["Talking"].uid) is QueueName.UNSCHEDULABLE
