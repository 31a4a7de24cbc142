"""What a node's agent may ask for and write, and what it may not."""

from typing import Any

import pytest

from podium.apiserver.authentication.users import ADMIN, node_user
from tests.apiserver.requests.client import MERGE, PODS, Client

NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
SECRETS = "/api/v1/namespaces/default/secrets"
MINE, OTHERS = "worker-1", "worker-2"


def node(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def lease(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-node-lease"},
        "spec": {"holderIdentity": name},
    }


def secret(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}


@pytest.fixture
def client() -> Client:
    """A client that is worker-1, where there are a node and a pod of its own, and another's."""
    client = Client()
    for name in (MINE, OTHERS):
        assert client.ask("POST", NODES, node(name)).code == 201
        environment = [{"secretRef": {"name": f"of-{name}"}}]
        containers = [{"name": "c", "image": "i", "envFrom": environment}]
        client.create_pod(f"on-{name}", spec={"nodeName": name, "containers": containers})
        assert client.ask("POST", SECRETS, secret(f"of-{name}")).code == 201
    client.user = node_user(MINE)
    return client


@pytest.mark.parametrize(
    "path",
    [
        f"{NODES}/{MINE}",
        f"{NODES}?fieldSelector=metadata.name={MINE}",
        f"{NODES}?watch=1&fieldSelector=metadata.name={MINE}",
        f"/api/v1/pods?fieldSelector=spec.nodeName={MINE}",
        f"/api/v1/pods?watch=1&fieldSelector=spec.nodeName={MINE}",
        f"{PODS}/on-{MINE}",
        f"{SECRETS}/of-{MINE}",
        "/api/v1/services",
    ],
)
def test_a_node_reads_what_it_needs(client: Client, path: str) -> None:
    assert client.ask("GET", path).code == 200


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (f"{NODES}/{OTHERS}", f"node '{MINE}' cannot read '{OTHERS}', only its own Node object"),
        (NODES, f"node '{MINE}' cannot read all nodes, only its own Node object"),
        ("/api/v1/pods", "can only list/watch pods with spec.nodeName field selector"),
        (
            f"/api/v1/pods?fieldSelector=spec.nodeName={OTHERS}",
            "can only list/watch pods with spec.nodeName field selector",
        ),
        (
            f"{PODS}/on-{OTHERS}",
            f"no relationship found between node '{MINE}' and this object",
        ),
        (f"{SECRETS}/of-{OTHERS}", f"no relationship found between node '{MINE}' and this object"),
        (SECRETS, "No Object name found"),
        ("/api/v1/secrets", "can only read namespaced object of this type"),
    ],
)
def test_a_node_reads_nothing_else(client: Client, path: str, why: str) -> None:
    response = client.ask("GET", path)
    assert response.code == 403
    assert response.body["message"].endswith(f": {why}")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", f"{NODES}/{MINE}"),
        ("DELETE", PODS),
        ("POST", f"{PODS}/on-{MINE}/binding"),
        ("GET", "/apis/apps/v1/deployments"),
        ("DELETE", f"{SECRETS}/of-{MINE}"),
        ("POST", "/api/v1/namespaces"),
        ("GET", "/metrics-of-mine"),
        ("PATCH", f"{PODS}/on-{MINE}"),
        ("POST", PODS),
    ],
)
def test_a_node_does_nothing_else(client: Client, method: str, path: str) -> None:
    assert client.ask(method, path, {}).code == 403


def test_a_node_registers_itself_and_nobody_else() -> None:
    client = Client()
    client.user = node_user(MINE)
    assert client.ask("POST", NODES, node(MINE)).code == 201
    response = client.ask("POST", NODES, node(OTHERS))
    why = f'node "{MINE}" is not allowed to modify node "{OTHERS}"'
    assert response.body["message"] == f'nodes "{OTHERS}" is forbidden: {why}'


ALLOWED = [
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "node.kubernetes.io/kind",
    "team.node.kubernetes.io/kind",
    "example.com/kind",
    "kind",
    "mykubernetes.io/kind",
]
RESTRICTED = [
    "node-restriction.kubernetes.io/kind",
    "team.node-restriction.kubernetes.io/kind",
    "node-role.kubernetes.io/control-plane",
    "kubernetes.io/kind",
    "x.k8s.io/kind",
]


@pytest.mark.parametrize("label", [*ALLOWED, *RESTRICTED])
def test_labels_of_the_own_node(client: Client, label: str) -> None:
    patch = {"metadata": {"labels": {label: "x"}}}
    changed = client.ask("PATCH", f"{NODES}/{MINE}", patch, content_type=MERGE)
    through_status = client.ask("PATCH", f"{NODES}/{MINE}/status", patch, content_type=MERGE)
    fresh = Client()
    fresh.user = node_user(MINE)
    created = fresh.ask("POST", NODES, node(MINE, **{label: "x"}))
    if label in ALLOWED:
        assert [changed.code, through_status.code, created.code] == [200, 200, 201]
        return
    assert [changed.code, through_status.code, created.code] == [403] * 3
    forbidden = f'nodes "{MINE}" is forbidden:'
    assert changed.body["message"] == f"{forbidden} is not allowed to modify labels: {label}"
    why = f'node "{MINE}" is not allowed to set the following labels: {label}'
    assert created.body["message"] == f"{forbidden} {why}"


