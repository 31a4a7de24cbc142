"""Plans of real clusters' snapshots against what the real clusters then did, pod by pod."""

import pytest

from podium.api.values.times import timestamp
from podium.cluster.virtual.cluster_options import start_s
from tests.conformance.snapshots import Scene, differences, foreseen, scenes
from tests.objects import node, pod

SCENES = {one.name: one for one in scenes()}
WRONG = {
    "p-daemonset-6-129": "the real controller looked at its pods no more after the second node, as "
    "happened in one of three plays of another scene",
    "p-daemonset-6-60": "the snapshot mentions no time after a deletion that was 2.6 s before it",
    "p-daemonset-6-73": "chance decides which of two nodes gets its new daemon first",
    "p-priority-6-48": "pods of other scenes that went there woke these, which then backed off",
}
"""The scenes that a plan foresees wrongly, and why. The list may only get shorter."""


def test_all_scenes_are_read() -> None:
    assert len(SCENES) == 134
    assert SCENES.keys() >= WRONG.keys()


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_what_was_foreseen_has_happened(scene: Scene) -> None:
    found = differences(scene, foreseen(scene))
    if scene.name in WRONG:
        assert found, f"{scene.name} is right now: take it off the list"
    else:
        assert not found


def test_pods_that_end_elsewhere_explain_what_a_plan_alone_cant_foresee() -> None:
    """The scenes were played side by side: what ended in one woke the waiting pods of the others.

    They backed off the longer for it, which settles who gets room first.
    """
    scene = SCENES["p-priority-6-48"]
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    status = {**ready, "startTime": timestamp(start_s(scene.snapshot))}
    elsewhere = [
        pod(
            f"short-{number}",
            "10m",
            on="elsewhere",
            uid=f"short-{number}",
            restartPolicy="Never",
            metadata={"annotations": {"podium.dev/run-duration": f"{number * 400 + 100}ms"}},
            status=status,
        )
        for number in range(60)
    ]
    assert not differences(scene, foreseen(scene, node("elsewhere", uid="n"), *elsewhere))
