"""The metrics API of an embedded cluster: what its simulated nodes and their pods use."""

from collections.abc import Iterator
from contextlib import closing

import pytest

import podium
from tests.cluster.embedded.client import Client
from tests.objects import container, pod

METRICS = "/apis/metrics.k8s.io/v1beta1"
PODS = f"{METRICS}/namespaces/default/pods"
USAGE = {"podium.dev/usage-memory": "0s=100Mi,100s=300Mi"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[podium.Cluster]:
    hungry, idle = pod("hungry", annotations=USAGE), pod("idle")
    hungry["spec"]["containers"] = [container("250m", name="c0"), container("1", name="c1")]
    idle["spec"]["containers"] = [{"name": "c", "image": "i"}]
    with podium.Cluster(nodes=1) as running:
        running.apply(hungry, pod("plain", "100m"), idle, pod("waiting", "100"))
        # It takes two seconds to start.
        running.advance(102)
        yield running


@pytest.fixture
def client(cluster: podium.Cluster) -> Iterator[Client]:
    with closing(Client(cluster.kubeconfig)) as one:
        yield one


def test_containers_use_the_cpu_they_request_and_the_memory_that_is_scripted(
    client: Client,
) -> None:
    code, hungry = client.ask("GET", f"{PODS}/hungry")
    labels = hungry["metadata"]["labels"]
    assert (code, hungry["kind"], labels) == (200, "PodMetrics", {"app": "hungry"})
    assert hungry["containers"] == [
        {"name": "c0", "usage": {"cpu": "250m", "memory": "150Mi"}},
        {"name": "c1", "usage": {"cpu": "1", "memory": "150Mi"}},
    ]
    _, plain = client.ask("GET", f"{PODS}/plain")
    assert plain["containers"] == [{"name": "c", "usage": {"cpu": "100m", "memory": "0"}}]
    _, idle = client.ask("GET", f"{PODS}/idle")
    assert idle["containers"] == [{"name": "c", "usage": {"cpu": "0", "memory": "0"}}]


def test_a_node_uses_what_its_pods_use(client: Client) -> None:
    code, found = client.ask("GET", f"{METRICS}/nodes")
    assert (code, found["kind"]) == (200, "NodeMetricsList")
    (node,) = found["items"]
    usage = {"cpu": "1350m", "memory": "300Mi"}
    assert (node["metadata"]["name"], node["usage"]) == ("podium-1", usage)


def test_tables_add_containers_up(client: Client) -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    _, found = client.ask("GET", PODS, accept=table)
    columns = ["Name", "cpu", "memory", "Window"]
    assert [one["name"] for one in found["columnDefinitions"]] == columns
    assert found["rows"][0]["cells"] == ["hungry", "1250m", "300Mi", "30s"]
    _, found = client.ask("GET", f"{METRICS}/nodes", accept=table)
    assert [row["cells"][0] for row in found["rows"]] == ["podium-1"]


def test_lists_have_what_runs_and_is_selected(client: Client) -> None:
    def names(path: str) -> list[str]:
        return [one["metadata"]["name"] for one in client.ask("GET", path)[1]["items"]]

    assert names(f"{METRICS}/pods") == ["hungry", "idle", "plain"]
    assert names(f"{PODS}?labelSelector=app%3Dplain") == ["plain"]
    assert names(f"{PODS}?fieldSelector=metadata.name%3Dhungry") == ["hungry"]
    assert names(f"{METRICS}/namespaces/kube-system/pods") == []


def test_there_are_none_of_what_does_not_run(client: Client) -> None:
    for name in ("waiting", "nobody"):
        code, said = client.ask("GET", f"{PODS}/{name}")
        assert (code, said["reason"]) == (404, "NotFound")


def test_nobody_writes_or_watches_them(client: Client) -> None:
    assert client.ask("DELETE", f"{PODS}/plain")[0] == 405
    assert client.ask("POST", PODS, {})[0] == 405
    assert client.ask("GET", f"{PODS}?watch=true")[0] == 405
    assert client.ask("GET", f"{METRICS}/watch/pods")[0] == 405


def test_they_are_announced(client: Client) -> None:
    _, found = client.ask("GET", METRICS)
    verbs = ["get", "list"]
    assert [(one["name"], one["verbs"]) for one in found["resources"]] == [
        ("nodes", verbs),
        ("pods", verbs),
    ]
