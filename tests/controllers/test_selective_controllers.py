"""Which changes of pods concern which controllers, so that all others aren't told to them."""

from typing import Any

import pytest

from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.node_lifecycle.node_lifecycle_controller import NodeLifecycleController
from podium.controllers.pod_gc import PodGCController
from podium.machines.events import Change
from podium.machines.machine import Machine
from tests.controllers.builders import Obj, pod

NOBODY: set[str] = set()
ALL = {"garbage", "lifecycle", "pod-gc"}


def with_metadata(obj: Obj, **fields: Any) -> Obj:
    return {**obj, "metadata": {**obj["metadata"], **fields}}


def told(old: Obj | None, new: Obj | None) -> set[str]:
    machines: dict[str, Machine] = {
        "garbage": GarbageCollector(),
        "lifecycle": NodeLifecycleController(),
        "pod-gc": PodGCController(),
    }
    change = Change("Pod", old, new)
    return {name for name, machine in machines.items() if machine.heeds(change)}


WAITING = pod("p", node="")
BOUND = pod("p", node="n1")
RUNNING = {**BOUND, "status": {"phase": "Running"}}
GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
OWNED = {"ownerReferences": [{"uid": "u"}]}


@pytest.mark.parametrize(
    ("old", "new", "who"),
    [
        (None, WAITING, {"garbage"}),
        (None, BOUND, ALL),
        (BOUND, None, ALL),
        (WAITING, BOUND, {"lifecycle", "pod-gc"}),
        (BOUND, RUNNING, NOBODY),
        (BOUND, with_metadata(BOUND, **GOING), {"pod-gc"}),
        (
            with_metadata(BOUND, **OWNED),
            with_metadata(BOUND, **OWNED, **GOING),
            {"garbage", "pod-gc"},
        ),
        (BOUND, with_metadata(BOUND, **OWNED), {"garbage"}),
    ],
)
def test_a_change_is_told_to_whom_it_concerns(
    old: Obj | None, new: Obj | None, who: set[str]
) -> None:
    assert told(old, new) == who
