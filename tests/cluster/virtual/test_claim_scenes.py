"""Claims that wait for their volumes while a pod is being bound, in virtual time."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions, PatchRequest
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.cluster_options import SchedulerSetup
from podium.scheduler.config.load import load_configuration
from podium.scheduler.machine.context import Features
from podium.scheduler.metrics import stopped
from podium.scheduler.plugin_registry import plugin_factories
from tests.claim_scenes import (
    SCENES,
    Obj,
    Stage,
    pod_is_deleted,
    victim_in_pre_bind,
    victims_of_both_kinds,
)

_MERGE = "application/merge-patch+json"
_STEP_S, _PATIENCE_S = 0.25, 60


class VirtualStage(Stage):
    """A cluster in virtual time, whose scheduler counts."""

    def __init__(self, setup: SchedulerSetup) -> None:
        options = ClusterOptions(controllers=frozenset(), nodes=None, schedulers=(setup,))
        self.cluster = Cluster(options)
        self.cluster.start()

    def create(self, obj: Obj) -> Obj:
        return dict(self.cluster.server.create(self._about(obj["kind"], ""), obj))

    def merge(self, kind: str, name: str, body: Obj, subresource: str = "") -> None:
        request = PatchRequest(_MERGE, body)
        self.cluster.server.patch(self._about(kind, name, subresource), request)

    def delete(self, kind: str, name: str) -> None:
        self.cluster.server.delete(self._about(kind, name), DeleteOptions(grace_period_s=0))

    def get(self, kind: str, name: str) -> Any:
        place = "default" if KINDS[kind].namespaced else ""
        return self.cluster.store.get(kind, place, name)

    def events(self) -> list[tuple[str, str, str]]:
        stored: list[Any] = [*self.cluster.store.list("Event").items]
        return [(one["reason"], one["involvedObject"]["name"], one["message"]) for one in stored]

    def until(self, look: Callable[[], Any]) -> Any:
        for _ in range(int(_PATIENCE_S / _STEP_S)):
            if found := look():
                return found
            self.wait(_STEP_S)
        raise AssertionError(f"it hasn't come about: {self.events()}")

    def wait(self, seconds: float) -> None:
        self.cluster.driver.advance(seconds)

    def attempts(self, result: str) -> int:
        """How many attempts had a result."""
        (handle,) = self.cluster.schedulers.values()
        labels = {"result": result, "profile": "default-scheduler"}
        name = "scheduler_schedule_attempts_total"
        return int(handle.machine.metrics.registry.get_sample_value(name, labels) or 0)

    def _about(self, kind: str, name: str, subresource: str = "") -> Attributes:
        place = "default" if KINDS[kind].namespaced else ""
        return Attributes(KINDS[kind], place, name, self.cluster.driver.now_s, subresource)


@pytest.mark.parametrize("scene", SCENES)
def test_a_claim_that_waits_for_its_volume(scene: Callable[[Stage], None]) -> None:
    scene(VirtualStage(SchedulerSetup()))


@pytest.mark.parametrize("scene", [victim_in_pre_bind, victims_of_both_kinds])
def test_victims_in_pre_bind_while_scheduling_waits(scene: Callable[[Stage], None]) -> None:
    scene(VirtualStage(SchedulerSetup(features=Features(scheduler_async_preemption=False))))


def test_a_pod_that_is_deleted_in_pre_bind_counts_as_an_error() -> None:
    stage = VirtualStage(SchedulerSetup(stopwatch=stopped))
    pod_is_deleted(stage)
    assert (stage.attempts("error"), stage.attempts("scheduled")) == (1, 1)


def test_binding_volumes_takes_no_longer_than_the_profile_says() -> None:
    arguments = {"kind": "VolumeBindingArgs", "bindTimeoutSeconds": 5}
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": arguments}]}],
    }
    configuration = load_configuration([document], plugin_factories()).configuration
    stage = VirtualStage(SchedulerSetup(configuration=configuration))
    stage.node("n1")
    stage.waiting()
    begun_s = stage.cluster.driver.now_s
    timed_out = "binding volumes: context deadline exceeded"
    stage.expect_failure(f'running PreBind plugin "VolumeBinding": {timed_out}')
    assert 4.5 <= stage.cluster.driver.now_s - begun_s <= 5.5
