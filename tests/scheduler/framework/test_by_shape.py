"""What plugins say of a shape of pods holds for all classes of that shape."""

from typing import Any

import pytest

from podium.scheduler.framework.interface import PASSES, PreFilterResult, Scope
from podium.scheduler.framework.interface import LocalScore as Score
from podium.scheduler.framework.pipeline import ByShape
from podium.scheduler.framework.status import SUCCESS, Status, unresolvable
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import node, pod


class Shaped:
    """A plugin that goes by the shape of pods without host ports, and counts who asks."""

    name = "Shaped"

    def __init__(self, state: Any) -> None:
        self.state = state
        self.asked = 0

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.host_ports

    def score(self, pod: PodInfo) -> Any:
        self.asked += 1
        return self.state

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        self.asked += 1
        return self.state or PASSES

    def pre_score(self, pod: PodInfo) -> Status:
        self.asked += 1
        return self.state or SUCCESS


class Constant(Score):
    scope = Scope.NODE
    constant = 7


def pending(snapshot: Snapshot, name: str, **spec: Any) -> PodInfo:
    return pending_pod(pod(name, **spec), snapshot.classes)


def test_a_shape_is_asked_about_once_until_nodes_change() -> None:
    snapshot, plugin = Snapshot(), Shaped(Constant())
    shapes = ByShape(snapshot)
    for name, cpu in (("web", "1"), ("db", "2"), ("db", "3")):
        [(ask, weight)] = shapes.scores([(plugin, 3)], pending(snapshot, name, cpu=cpu))
        assert (ask(pending(snapshot, name)), weight) == (plugin.state, 3)
    assert plugin.asked == 1
    shapes.scores([(plugin, 3)], pending(snapshot, "web", nodeSelector={"disk": "ssd"}))
    assert plugin.asked == 2
    snapshot.set_node(node("n1"))
    shapes.scores([(plugin, 3)], pending(snapshot, "web"))
    assert plugin.asked == 3


def test_a_plugin_with_nothing_to_say_of_a_shape_isn_t_asked_again() -> None:
    snapshot, silent, refusing = Snapshot(), Shaped(None), Shaped(None)
    refusing.state = PreFilterResult(unresolvable("no"))
    shapes, web = ByShape(snapshot), pending(snapshot, "web")
    assert shapes.scores([(silent, 1)], web) == []
    assert shapes.pre_filters([silent, refusing], web) == [refusing]


def test_only_success_for_a_shape_spares_classes_the_question_before_scoring() -> None:
    snapshot, ready, failing = Snapshot(), Shaped(None), Shaped(unresolvable("no"))
    shapes = ByShape(snapshot)
    assert shapes.pre_scores([ready, failing], pending(snapshot, "web")) == [failing]
    ports = [{"name": "c", "ports": [{"hostPort": 80}]}]
    with_port = pending(snapshot, "db", containers=ports)
    assert shapes.pre_scores([ready, failing], with_port) == [ready, failing]
    assert (ready.asked, failing.asked) == (1, 1)


def test_others_are_asked_about_each_class() -> None:
    snapshot, plugin = Snapshot(), Shaped(Constant())
    shapes = ByShape(snapshot)
    ports = [{"name": "c", "ports": [{"hostPort": 80}]}]
    for name in ("web", "db"):
        one = pending(snapshot, name, containers=ports)
        [(ask, _)] = shapes.scores([(plugin, 1)], one)
        assert ask(one) is plugin.state
    assert plugin.asked == 2


@pytest.mark.parametrize(
    "spec",
    [
        {"tolerations": [{"operator": "Exists"}]},
        {"nodeSelector": {"disk": "ssd"}},
        {"affinity": {"nodeAffinity": {"preferred": []}}},
        {"hostNetwork": True},
        {"hostUsers": False},
        {"resourceClaims": [{"name": "gpu"}]},
        {"volumes": [{"persistentVolumeClaim": {"claimName": "data"}}]},
        {"containers": [{"name": "c", "image": "other"}]},
        {"containers": [{"name": "c", "image": "i", "ports": [{"hostPort": 80}]}]},
        {"initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always"}]},
    ],
    ids=lambda spec: ",".join(spec),
)
def test_what_such_plugins_read_makes_a_shape(spec: dict[str, Any]) -> None:
    snapshot = Snapshot()
    plain, other = pending(snapshot, "web"), pending(snapshot, "web", **spec)
    assert plain.cls.shape_key != other.cls.shape_key


def test_requests_labels_owners_and_other_pods_make_none() -> None:
    snapshot = Snapshot()
    other = pod("db-1", "3", affinity={"podAffinity": {}}, topologySpreadConstraints=[{}])
    other["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "j", "controller": True}]
    web, db = pending(snapshot, "web"), pending_pod(other, snapshot.classes)
    assert web.cls is not db.cls
    assert web.cls.shape_key == db.cls.shape_key


def test_who_goes_by_the_shape() -> None:
    assert {n for n, factory in plugin_factories().items() if hasattr(factory, "by_shape")} == {
        "DynamicResources",
        "ImageLocality",
        "NodeAffinity",
        "NodeDeclaredFeatures",
        "NodePorts",
        "NodeUnschedulable",
        "NodeVolumeLimits",
        "TaintToleration",
        "VolumeBinding",
        "VolumeRestrictions",
        "VolumeZone",
    }
