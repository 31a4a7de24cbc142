"""What every supported kubectl does, from 1.29 on: each has ways of its own to ask."""

import json
from typing import Any

from tests.kubectl.conftest import Kubectl

MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: {image}}}]}}
"""


def test_apply_merges_what_has_changed(any_kubectl: Kubectl, namespace: str) -> None:
    first = MANIFEST.format(replicas=1, image="a")
    there = ("-n", namespace)
    assert "created" in any_kubectl("apply", *there, "-f", "-", stdin=first)
    assert "unchanged" in any_kubectl("apply", *there, "-f", "-", stdin=first)
    any_kubectl("set", "env", *there, "deploy/web", "KEPT=yes")
    second = MANIFEST.format(replicas=2, image="b")
    assert "configured" in any_kubectl("apply", *there, "-f", "-", stdin=second)
    spec = json.loads(any_kubectl("get", *there, "deploy/web", "-o", "json"))["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    assert (spec["replicas"], container["image"]) == (2, "b")
    assert container["env"] == [{"name": "KEPT", "value": "yes"}]
    any_kubectl("rollout", "status", *there, "deploy/web", "--timeout=120s")
    by_server = ("--server-side", "--force-conflicts", *there, "-f", "-")
    assert "serverside-applied" in any_kubectl("apply", *by_server, stdin=first)


def test_what_makes_no_sense_is_refused(any_kubectl: Kubectl, namespace: str) -> None:
    wrong = MANIFEST.format(replicas=1, image="a").replace("image:", "imagine:")
    complaint = any_kubectl.fails_to("apply", "-n", namespace, "-f", "-", stdin=wrong)
    assert 'unknown field "spec.template.spec.containers[0].imagine"' in complaint


UNPATCHABLE = """
apiVersion: authorization.k8s.io/v1
kind: SubjectAccessReview
spec: {user: alice, groups: ["system:masters"], resourceAttributes: {verb: list, resource: pods}}
"""
LIST = """
apiVersion: v1
kind: List
items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: listed}, data: {a: b}}]
"""


def test_it_judges_lists_and_reviews_itself(any_kubectl: Kubectl, namespace: str) -> None:
    """It takes the schemas for that in Protobuf only."""
    create = ("create", "-n", namespace, "-o", "json", "-f", "-")
    for manifest, field, kind in (
        (UNPATCHABLE, "user", "SubjectAccessReview"),
        (LIST, "data", "ConfigMap"),
    ):
        assert json.loads(any_kubectl(*create, stdin=manifest))["kind"] == kind
        complaint = any_kubectl.fails_to(*create, stdin=manifest.replace(field, "misspelt"))
        assert 'unknown field "misspelt"' in complaint


def test_explain(any_kubectl: Kubectl) -> None:
    told = any_kubectl("explain", "pod.spec.priority")
    assert "FIELD: priority <integer>" in told
    assert "How important the pod is" in told
    assert "minAvailable" in any_kubectl("explain", "pdb", "--recursive")
    assert "GROUP:      batch" in any_kubectl("explain", "cronjob.spec.schedule")
    assert "does not exist" in any_kubectl.fails_to("explain", "pod.spec.nonsense")


CREATED = {
    "deployment.apps/d": ("deployment", "d", "--image=i", "--replicas=0", "--port=80"),
    "configmap/c": ("configmap", "c", "--from-literal=a=b"),
    "secret/s": ("secret", "generic", "s", "--from-literal=a=b"),
    "poddisruptionbudget.policy/p": ("pdb", "p", "--selector=app=x", "--min-available=50%"),
    "resourcequota/q": ("quota", "q", "--hard=pods=9,cpu=500m"),
    "service/v": ("service", "clusterip", "v", "--tcp=80:8080", "--clusterip=None"),
    "serviceaccount/a": ("serviceaccount", "a"),
    "cronjob.batch/j": ("cronjob", "j", "--image=i", "--schedule=*/5 * * * *"),
    "role.rbac.authorization.k8s.io/r": ("role", "r", "--verb=get", "--resource=pods"),
    "rolebinding.rbac.authorization.k8s.io/r": ("rolebinding", "r", "--role=r", "--user=u"),
    "ingress.networking.k8s.io/i": ("ingress", "i", "--rule=foo.com/=svc:80"),
}


def test_what_is_created_without_a_manifest(any_kubectl: Kubectl, namespace: str) -> None:
    """Later versions send it in Protobuf; it is the same as in JSON."""
    there = ("-n", namespace)

    def all_of_it() -> list[Any]:
        objects = json.loads(any_kubectl("get", *there, "-o", "json", *CREATED))["items"]
        return [{**obj, "metadata": {}, "status": {}} for obj in objects]

    local = []
    for name, args in CREATED.items():
        assert any_kubectl("create", *there, *args) == f"{name} created\n"
        local.append(any_kubectl("create", *there, *args, "--dry-run=client", "-o", "json"))
    from_protobuf = all_of_it()
    any_kubectl("delete", *there, *CREATED)
    any_kubectl("create", *there, "-f", "-", stdin="".join(local))
    assert all_of_it() == from_protobuf


def test_a_node_is_drained(any_kubectl: Kubectl, namespace: str) -> None:
    """Evictions, which later versions send in Protobuf."""
    there = ("-n", namespace)
    any_kubectl("apply", *there, "-f", "-", stdin=MANIFEST.format(replicas=2, image="a"))
    any_kubectl("rollout", "status", *there, "deploy/web", "--timeout=120s")
    names = any_kubectl("get", "pods", *there, "-o", "jsonpath={.items[0].spec.nodeName}")
    options = ("--ignore-daemonsets", "--pod-selector=app=web", "--grace-period=1")
    drained = any_kubectl("drain", names, *options, "--timeout=120s")
    assert f"node/{names} drained" in drained
    any_kubectl("rollout", "status", *there, "deploy/web", "--timeout=120s")
    left = any_kubectl("get", "pods", *there, "-o", "jsonpath={.items[*].spec.nodeName}")
    assert names not in left.split()
    any_kubectl("uncordon", names)


def test_who_may_do_what(any_kubectl: Kubectl) -> None:
    assert any_kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    asked = any_kubectl.try_to("auth", "can-i", "delete", "pods", "--as=jane")
    assert asked.stdout == "no\n"
    assert "*.*" in any_kubectl("auth", "can-i", "--list")


def test_what_there_is(any_kubectl: Kubectl) -> None:
    resources = any_kubectl("api-resources", "--no-headers")
    assert "poddisruptionbudgets" in resources
    assert "scheduling.k8s.io/v1" in any_kubectl("api-versions").splitlines()
    assert "https://127.0.0.1" in any_kubectl("cluster-info")
    assert any_kubectl("get", "--raw", "/readyz") == "ok"
