"""kubectl's commands, one after the other: each works, or fails as it should."""

import json
from pathlib import Path

import pytest

from tests.apiserver.http.running import eventually
from tests.kubectl.conftest import Kubectl


@pytest.fixture
def running(kubectl: Kubectl, namespace: str) -> str:
    """A namespace with a pod `p` that runs, and a deployment `web` of two."""
    kubectl("run", "p", "-n", namespace, "--image=i", "--labels=app=p")
    kubectl("create", "deployment", "web", "-n", namespace, "--image=i", "--replicas=2")
    kubectl("wait", "-n", namespace, "--for=condition=Ready", "pod/p", "--timeout=120s")
    kubectl("rollout", "status", "-n", namespace, "deploy/web", "--timeout=120s")
    return namespace


def test_looking_at_things(kubectl: Kubectl, running: str) -> None:
    there = ("-n", running)
    row = kubectl("get", "pod/p", *there, "--no-headers").split()
    assert row[:4] == ["p", "1/1", "Running", "0"]
    assert "NOMINATED NODE" in kubectl("get", "pods", *there, "-o", "wide")
    described = kubectl("describe", "pod/p", *there)
    assert "Successfully assigned" in described
    assert "deployment.apps/web" in kubectl("get", "all", *there)
    assert "Scheduled" in kubectl("get", "events", *there)
    assert "Scheduled" in kubectl("events", "--for=pod/p", *there)
    assert "Allocated resources" in kubectl("describe", "nodes")
    assert "pod p is simulated" in kubectl("logs", "p", *there)
    assert "pod p is simulated" in kubectl("logs", "-f", "-l", "app=p", *there)


def test_changing_things(kubectl: Kubectl, running: str) -> None:
    there = ("-n", running)
    kubectl("label", "pod/p", "tier=front", *there)
    kubectl("annotate", "pod/p", "note=x", *there)
    kubectl("patch", "pod/p", *there, "-p", '{"metadata":{"labels":{"more":"yes"}}}')
    removal = json.dumps([{"op": "remove", "path": "/metadata/labels/tier"}])
    kubectl("patch", "pod/p", *there, "--type=json", "-p", removal)
    labels = kubectl("get", "pod/p", *there, "-o", "jsonpath={.metadata.labels}")
    assert json.loads(labels) == {"app": "p", "more": "yes"}
    kubectl("expose", "deploy/web", "--port=80", *there)
    assert kubectl("get", "svc/web", *there, "-o", "jsonpath={.spec.ports[0].port}") == "80"


def test_an_edit(kubectl: Kubectl, running: str) -> None:
    editor = r"sed -i s/replicas:.2/replicas:\ 1/"
    edited = kubectl.try_to("edit", "deploy/web", "-n", running, editor=editor)
    assert "deployment.apps/web edited" in edited.stdout, edited.stderr
    replicas = kubectl("get", "deploy/web", "-n", running, "-o", "jsonpath={.spec.replicas}")
    assert replicas == "1"


def test_rollouts(kubectl: Kubectl, running: str) -> None:
    there = ("-n", running)
    kubectl("set", "image", "deploy/web", "*=j", *there)
    kubectl("rollout", "status", "deploy/web", *there, "--timeout=120s")
    kubectl("rollout", "restart", "deploy/web", *there)
    history = kubectl("rollout", "history", "deploy/web", *there)
    assert [line.split()[0] for line in history.splitlines()[2:5]] == ["1", "2", "3"]
    kubectl("rollout", "undo", "deploy/web", "--to-revision=1", *there)
    kubectl("rollout", "status", "deploy/web", *there, "--timeout=120s")
    image = "jsonpath={.spec.template.spec.containers[0].image}"
    assert kubectl("get", "deploy/web", *there, "-o", image) == "i"
    kubectl("scale", "deploy/web", "--replicas=3", *there)
    kubectl("wait", "deploy/web", "--for=jsonpath={.status.readyReplicas}=3", *there)
    only_of_nine = ("deploy/web", "--replicas=1", "--current-replicas=9", *there)
    assert "Expected replicas to be 9, was 3" in kubectl.fails_to("scale", *only_of_nine)


def test_deleting_things(kubectl: Kubectl, running: str) -> None:
    there = ("-n", running)
    kubectl("delete", "pod/p", *there, "--now")
    kubectl("delete", "deploy", "--all", *there)
    kubectl("delete", "pods", "--all", *there, "--grace-period=1", "--wait=false")
    kubectl("wait", "pods", "--all", "--for=delete", *there, "--timeout=120s")
    assert "NotFound" in kubectl.fails_to("get", "pod/p", *there)
    kubectl("delete", "namespace", running, "--timeout=120s")


def test_files(kubectl: Kubectl, namespace: str, tmp_path: Path) -> None:
    there = ("-n", namespace)
    manifest = tmp_path / "c.yaml"
    manifest.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n")
    (tmp_path / "kustomization.yaml").write_text("{resources: [c.yaml], namePrefix: my-}")
    assert "configmap/my-c created" in kubectl("apply", *there, "-k", str(tmp_path))
    kubectl("create", *there, "-f", str(manifest))
    assert "AlreadyExists" in kubectl.fails_to("create", *there, "-f", str(manifest))
    manifest.write_text(manifest.read_text().replace("a: b", "a: d"))
    differences = kubectl.try_to("diff", *there, "-f", str(manifest))
    assert differences.returncode == 1, differences.stderr
    assert "+  a: d" in differences.stdout
    kubectl("replace", *there, "-f", str(manifest))
    assert kubectl("get", "cm/c", *there, "-o", "jsonpath={.data.a}") == "d"
    kubectl("delete", *there, "-f", str(manifest))


