"""`podium.Cluster`: a cluster beside a test, over HTTP and without."""

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

import podium
from podium.api.errors import PodiumError, RefusedError
from podium.cluster.drivers.machine_health import MachineError
from podium.controllers.replica_set import ReplicaSetController
from tests.cluster.embedded.client import Client
from tests.objects import budget, node, pod, workload

PODS = "/api/v1/namespaces/default/pods"


def phases(cluster: podium.Cluster) -> dict[str, str]:
    return {one["metadata"]["name"]: one["status"]["phase"] for one in cluster.list("Pod")}


def test_what_takes_no_time_happens_and_the_rest_waits_for_the_clock() -> None:
    with podium.Cluster(nodes=1) as cluster:
        began_s = cluster.now_s
        cluster.apply(pod("a"))
        cluster.advance(0)
        assert cluster.get("Pod", "a")["spec"]["nodeName"] == "podium-1"
        assert phases(cluster) == {"a": "Pending"}
        cluster.advance(2)
        assert phases(cluster) == {"a": "Running"}
        cluster.delete("Pod", "a", grace_period_s=20)
        cluster.advance(19)
        assert phases(cluster) == {"a": "Running"}
        cluster.advance(2)
        assert phases(cluster) == {}
        assert cluster.now_s == began_s + 23


def test_clients_see_the_same_cluster_and_the_same_clock() -> None:
    with podium.Cluster(nodes=1) as cluster, closing(Client(cluster.kubeconfig)) as client:
        code, created = client.ask("POST", PODS, pod("a"))
        assert code == 201
        cluster.advance(90)
        code, table = client.ask("GET", PODS, accept="application/json;as=Table;v=v1;g=meta.k8s.io")
        assert [row["cells"][:5:2] for row in table["rows"]] == [["a", "Running", "90s"]]
        assert cluster.get("Pod", "a")["metadata"]["uid"] == created["metadata"]["uid"]


def test_evictions_respect_budgets() -> None:
    pods = [pod(name, app="web") for name in ("a", "b", "c")]
    with podium.Cluster(nodes=2, manifests=[budget("web", minAvailable=2), *pods]) as cluster:
        cluster.advance(5)
        with closing(Client(cluster.kubeconfig)) as client:
            answers = [client.ask("POST", *eviction(name))[0] for name in ("a", "b")]
        assert answers == [201, 429]


def eviction(name: str) -> tuple[str, Any]:
    metadata = {"name": name, "namespace": "default"}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
    return f"{PODS}/{name}/eviction", body


def test_a_state_with_nodes_gets_no_others() -> None:
    with podium.Cluster(manifests=[node("theirs")]) as cluster:
        assert [one["metadata"]["name"] for one in cluster.list("Node")] == ["theirs"]


def test_the_same_seed_gives_the_same_names() -> None:
    def names() -> set[str]:
        web = workload("ReplicaSet", "web", replicas=3)
        with podium.Cluster(nodes=1, manifests=[web]) as cluster:
            cluster.advance(1)
            return set(phases(cluster))

    assert names() == names()


def test_a_data_directory_outlives_it(tmp_path: Path) -> None:
    with podium.Cluster(data_dir=tmp_path) as cluster:
        cluster.apply(pod("a"))
        cluster.advance(2)
    with podium.Cluster(data_dir=tmp_path) as cluster:
        assert phases(cluster) == {"a": "Running"}


def test_a_clock_may_move_by_itself() -> None:
    with podium.Cluster(nodes=1, speed="max") as cluster:
        cluster.apply(pod("a"))
        cluster.advance(0)
        cluster.delete("Pod", "a")
        end_s = time.monotonic() + 10
        while phases(cluster):
            assert time.monotonic() < end_s
            time.sleep(0.1)


def test_refusals_and_misuse_are_told() -> None:
    with (
        podium.Cluster(nodes=1) as cluster,
        pytest.raises(RefusedError, match='pods "a" not found'),
    ):
        cluster.get("Pod", "a")
    with pytest.raises(PodiumError):
        cluster.get("Pod", "a")
    with pytest.raises(PodiumError):
        _ = podium.Cluster().url


