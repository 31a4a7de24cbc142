"""Controllers that sleep until something concerns them."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import condition_status
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import PatchRequest
from podium.cluster.virtual import CONTROLLERS, Cluster
from podium.cluster.virtual.lazy_controllers import STARTED_BY
from podium.controllers.disruption import STALE_CONDITION_S
from tests.cluster.virtual.test_cluster import pods_of, started
from tests.objects import namespace, node, pod, workload


def test_only_known_controllers_and_kinds_are_named() -> None:
    assert STARTED_BY.keys() <= CONTROLLERS.keys()
    assert {kind for rousing in STARTED_BY.values() for kind in rousing} <= KINDS.keys()


def test_a_controller_starts_with_the_first_object_that_concerns_it() -> None:
    cluster = started(node("n0"), pod("a"))
    assert "replicaset-controller" not in cluster.controllers
    assert "node-lifecycle-controller" in cluster.controllers
    made = workload("ReplicaSet", "web", replicas=2)
    cluster.server.create(
        Attributes(KINDS["ReplicaSet"], "default", "", cluster.driver.now_s), made
    )
    cluster.driver.advance(0)
    assert "replicaset-controller" in cluster.controllers
    assert len(pods_of(cluster)) == 3


def test_a_controller_that_is_needed_at_the_start_does_not_sleep() -> None:
    cluster = Cluster()
    tainted = node("n0", taints=[{"key": "gone", "effect": "NoExecute"}])
    cluster.load([tainted, pod("a", nodeName="n0")])
    cluster.start()
    assert "taint-eviction-controller" in cluster.controllers
    cluster.driver.advance(60)
    assert pods_of(cluster) == []


def test_what_does_not_concern_a_controller_does_not_wake_it() -> None:
    cluster = started(node("n0"))
    now_s = cluster.driver.now_s
    cluster.server.create(Attributes(KINDS["Namespace"], "", "", now_s), namespace("x"))
    cluster.driver.advance(0)
    assert "namespace-controller" not in cluster.controllers
    cluster.server.delete(Attributes(KINDS["Namespace"], "", "x", now_s))
    cluster.driver.advance(10)
    assert "namespace-controller" in cluster.controllers
    assert cluster.store.get("Namespace", "", "x") is None


def test_who_takes_back_that_a_pod_is_to_go_starts_when_it_has_said_so_for_too_long() -> None:
    cluster = started(node("n0"), pod("stays", on="n0"), pod("goes", on="n0"))
    started_s = cluster.driver.now_s
    target = {"type": "DisruptionTarget", "status": "True"}
    condition = {**target, "lastTransitionTime": timestamp(started_s)}
    for name in ("stays", "goes"):
        about = Attributes(KINDS["Pod"], "default", name, started_s, "status")
        body = {"status": {"conditions": [condition]}}
        cluster.server.patch(about, PatchRequest("application/strategic-merge-patch+json", body))
    cluster.server.delete(Attributes(KINDS["Pod"], "default", "goes", started_s))
    cluster.driver.run_until(started_s + STALE_CONDITION_S - 1)
    assert "disruption-controller" not in cluster.controllers
    cluster.driver.run_until(started_s + STALE_CONDITION_S)
    assert "disruption-controller" in cluster.controllers
    stays = cluster.store.get("Pod", "default", "stays")
    assert stays is not None
    assert condition_status(stays, "DisruptionTarget") == "False"
