"""Gangs on the real API server: by scheduler-plugins' definition, and by v1.36's alpha gates."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.real.conftest import StartPodium, on_both_in_soak
from tests.cluster.real.control_plane import ControlPlane, assets
from tests.cluster.real.podium_process import PodiumScheduler
from tests.cluster.real.server import Json
from tests.cluster.real.world import World, pod, until
from tests.conftest import ROOT

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PLUGINS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups"
GATES = "GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true"


@pytest.fixture
def options(tmp_path: Path) -> tuple[str, ...]:
    gangs = {"podGroups": ["scheduling.k8s.io", "scheduling.x-k8s.io"]}
    document = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulerOptions", "gangs": gangs}
    file = tmp_path / "options.yaml"
    file.write_text(yaml.safe_dump(document))
    return "--no-leader-elect", "--config", str(file)


@contextmanager
def defined(world: World) -> Iterator[None]:
    """As scheduler-plugins defines PodGroups."""
    text = (ROOT / "examples/policies/gangs/manifests.yaml").read_text()
    definition = next(iter(yaml.safe_load_all(text)))
    definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": "https://example.com"}
    world.plane.ask("POST", DEFINITIONS, definition)
    try:
        until(lambda: world.plane.request("GET", PLUGINS).status_code == 200)
        yield
    finally:
        world.plane.ask("DELETE", f"{DEFINITIONS}/podgroups.scheduling.x-k8s.io")


def member(number: int, *, cpu: str = "1", labelled: bool = False, **spec: Any) -> Json:
    if labelled:
        found = pod(f"gang-{number}", cpu, **spec)
        found["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = "gang"
        return found
    return pod(f"gang-{number}", cpu, schedulingGroup={"podGroupName": "gang"}, **spec)


@on_both_in_soak
def test_a_gang_of_scheduler_plugins_waits_until_all_have_places(
    world: World, podium: StartPodium, options: tuple[str, ...]
) -> None:
    world.node("a", cpu="2")
    with defined(world):
        head = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup"}
        group = {**head, "metadata": {"name": "gang"}, "spec": {"minMember": 3}}
        world.plane.ask("POST", PLUGINS, group)
        podium(*options)
        world.create(*(member(number, labelled=True) for number in (1, 2, 3)), pod("single-1"))
        assert world.wait_bound("single-1") == {"single-1": "a"}
        until(lambda: "PodGroup default/gang needs places for 3 pods" in world.message("gang-1"))
        assert set(world.places().values()) == {"", "a"}
        world.node("b", cpu="2")
        world.wait_bound()
        world.clear()


@pytest.fixture(scope="module")
def alpha_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A cluster whose API server has the alpha API."""
    binaries = assets()
    if binaries is None:
        pytest.skip("no real control plane")
    flags = ("--feature-gates", GATES, "--runtime-config", "scheduling.k8s.io/v1alpha2=true")
    plane = ControlPlane(binaries, tmp_path_factory.mktemp("alpha"), flags=flags)
    try:
        plane.start()
        yield World(plane)
    finally:
        plane.close()


@pytest.mark.soak
def test_a_gang_of_the_alpha_api_preempts_by_the_priority_of_its_group(
    alpha_world: World, options: tuple[str, ...], tmp_path: Path
) -> None:
    world = alpha_world
    world.priority("low", 10)
    world.priority("high", 100)
    for name in ("a", "b"):
        world.node(name, cpu="1")
    world.create(*(pod(f"low-{name}", nodeName=name, priorityClassName="low") for name in "ab"))
    kubeconfig = world.plane.kubeconfig()
    with PodiumScheduler(kubeconfig, tmp_path / "podium.log", options):
        world.create(member(1), member(2))
        until(lambda: "PodGroup default/gang isn't there yet" in world.message("gang-1"))
        policy = {"gang": {"minCount": 2}}
        spec = {"schedulingPolicy": policy, "priorityClassName": "high"}
        group = {"metadata": {"name": "gang"}, "spec": spec}
        world.plane.ask("POST", GROUPS, group)
        assert world.wait_bound("gang-1", "gang-2").keys() == world.places().keys()
        until(lambda: "Scheduled" in str(world.plane.ask("GET", f"{GROUPS}/gang")["status"]))
