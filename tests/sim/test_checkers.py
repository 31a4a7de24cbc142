"""The checkers find what they are there for: each test breaks one thing, and some seed shows it."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.apiserver.store.history import KindHistory
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.load import load_configuration
from podium.scheduler.machine.preemption_executor import PreemptionExecutor
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.snapshot.nominator import Nominator
from tests.replacing import replace
from tests.sim.settings import Settings
from tests.sim.world import World

SEEDS = range(10)

Break = Callable[[pytest.MonkeyPatch], None]


def forget_events(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SchedulingQueue, "event", lambda *_, **__: 0)


def forget_failed_pods(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SchedulingQueue, "fail", lambda queue, queued, *_, **__: queue.done(queued.uid))


def overlook_resources(patch: pytest.MonkeyPatch) -> None:
    off = {"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]}}
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "plugins": off}],
    }

    def careless(_world: World, _name: str) -> KubeSchedulerConfiguration:
        return load_configuration([document], plugin_factories().keys()).configuration

    patch.setattr(World, "configuration_of", careless)


def delete_victims_by_name(patch: pytest.MonkeyPatch) -> None:
    send = PreemptionExecutor._send

    def careless(preemptions: Any, removal: Any, task: Any, effect: Any) -> None:
        nameless = replace(effect, uid="") if hasattr(effect, "uid") else effect
        send(preemptions, removal, task, nameless)

    patch.setattr(PreemptionExecutor, "_send", careless)


def keep_nominations(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Nominator, "withdraw", lambda *_: None)


def lose_writes(patch: pytest.MonkeyPatch) -> None:
    append = KindHistory.append

    def careless(history: Any, event: Any) -> None:
        # The scheduler doesn't follow Events, so that only the checker of watches misses them.
        if event.kind != "Event" or event.revision % 20:
            append(history, event)

    patch.setattr(KindHistory, "append", careless)


@pytest.mark.parametrize(
    ("break_it", "finding"),
    [
        (forget_events, "fits on|could preempt"),
        (forget_failed_pods, "nowhere"),
        (overlook_resources, "is short"),
        (delete_victims_by_name, "Delete"),
        (keep_nominations, r"PodInfo\(default/"),
        (lose_writes, "WatchEvent|^Event"),
    ],
)
def test_it_is_found(break_it: Break, finding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it(monkeypatch)
    with pytest.raises(AssertionError, match=finding):
        play_some()


def play_some() -> None:
    for seed in SEEDS:
        world = World(seed, Settings())
        world.user.keep_busy(60)
        world.run()
