"""Warnings about pods and templates: what they are about, where they point, and when they come."""

from typing import Any

import pytest

from podium.apiserver.validation.pod_warnings import pod_warnings
from tests.apiserver.requests.client import DEPLOYMENTS, MERGE, PODS, Client

Obj = dict[str, Any]
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'
OLD_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
MASTER = "node-role.kubernetes.io/master"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod(noted: Obj | None = None, container: Obj | None = None, **spec: Any) -> Obj:
    containers = [{"name": "c", "image": "i", **(container or {})}]
    return {
        "metadata": {"name": "p", "annotations": noted or {}},
        "spec": {"containers": containers, **spec},
    }


@pytest.mark.parametrize(
    ("given", "warning"),
    [
        (
            pod(nodeSelector={MASTER: ""}),
            f'spec.nodeSelector[{MASTER}]: use "node-role.kubernetes.io/control-plane" instead',
        ),
        (
            pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "beta.kubernetes.io/os", "operator": "Exists"}]}]}}}),
            f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].key: "
            'beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
        ),
        (
            pod(affinity={"podAntiAffinity": {PREFERRED: [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "a"}}]}}),
            f"spec.affinity.podAntiAffinity.{PREFERRED}[0].podAffinityTerm.labelSelector: a null "
            "labelSelector results in matching no pod",
        ),
        (
            pod(topologySpreadConstraints=[{"topologyKey": "zone"}]),
            "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in "
            "matching no pod",
        ),
        (
            pod({"scheduler.alpha.kubernetes.io/critical-pod": ""}),
            "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in "
            'v1.16+; use the "priorityClassName" field instead',
        ),
        (
            pod({"seccomp.security.alpha.kubernetes.io/pod": "x"}),
            f"metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: {OLD_SECCOMP}",
        ),
        (
            pod(volumes=[{"name": "a", "emptyDir": {}}, {"name": "b", "gitRepo": {}}]),
            "spec.volumes[1].gitRepo: deprecated in v1.11",
        ),
        (
            pod(imagePullSecrets=[{"name": "a"}, {"name": "a"}]),
            'spec.imagePullSecrets[1].name: duplicate name "a"',
        ),
        (
            pod(container={"resources": {"limits": {"memory": "1500m"}}}),
            'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is '
            "invalid, must be an integer",
        ),
        (
            pod(container={"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}),
            'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped '
            "when using apply",
        ),
        (
            pod(container={"ports": [{"containerPort": 1}, {"containerPort": 1, "hostPort": 2}]}),
            "spec.containers[0].ports[1]: overlapping port definition with "
            "spec.containers[0].ports[0]",
        ),
        (
            pod(terminationGracePeriodSeconds=-1),
            "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
            "will be treated as 1",
        ),
    ],
)  # fmt: skip
def test_a_pod_is_warned_of(given: Obj, warning: str) -> None:
    assert list(pod_warnings(given)) == [warning]


def test_of_an_ordinary_pod_there_is_nothing_to_warn() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}]
    ports = [{"containerPort": 1, "protocol": "TCP"}, {"containerPort": 1, "protocol": "UDP"}]
    ordinary = pod({"a": "b"}, {"env": env, "ports": ports}, nodeSelector={"disk": "ssd"})
    assert list(pod_warnings(ordinary)) == []


@pytest.mark.parametrize(
    ("annotation", "profile"),
    [
        ("localhost/x", {"type": "Localhost", "localhostProfile": "x"}),
        ("runtime/default", {"type": "RuntimeDefault"}),
        ("unconfined", {"type": "Unconfined"}),
        ("localhost/", None),
    ],
)
def test_app_armor_annotations_become_fields(annotation: str, profile: Obj | None) -> None:
    client = Client()
    made = client.ask("POST", PODS, pod({APP_ARMOR: annotation}))
    assert warnings(made) == [f"metadata.annotations[{APP_ARMOR}]: {OLD_APP_ARMOR}"]
    (container,) = made.body["spec"]["containers"]
    expected = None if profile is None else {"appArmorProfile": profile}
    assert container.get("securityContext") == expected


def test_an_app_armor_annotation_beside_its_field_is_nothing_to_warn_of() -> None:
    security = {"appArmorProfile": {"type": "Unconfined"}}
    given = pod({APP_ARMOR: "runtime/default"}, {"securityContext": security})
    made = Client().ask("POST", PODS, given)
    assert (made.code, warnings(made)) == (201, [])
    assert made.body["spec"]["containers"][0]["securityContext"] == security


def test_templates_are_warned_of_when_they_come_and_when_they_change() -> None:
    client, template = Client(), pod({APP_ARMOR: "unconfined"})
    template["metadata"]["labels"] = {"a": "b"}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    made = client.ask("POST", DEPLOYMENTS, {"metadata": {"name": "a.b"}, "spec": spec})
    of_template = f"spec.template.metadata.annotations[{APP_ARMOR}]: {OLD_APP_ARMOR}"
    of_name = (
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
        "behavior; a DNS label is recommended: [must not contain dots]"
    )
    assert sorted(warnings(made)) == [of_name, of_template]
    labelled, scaled = {"metadata": {"labels": {"c": "d"}}}, {"spec": {"replicas": 2}}
    for change, expected in ((labelled, []), (scaled, [of_template])):
        answer = client.ask("PATCH", f"{DEPLOYMENTS}/a.b", change, content_type=MERGE)
        assert (answer.code, warnings(answer)) == (200, expected)


def warnings(response: Any) -> list[str]:
    texts = [text for name, text in response.headers if name == "Warning"]
    return [text.removeprefix('299 - "')[:-1].replace('\\"', '"') for text in texts]
