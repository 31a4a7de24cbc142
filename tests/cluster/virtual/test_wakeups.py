"""Which changes of a cluster have a rejected pod tried again, as seen of kube-scheduler v1.36.2."""

from collections.abc import Mapping
from typing import Any

import pytest

from podium.cluster.virtual import Cluster, ClusterOptions, SchedulerSetup
from podium.scheduler.config.load import load_configuration
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.plugin_registry import plugin_factories
from tests.objects import Obj, claim, near, node, pod, required, volume

DRIVER = "disks.example.com"
OF_TEAM_A = {"matchExpressions": [{"key": "team", "operator": "In", "values": ["a"]}]}


class Scene:
    """A cluster whose pods have been tried, and have come to wait."""

    def __init__(self, *objects: Obj, scheduler: SchedulerSetup | None = None) -> None:
        self.cluster = Cluster(ClusterOptions(schedulers=(scheduler or SchedulerSetup(),)))
        self.cluster.load(objects)
        self.cluster.start()
        self.cluster.driver.advance(20)

    @property
    def machine(self) -> SchedulerMachine:
        (handle,) = self.cluster.schedulers.values()
        assert isinstance(handle.machine, SchedulerMachine)
        return handle.machine

    def attempts(self) -> dict[str, int]:
        """How often each pod that still waits was tried."""
        return {one.pod.name: one.attempts for one in self.machine.queue}

    def change(self, kind: str, name: str, **fields: Any) -> None:
        """Change the fields of an object; dictionaries are merged with those that are there."""
        obj = self.cluster.store.get(kind, "", name)
        assert obj is not None
        self.cluster.store.update(kind, merged(obj, fields))
        self.cluster.driver.advance(20)

    def delete(self, kind: str, name: str) -> None:
        self.cluster.store.delete(kind, "", name)
        self.cluster.driver.advance(20)


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> Obj:
    found = {**old}
    for field, value in new.items():
        both = isinstance(value, Mapping) and isinstance(found.get(field), Mapping)
        found[field] = merged(found[field], value) if both else value
    return found


def with_claim(name: str, claim: str, on: str = "") -> Obj:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
    return pod(name, on=on, volumes=volumes)


def bound(name: str) -> list[Obj]:
    """A claim, and the volume that it is bound to."""
    made = claim(name, "disks", volumeName=name)
    made["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    return [made, volume(name, "disks", csi={"driver": DRIVER, "volumeHandle": name})]


def full_of_volumes() -> Scene:
    """The node takes one volume, and `b` waits with another one."""
    a, b = with_claim("a", "v1", on="n"), with_claim("b", "v2")
    head = {"apiVersion": "storage.k8s.io/v1"}
    driver = {**head, "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": {}}
    limited = {"name": DRIVER, "nodeID": "n", "allocatable": {"count": 1}}
    csi_node = {
        **head,
        "kind": "CSINode",
        "metadata": {"name": "n"},
        "spec": {"drivers": [limited]},
    }
    state = [node("n"), csi_node, driver, *bound("v1"), *bound("v2"), *bound("free")]
    return Scene(*state, a, b)


def test_any_change_of_a_taint_wakes_those_that_wait_for_nodes() -> None:
    waiting = {
        "fit": pod("fit", "64"),
        "node-affinity": pod("node-affinity", nodeSelector={"disk": "ssd"}),
        "pod-affinity": pod("pod-affinity", affinity=required("podAffinity", near("db"))),
        "volume-binding": with_claim("volume-binding", "unbound"),
    }
    scene = Scene(node("n"), claim("unbound", "disks"), *waiting.values())
    before = scene.attempts()
    assert before.keys() == waiting.keys()
    scene.change("Node", "n", spec={"taints": [{"key": "k", "effect": "PreferNoSchedule"}]})
    after = scene.attempts()
    assert [name for name in waiting if after[name] == before[name]] == []


def test_added_affinity_that_begins_to_match_wakes_nobody() -> None:
    ssd = {"disk": "ssd"}
    state = [node("n", labels=ssd), pod("p", nodeSelector=ssd)]
    terms = {"nodeSelectorTerms": [OF_TEAM_A]}
    args = {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "NodeAffinity", "args": args}]}],
    }
    loaded = load_configuration([document], plugin_factories())
    scene = Scene(*state, scheduler=SchedulerSetup(configuration=loaded.configuration))
    before = scene.attempts()
    scene.change("Node", "n", metadata={"labels": {"team": "a"}})
    assert scene.attempts() == before == {"p": 1}
    (missed,) = scene.machine.missed_wakeups()
    assert (missed.pod.name, missed.node_name) == ("p", "n")


@pytest.mark.parametrize(
    ("kind", "name"), [("CSIDriver", DRIVER), ("PersistentVolume", "free"), ("CSINode", "n")]
)
def test_deletions_of_storage_objects_wake_nobody(kind: str, name: str) -> None:
    scene = full_of_volumes()
    before = scene.attempts()
    scene.delete(kind, name)
    assert scene.attempts() == before
