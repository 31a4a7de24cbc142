"""Addresses of nodes and pods, and what a node tells of them."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from tests.kubelet.builders import node, pod
from tests.kubelet.cluster import Cluster


def test_pods_get_ready_on_a_node_that_comes_back_with_another_address() -> None:
    cluster = Cluster(2)
    cluster.create(pod("p"), ready_after="30s")
    cluster.run_until(10)
    before = cluster.status("p")["hostIP"]
    cluster.server.delete(Attributes(KINDS["Node"], "", "n1", cluster.driver.now_s))
    cluster.run_until(11)
    cluster.create(node("n1"))
    assert cluster.story("p", 40)[-1] == (30, "Running ready")
    status = cluster.status("p")
    assert status["hostIP"] != before
    assert status["hostIPs"] == [{"ip": status["hostIP"]}]