def test_a_failure_of_the_cluster_comes_out() -> None:
    def fail_amid() -> None:
        with podium.Cluster(nodes=1) as cluster:
            driver = cluster._running().cluster.driver
            driver.at(driver.now_s + 1, lambda: 1 // 0)
            with pytest.raises(PodiumError):
                cluster.advance(2)

    with pytest.raises(ZeroDivisionError):
        fail_amid()


@pytest.fixture
def _stumbling(monkeypatch: pytest.MonkeyPatch) -> None:
    """A controller that has a bug."""

    def reconcile(self: object, key: object, now_s: float) -> Any:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(ReplicaSetController, "reconcile", reconcile)


@pytest.mark.usefixtures("_stumbling")
def test_a_test_is_told_of_a_machine_that_fails() -> None:
    def stumble() -> None:
        with podium.Cluster(nodes=1) as cluster:
            cluster.apply(workload("ReplicaSet", "web", replicas=1))
            failure = "machine replicaset-controller failed at"
            with pytest.raises(PodiumError, match=failure):
                cluster.advance(2)

    with pytest.raises(MachineError, match="replicaset-controller failed at default/web: Zero"):
        stumble()


@pytest.mark.usefixtures("_stumbling")
def test_a_cluster_that_lives_on_tells_of_a_machine_that_fails() -> None:
    with podium.Cluster(nodes=1, speed="10x", insecure_http=True) as cluster:
        url, sick = cluster.url, "[-]machine/replicaset-controller failed: ZeroDivisionError, tried"
        assert httpx.get(f"{url}/readyz").text == "ok"
        cluster.apply(
            workload("ReplicaSet", "web", replicas=1) | {"metadata": {"name": "web"}}, pod("a")
        )
        while phases(cluster) != {"a": "Running"}:
            time.sleep(0.05)
        while (answer := httpx.get(f"{url}/readyz")).is_success:
            time.sleep(0.05)
        assert answer.status_code == 500
        lines = answer.text.splitlines()
        assert "[+]machine/deployment-controller ok" not in lines
        assert {"[+]ping ok", "[+]machine/default-scheduler ok", "readyz check failed"} <= {*lines}
        assert [line[: len(sick)] for line in lines if line.startswith("[-]")] == [sick]
        assert httpx.get(f"{url}/livez").text == "ok"
        with closing(Client(cluster.kubeconfig)) as client:
            (line,) = [
                line
                for line in client.text("/metrics").splitlines()
                if line.startswith('podium_machine_panics_total{machine="replicaset-controller"}')
            ]
        assert float(line.split()[1]) >= 1


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys, podium, podium.ui.testing.pytest_plugin; "
        "print([name for name in sys.modules if name.startswith(('numpy', 'podium.'))])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    release, plugin = ["podium.api", "podium.api.release"], "podium.ui.testing.pytest_plugin"
    assert told.strip() == str([*release, "podium.ui", "podium.ui.testing", plugin])


def test_a_condition_that_never_holds_says_what_it_saw_and_why_pods_wait() -> None:
    with podium.Cluster(nodes=1) as cluster:
        cluster.apply(*(pod(f"large-{number}", "5") for number in range(6)))
        with pytest.raises(TimeoutError) as raised:
            cluster.wait_for(lambda: cluster.pods(label="app=web"), timeout_s=5)
        first, *pods, last = str(raised.value).splitlines()
        assert first == "the condition isn't true after 5 s: its last value is []"
        assert pods[0].startswith("pod default/large-0 isn't scheduled: 0/1 nodes are available: ")
        assert (len(pods), last) == (5, "and 1 more")
        with pytest.raises(TimeoutError, match='after 1 s: pods "web" not found'):
            cluster.wait_for(lambda: cluster.get("Pod", "web"), timeout_s=1)


def test_a_plan_may_have_another_configuration_than_the_cluster() -> None:
    written = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "mine"}],
    }
    with podium.Cluster(nodes=1) as cluster:
        (ignored,) = cluster.plan(pod("a"), scheduler_config=written).ignored
        assert ignored.pod == "default/a"
        assert not cluster.plan(pod("a")).ignored