APPLIED = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: b}}
- {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    replicas: 0
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: c, image: i, ports: [{containerPort: 80}]}]}
- apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: web}
  spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 3}
- apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: {name: web}
  spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: web}
  spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
- {apiVersion: v1, kind: Secret, metadata: {name: web}, stringData: {p: secret}}
"""


def test_a_second_apply_changes_nothing(any_kubectl: Kubectl, namespace: str) -> None:
    kubectl, there = any_kubectl, ("-n", namespace)
    kubectl("apply", *there, "-f", "-", stdin=APPLIED)
    # Controllers write the statuses of two of them.
    kubectl("wait", "pdb/web", "--for=jsonpath={.status.observedGeneration}=1", *there)
    reasons = ("get", "deploy/web", *there, "-o", "jsonpath={.status.conditions[*].reason}")
    eventually(lambda: "NewReplicaSetAvailable" in kubectl(*reasons))
    names = [f"{kind}/web" for kind in ("cm", "svc", "deploy", "hpa", "netpol", "pdb", "secret")]
    version = "jsonpath={.items[*].metadata.resourceVersion}"
    before = kubectl("get", *names, *there, "-o", version)
    applied = kubectl("apply", *there, "-f", "-", stdin=APPLIED)
    said = {line.split("/")[0]: line.split()[-1] for line in applied.splitlines()}
    # kubectl patches the last three in vain, for defaults in a list that it replaces as a whole,
    # a selector that it always replaces, and a field that is never stored.
    assert [*said.values()] == ["unchanged"] * 4 + ["configured"] * 3, said
    assert kubectl("get", *names, *there, "-o", version) == before


def test_nodes(kubectl: Kubectl) -> None:
    kubectl("cordon", "podium-3")
    assert "SchedulingDisabled" in kubectl("get", "node/podium-3")
    kubectl("uncordon", "podium-3")
    kubectl("taint", "node", "podium-3", "a=b:PreferNoSchedule")
    assert "a=b:PreferNoSchedule" in kubectl("describe", "node/podium-3")
    kubectl("taint", "node", "podium-3", "a-")


def test_what_simulated_pods_cannot_do(kubectl: Kubectl, running: str) -> None:
    there = ("-n", running)
    nothing_runs = "pod p is simulated, and nothing runs in it"
    assert f"{nothing_runs}: p writes no logs" in kubectl("logs", "p", *there)
    assert nothing_runs in kubectl.fails_to("exec", "p", *there, "--", "ls")
    assert nothing_runs in kubectl.fails_to("attach", "p", *there)
    assert nothing_runs in kubectl.fails_to("port-forward", "p", "0:80", *there)
    assert nothing_runs in kubectl.fails_to("cp", f"{running}/p:/x", "x")


def test_debugging_a_pod(kubectl: Kubectl, running: str) -> None:
    there = ("-n", running)
    kubectl("debug", "p", *there, "--image=busybox", "--container=shell", "--profile=general")
    state = "jsonpath={.status.ephemeralContainerStatuses[0].state.running}"
    kubectl("wait", "pod/p", *there, f"--for={state}", "--timeout=120s")
    assert "shell writes no logs" in kubectl("logs", "p", *there, "-c", "shell")


def test_a_token_of_a_service_account(kubectl: Kubectl, namespace: str) -> None:
    kubectl("create", "serviceaccount", "operator", "-n", namespace)
    token = kubectl("create", "token", "operator", "-n", namespace, "--duration=1h").strip()
    server = kubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}")
    as_it = (f"--server={server}", f"--token={token}", "--insecure-skip-tls-verify")
    bare = Kubectl(kubectl.path, kubectl.home / "none", kubectl.home)
    said = bare("auth", "whoami", *as_it, "-o", "jsonpath={.status.userInfo.username}")
    assert said == f"system:serviceaccount:{namespace}:operator"
    assert "cannot list resource" in bare.fails_to("get", "pods", *as_it)
    account = f"--serviceaccount={namespace}:operator"
    kubectl("create", "rolebinding", "looks", "-n", namespace, "--clusterrole=view", account)
    there = ("-n", namespace, *as_it)
    # A controller makes the role.
    wait = ("--for=jsonpath={.rules[0].verbs}", "--timeout=120s")
    kubectl("wait", "clusterrole/view", *wait)
    assert "No resources found" in bare.try_to("get", "pods", *there).stderr
    assert bare("auth", "can-i", "list", "pods", *there) == "yes\n"
    assert bare.try_to("auth", "can-i", "delete", "pods", *there).stdout == "no\n"
    assert "pods/log" in bare("auth", "can-i", "--list", *there)
    assert "cannot list resource" in bare.fails_to("get", "secrets", *there)
    spoken_for = f"--as=system:serviceaccount:{namespace}:operator"
    assert kubectl("auth", "can-i", "get", "pods", "-n", namespace, spoken_for) == "yes\n"
    kubectl("delete", "serviceaccount", "operator", "-n", namespace)
    assert "Unauthorized" in bare.fails_to("auth", "whoami", *as_it)


def test_what_is_used(kubectl: Kubectl, running: str) -> None:
    kubectl("set", "resources", "deploy/web", "-n", running, "--requests=cpu=250m")
    kubectl("rollout", "status", "-n", running, "deploy/web", "--timeout=120s")
    rows = kubectl("top", "pods", "-n", running, "-l", "app=web", "--no-headers").splitlines()
    # Those that are being replaced may still run.
    assert [row.split()[1:] for row in rows].count(["250m", "0Mi"]) == 2
    assert len(kubectl("top", "nodes", "--no-headers").splitlines()) == 3
