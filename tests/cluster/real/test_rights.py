"""The least rights: what the manifests give is enough, and what is missing is told once."""

import tomllib
from collections.abc import Iterator

import pytest
import yaml

from tests.cluster.real.conftest import SCHEDULER, StartPodium
from tests.cluster.real.server import Json
from tests.cluster.real.world import World, pod, until
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
CONFIG = DEPLOY / "scheduler-configuration.yaml"
PLURALS = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}


def documents(name: str) -> list[Json]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


@pytest.fixture
def rights(world: World) -> Iterator[World]:
    """A cluster in which the account of the manifests has what they give it."""
    plane, paths = world.plane, []
    if plane.client.get("/api/v1/namespaces/podium-system").status_code == 404:
        plane.ask("POST", "/api/v1/namespaces", documents("namespace.yaml")[0])
    for obj in documents("rbac.yaml"):
        namespace = obj["metadata"].get("namespace")
        place = f"/namespaces/{namespace}" if namespace else ""
        path = f"/apis/rbac.authorization.k8s.io/v1{place}/{PLURALS[obj['kind']]}"
        plane.ask("POST", path, obj)
        paths.append(f"{path}/{obj['metadata']['name']}")
    yield world
    for path in paths:
        plane.ask("DELETE", path)


def test_it_schedules_preempts_and_leads_with_the_rights_of_the_manifests(
    rights: World, podium: StartPodium
) -> None:
    rights.priority("high", 1000)
    rights.node("a", cpu="2")
    scheduler = podium("--config", str(CONFIG), kubeconfig=rights.plane.kubeconfig(SCHEDULER))
    rights.create(pod("low-1", cpu="2", schedulerName="podium"))
    rights.wait_bound("low-1")
    rights.create(pod("vip-1", cpu="2", priorityClassName="high", schedulerName="podium"))
    assert rights.wait_bound("vip-1") == {"vip-1": "a"}
    assert rights.places() == {"vip-1": "a"}
    until(lambda: rights.events("Scheduled"))
    assert until(lambda: rights.events("Preempted"))
    assert scheduler.said("became the leader")
    assert scheduler.end() == 0
    assert not [line for line in scheduler.lines() if line["level"] in ("warning", "error")]


def test_what_it_may_not_read_is_told_once_and_waited_for(
    rights: World, podium: StartPodium
) -> None:
    role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/podium-scheduler"
    rules = rights.plane.ask("GET", role)["rules"]
    fewer = [rule for rule in rules if rule["apiGroups"] != ["policy"]]
    rights.plane.merge(role, {"rules": fewer})
    rights.node("a")
    scheduler = podium("--config", str(CONFIG), kubeconfig=rights.plane.kubeconfig(SCHEDULER))
    told = scheduler.wait_for("may not list and watch a kind")
    assert told["kind"] == "PodDisruptionBudget"
    assert 'cannot list resource "poddisruptionbudgets"' in told["error"]
    until(lambda: scheduler.metric("podium_list_failures_total") >= 2)
    ready = scheduler.get("/readyz")
    assert ready.status_code == 500
    assert "[-]informer-sync failed: may not list and watch PodDisruptionBudget" in ready.text
    rights.create(pod("early-1", schedulerName="podium"))
    rights.plane.merge(role, {"rules": rules})
    rights.wait_bound("early-1")
    assert len(scheduler.said("may not list and watch a kind")) == 1
    assert scheduler.get("/readyz").text == "ok"


def test_the_image_is_built_of_all_that_the_package_is_made_of() -> None:
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    copied = {name for line in lines if line.startswith("COPY") for name in line.split()[1:-1]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    made_of = {"pyproject.toml", project["project"]["readme"], *wheel.get("packages", ["podium"])}
    assert made_of | set(wheel["force-include"]) <= copied


def test_manifests_fit_together() -> None:
    kustomization = documents("kustomization.yaml")[0]
    (deployment,) = documents("deployment.yaml")
    (account,) = documents("service-account.yaml")
    spec = deployment["spec"]["template"]["spec"]
    assert spec["serviceAccountName"] == account["metadata"]["name"]
    assert all((DEPLOY / name).exists() for name in kustomization["resources"])
    (generated,) = kustomization["configMapGenerator"]
    assert generated["files"] == [f"config.yaml={CONFIG.name}"]
    (configured,) = [one for one in spec["volumes"] if one["name"] == "config"]
    assert configured["configMap"]["name"] == generated["name"]