def test_a_restricted_label_cannot_be_taken_away_either(client: Client) -> None:
    client.user = ADMIN
    label = {RESTRICTED[0]: "x"}
    patch = {"metadata": {"labels": label}}
    assert client.ask("PATCH", f"{NODES}/{MINE}", patch, content_type=MERGE).code == 200
    client.user = node_user(MINE)
    patch = {"metadata": {"labels": dict.fromkeys(label)}}
    assert client.ask("PATCH", f"{NODES}/{MINE}", patch, content_type=MERGE).code == 403


def test_a_node_leaves_its_taints_alone(client: Client) -> None:
    patch = {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}
    response = client.ask("PATCH", f"{NODES}/{MINE}", patch, content_type=MERGE)
    assert response.code == 403
    assert "is not allowed to modify taints" in response.body["message"]


def test_a_node_leaves_its_owners_and_its_source_of_configuration_alone(client: Client) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "gone"}
    source = {"configMap": {"name": "c", "namespace": "n", "kubeletConfigKey": "k"}}
    for path in (f"{NODES}/{MINE}", f"{NODES}/{MINE}/status"):
        change = {"metadata": {"ownerReferences": [owner]}}
        refused = client.ask("PATCH", path, change, content_type=MERGE)
        assert refused.code == 403, refused.body
        assert refused.body["message"].endswith("is not allowed to modify ownerReferences")
    change = {"spec": {"configSource": source}}
    refused = client.ask("PATCH", f"{NODES}/{MINE}", change, content_type=MERGE)
    assert refused.body["message"].endswith("update configSource to a new non-nil configSource")
    client.user = node_user("new")
    made = client.ask("POST", NODES, {**node("new"), **change})
    assert (made.code, made.body["message"].endswith("non-nil configSource")) == (403, True)


def test_a_node_generates_no_name_of_a_lease(client: Client) -> None:
    generated = {**lease(""), "metadata": {"generateName": MINE, "namespace": "kube-node-lease"}}
    assert client.ask("POST", LEASES, generated).code == 403


@pytest.mark.parametrize(("name", "code"), [(MINE, 200), (OTHERS, 403)])
def test_a_node_tells_of_itself_and_its_pods(client: Client, name: str, code: int) -> None:
    patch = {"status": {"phase": "Running"}}
    told = client.ask("PATCH", f"{PODS}/on-{name}/status", patch, content_type=MERGE)
    patch = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    ready = client.ask("PATCH", f"{NODES}/{name}/status", patch, content_type=MERGE)
    assert (told.code, ready.code) == (code, code)


def test_a_node_labels_no_pods(client: Client) -> None:
    patch = {"metadata": {"labels": {"a": "b"}}}
    response = client.ask("PATCH", f"{PODS}/on-{MINE}/status", patch, content_type=MERGE)
    assert response.code == 403


@pytest.mark.parametrize(("name", "codes"), [(MINE, [201, 200]), (OTHERS, [403, 403])])
def test_a_node_removes_its_own_pods(client: Client, name: str, codes: list[int]) -> None:
    eviction = {"metadata": {"name": f"on-{name}"}}
    evicted = client.ask("POST", f"{PODS}/on-{name}/eviction", eviction)
    deleted = client.ask("DELETE", f"{PODS}/on-{name}")
    assert [evicted.code, deleted.code] == codes


def test_a_node_renews_its_own_lease(client: Client) -> None:
    assert client.ask("POST", LEASES, lease(MINE)).code == 201
    assert client.ask("GET", f"{LEASES}/{MINE}").code == 200
    renewal = {"spec": {"leaseDurationSeconds": 40}}
    assert client.ask("PATCH", f"{LEASES}/{MINE}", renewal, content_type=MERGE).code == 200
    assert client.ask("POST", LEASES, lease(OTHERS)).code == 403
    assert client.ask("GET", f"{LEASES}/{OTHERS}").code == 403
    assert client.ask("GET", LEASES).code == 403
    elsewhere = LEASES.replace("kube-node-lease", "default")
    assert client.ask("GET", f"{elsewhere}/{MINE}").code == 403


def test_a_node_records_events(client: Client) -> None:
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": f"on-{MINE}"},
    }
    path = "/api/v1/namespaces/default/events"
    assert client.ask("POST", path, event).code == 201
    assert client.ask("PATCH", f"{path}/e", {"count": 2}, content_type=MERGE).code == 200
    assert client.ask("DELETE", f"{path}/e").code == 403
