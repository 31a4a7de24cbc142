"""Warnings about pods and templates: what they are about, where they point, and when they come."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.validation.pods.pod_warnings import pod_warnings
from tests.apiserver.requests.client import DEPLOYMENTS, MERGE, PODS, Client

Obj = dict[str, Any]
SERVICES = "/api/v1/namespaces/default/services"
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


def volume(**source: Any) -> Obj:
    return pod(volumes=[{"name": "v", **source}])


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
        (
            pod(container={"ports": [
                {"containerPort": 80, "protocol": "TCP", "hostIP": "10.0.0.1"}]}),
            "spec.containers[0].ports[0]: hostIP set without hostPort: "
            "{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}",
        ),
        (
            pod(container={"ports": [{"name": "a", "containerPort": 1}]},
                initContainers=[{"name": "i", "ports": [{"name": "a", "containerPort": 2}]}]),
            'spec.containers[0].ports[0]: duplicate port name "a" with '
            "spec.initContainers[0].ports[0], services and probes that select ports by name will "
            "use spec.initContainers[0].ports[0]",
        ),
        (
            volume(configMap={"name": "m", "items": [
                {"path": "a/b"}, {"path": "ab"}, {"path": "a/"}]}),
            'volume "v" (ConfigMap "m"): overlapping paths: "a" with "a/b"',
        ),
        (
            volume(secret={"secretName": "s", "items": [{"path": "a"}, {"path": "a"}]}),
            'volume "v" (Secret "s"): overlapping paths: "a" with "a"',
        ),
        (
            volume(downwardAPI={"items": [{"path": "a"}, {"path": "a/b"}]}),
            'volume "v" (DownwardAPI): overlapping paths: "a/b" with "a"',
        ),
        (
            volume(projected={"sources": [
                {"serviceAccountToken": {"path": "token"}},
                {"secret": {"name": "s", "items": [{"path": "token"}]}}]}),
            'volume "v" (Projected): overlapping paths: "token" (Secret "s") with "token" '
            "(ServiceAccountToken)",
        ),
        (
            volume(projected={"sources": [
                {"clusterTrustBundle": {"signerName": "e.com/s", "path": "ca"}},
                {"configMap": {"name": "whole"}},
                {"podCertificate": {"keyPath": "ca/key", "certificateChainPath": "chain"}}]}),
            'volume "v" (Projected): overlapping paths: "ca/key" (PodCertificate key) with "ca" '
            '(ClusterTrustBundle "e.com/s")',
        ),
        (
            volume(projected={"sources": [{"downwardAPI": {"items": [{"path": "a"}]}}, {}]}),
            'volume "v" (Projected) has no sources provided',
        ),
        (
            volume(ephemeral={"volumeClaimTemplate": {"spec": {
                "resources": {"requests": {"storage": "1500m"}}}}}),
            "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: "
            'fractional byte value "1500m" is invalid, must be an integer',
        ),
        (
            pod(hostAliases=[{"ip": "10.0.0.1"}, {"ip": "2001:DB8::1"}]),
            'spec.hostAliases[1].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical '
            'format ("2001:db8::1")',
        ),
        (
            pod(dnsConfig={"nameservers": ["2001:db8:0::1"]}),
            'spec.dnsConfig.nameservers[0]: IPv6 address "2001:db8:0::1" should be in RFC 5952 '
            'canonical format ("2001:db8::1")',
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


@pytest.mark.parametrize(
    ("address", "preferred"),
    [("010.0.0.01", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1")],
)
def test_addresses_that_parsers_read_differently_are_refused_or_warned_of(
    address: str, preferred: str
) -> None:
    alias = Client().ask("POST", PODS, pod(hostAliases=[{"ip": address}]))
    assert (alias.code, alias.body["details"]["causes"][0]["field"]) == (
        422,
        "spec.hostAliases[0].ip",
    )
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}], "loadBalancerIP": address}
    made = Client().ask("POST", SERVICES, {"metadata": {"name": "s"}, "spec": spec})
    assert (made.code, warnings(made)) == (
        201,
        [
            f'spec.loadBalancerIP: non-standard IP address "{address}" will be considered invalid '
            f'in a future Kubernetes release: use "{preferred}"'
        ],
    )


def test_a_service_is_warned_of_whenever_it_is_written() -> None:
    client, path = Client(), f"{SERVICES}/s"
    spec = {"ports": [{"port": 80}], "externalIPs": ["2001:db8:0::1"]}
    made = client.ask("POST", SERVICES, {"metadata": {"name": "s"}, "spec": spec})
    of_addresses = [
        'spec.externalIPs[0]: IPv6 address "2001:db8:0::1" should be in RFC 5952 canonical format '
        '("2001:db8::1")',
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ]
    assert (made.code, warnings(made)) == (201, of_addresses)
    labelled = client.ask("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
    assert (labelled.code, warnings(labelled)) == (200, of_addresses)
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}}
    written = client.ask("PATCH", f"{path}/status", status, content_type=MERGE)
    assert (written.code, warnings(written)) == (200, [])


OLD_CLASS = "volume.beta.kubernetes.io/storage-class"
ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_ZONE = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
CLASS_FIELD = 'deprecated since v1.8; use "storageClassName" attribute instead'


@pytest.mark.parametrize(
    ("kind", "obj", "expected"),
    [
        (
            "PersistentVolume",
            {
                "metadata": {"annotations": {OLD_CLASS: "c"}},
                "spec": {
                    "persistentVolumeReclaimPolicy": "Recycle",
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [
                        {"matchExpressions": [{"key": ZONE, "operator": "Exists"}]}]}},
                    "storageos": {},
                },
            },
            [
                f"metadata.annotations[{OLD_CLASS}]: {CLASS_FIELD}",
                "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
                "Instead, the recommended approach is to use dynamic provisioning.",
                "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: "
                f"{ZONE} is {OLD_ZONE}",
                "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
            ],
        ),
        (
            "PersistentVolumeClaim",
            {
                "metadata": {"annotations": {OLD_CLASS: "c"}},
                "spec": {"resources": {"requests": {"storage": "100m"}}},
            },
            [
                f"metadata.annotations[{OLD_CLASS}]: {CLASS_FIELD}",
                'spec.resources.requests[storage]: fractional byte value "100m" is invalid, must '
                "be an integer",
            ],
        ),
        (
            "StorageClass",
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]},
            [f"allowedTopologies[0].matchLabelExpressions[0]: {OLD_ZONE}"],
        ),
        (
            "CSIStorageCapacity",
            {"nodeTopology": {
                "matchExpressions": [{"key": ZONE, "operator": "Exists"}],
                "matchLabels": {ZONE: "a"}}},
            [
                f"nodeTopology.matchExpressions[0]: {ZONE} is {OLD_ZONE}",
                f"nodeTopology.matchLabels.{ZONE}: {OLD_ZONE}",
            ],
        ),
    ],
)  # fmt: skip
def test_storage_is_warned_of(kind: str, obj: Obj, expected: list[str]) -> None:
    assert list(registration_of(KINDS[kind]).warned_of(obj)) == expected


def test_a_storage_class_is_warned_of_when_it_comes_and_when_it_changes() -> None:
    client, path = Client(), "/apis/storage.k8s.io/v1/storageclasses"
    topology = {"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}
    body = {"metadata": {"name": "c"}, "provisioner": "p", "allowedTopologies": [topology]}
    expected = [f"allowedTopologies[0].matchLabelExpressions[0]: {OLD_ZONE}"]
    assert warnings(client.ask("POST", path, body)) == expected
    labelled = {"metadata": {"labels": {"a": "b"}}}
    answer = client.ask("PATCH", f"{path}/c", labelled, content_type=MERGE)
    assert (answer.code, warnings(answer)) == (200, expected)


def warnings(response: Any) -> list[str]:
    texts = [text for name, text in response.headers if name == "Warning"]
    return [text.removeprefix('299 - "')[:-1].replace('\\"', '"') for text in texts]
