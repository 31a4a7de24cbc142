"""Containers for debugging, in pods on simulated nodes: they run beside the others."""

from typing import Any

from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from tests.kubelet.builders import pod
from tests.kubelet.cluster import Cluster


def debug(cluster: Cluster, name: str, *containers: str) -> None:
    spec = {"ephemeralContainers": [{"name": one, "image": "busybox"} for one in containers]}
    cluster.patch("Pod", name, {"spec": spec}, "ephemeralcontainers")


def states(cluster: Cluster, name: str) -> dict[str, Any]:
    found = cluster.status(name).get("ephemeralContainerStatuses") or ()
    return {one["name"]: one["state"] for one in found}


def test_they_start_when_they_are_added_and_change_nothing_else() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    cluster.run_until(5)
    assert states(cluster, "p") == {}
    debug(cluster, "p", "first")
    cluster.run_until(10)
    assert states(cluster, "p") == {"first": {"running": {"startedAt": "2026-01-01T00:00:05Z"}}}
    debug(cluster, "p", "first", "second")
    cluster.run_until(3600)
    assert [*states(cluster, "p")] == ["first", "second"]
    assert cluster.gist("p") == "Running ready"
    (container,) = cluster.status("p")["containerStatuses"]
    assert container["state"] == {"running": {"startedAt": "2026-01-01T00:00:00Z"}}


def test_they_end_with_the_pod_and_are_not_restarted() -> None:
    cluster = Cluster()
    cluster.create(pod("p", restartPolicy="Never"), run_duration="10s")
    cluster.run_until(1)
    debug(cluster, "p", "first")
    cluster.run_until(60)
    assert cluster.gist("p") == "Succeeded"
    assert [*states(cluster, "p")["first"]] == ["terminated"]


def test_they_start_in_a_pod_whose_init_containers_have_not_ended() -> None:
    cluster = Cluster()
    init = [{"name": "init", "image": "i"}]
    cluster.create(pod("p", initContainers=init), init_duration="1h")
    cluster.run_until(1)
    debug(cluster, "p", "first")
    cluster.run_until(2)
    assert [*states(cluster, "p")["first"]] == ["running"]
    assert cluster.gist("p") == "Pending"


def test_they_go_on_when_the_kubelet_starts_anew() -> None:
    cluster = Cluster()
    cluster.create(pod("p"))
    cluster.run_until(5)
    debug(cluster, "p", "first")
    cluster.run_until(10)
    before = states(cluster, "p")
    cluster.driver.crash(cluster.kubelets)
    cluster.driver.restart(cluster.kubelets, SimulatedKubelets(cluster.settings))
    cluster.run_until(20)
    debug(cluster, "p", "first", "second")
    cluster.run_until(30)
    assert states(cluster, "p") == {
        **before,
        "second": {"running": {"startedAt": "2026-01-01T00:00:20Z"}},
    }
