"""What is kept by class of pods survives a cycle that ends in an error."""

from collections.abc import Mapping
from typing import Any

import pytest

from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND
from podium.scheduler.config.load import load_configuration
from podium.scheduler.framework.third_party_plugins import ArrayPlugin, Nodes, adapted
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.objects import Obj, node, pod, storage_class, volume


def claim(**spec: Any) -> Mapping[str, Any]:
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default", "uid": "u"},
        "spec": {"storageClassName": "local", "accessModes": ["ReadWriteOnce"], **spec},
        "status": {"phase": "Pending"},
    }


VOLUMES = [
    storage_class("local", provisioner="kubernetes.io/no-provisioner", waits=True),
    {**volume("disk", "local"), "status": {"phase": "Available"}},
]


def test_an_error_lasts_for_as_long_as_its_cause() -> None:
    scheduler = Scheduler()
    scheduler.load([node("n1")], [], [*VOLUMES, claim()])
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    waiting = scheduler.pending(pod("p", volumes=[volume]))
    assert scheduler.decide(waiting).node_name == "n1"
    scheduler.listers.set(claim(selector={"matchExpressions": [{"key": "a", "operator": "Odd"}]}))
    for _ in range(2):
        decision = scheduler.decide(waiting)
        assert decision.node_name == ""
        assert '"Odd" is not a valid label selector operator' in decision.error
    scheduler.listers.set(claim(selector={}))
    assert scheduler.decide(waiting).node_name == "n1"


class Moody(ArrayPlugin):
    """Fails for one pod of a class, and likes the second node for others."""

    name = "Moody"

    def score_nodes(self, pod: PodInfo, nodes: Nodes) -> list[int]:
        if pod.name == "web-bad":
            return []
        return [int(name == "n2") for name in nodes.names]


@pytest.fixture
def moody(monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    factories = {**plugin_factories(), "Moody": adapted(Moody)}
    monkeypatch.setattr("podium.scheduler.scheduler.plugin_factories", lambda: factories)
    plugins = {"multiPoint": {"enabled": [{"name": "Moody", "weight": 50}]}}
    document: Obj = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [{"plugins": plugins}]}
    return Scheduler(load_configuration([document], factories.keys()).configuration)


def test_an_error_of_one_pod_is_no_other_pods(moody: Scheduler) -> None:
    """Not even if scores were to be made for the first time just then."""
    full = [pod(f"full-{name}", on=name, priority=9) for name in ("n1", "n2")]
    moody.load([node("n1", cpu="1"), node("n2", cpu="1")], full)
    assert moody.decide(moody.pending(pod("web-first"))).node_name == ""
    for pods in moody.snapshot.pods_on:
        for leaving in list(pods):
            moody.snapshot.remove_pod(leaving)
    assert moody.decide(moody.pending(pod("web-bad"))).error != ""
    assert moody.decide(moody.pending(pod("web-good"))).node_name == "n2"
