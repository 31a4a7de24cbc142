"""Claims that wait for their volumes while a pod is being bound, in virtual time."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.cluster_options import SchedulerSetup
from podium.scheduler.config.load import load_configuration
from podium.scheduler.machine.context import Features
from podium.scheduler.metrics import stopped
from podium.scheduler.plugin_registry import plugin_factories
from tests.claim_scenes import (
    SCENES,
    Stage,
    pod_is_deleted,
    victim_in_pre_bind,
    victims_of_both_kinds,
)
from tests.cluster.virtual.virtual_server import VirtualServer


def virtual_stage(**setup: Any) -> tuple[Stage, Cluster]:
    schedulers = (SchedulerSetup(**setup),)
    cluster = Cluster(ClusterOptions(controllers=frozenset(), nodes=None, schedulers=schedulers))
    cluster.start()
    return Stage(VirtualServer(cluster), cluster.driver.advance, 0.25), cluster


@pytest.mark.parametrize("scene", SCENES)
def test_a_claim_that_waits_for_its_volume(scene: Callable[[Stage], None]) -> None:
    scene(virtual_stage()[0])


@pytest.mark.parametrize("scene", [victim_in_pre_bind, victims_of_both_kinds])
def test_victims_in_pre_bind_while_scheduling_waits(scene: Callable[[Stage], None]) -> None:
    scene(virtual_stage(features=Features(scheduler_async_preemption=False))[0])


def test_a_pod_that_is_deleted_in_pre_bind_counts_as_an_error() -> None:
    stage, cluster = virtual_stage(stopwatch=stopped)
    pod_is_deleted(stage)
    (handle,) = cluster.schedulers.values()
    attempts = {}
    for result in ("error", "scheduled"):
        labels = {"result": result, "profile": "default-scheduler"}
        name = "scheduler_schedule_attempts_total"
        attempts[result] = handle.machine.metrics.registry.get_sample_value(name, labels)
    assert attempts == {"error": 1, "scheduled": 1}


def test_binding_volumes_takes_no_longer_than_the_profile_says() -> None:
    arguments = {"kind": "VolumeBindingArgs", "bindTimeoutSeconds": 5}
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": arguments}]}],
    }
    configuration = load_configuration([document], plugin_factories()).configuration
    stage, cluster = virtual_stage(configuration=configuration)
    stage.node("n1")
    stage.waiting()
    begun_s = cluster.driver.now_s
    timed_out = "binding volumes: context deadline exceeded"
    stage.expect_failure(f'running PreBind plugin "VolumeBinding": {timed_out}')
    assert 4.5 <= cluster.driver.now_s - begun_s <= 5.5
