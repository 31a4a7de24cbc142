"""What plain processes can't give."""

from typing import Any

import pytest

from podium.kubelet.real.unsupported_fields import unsupported
from tests.kubelet.real.acting import container, pod

UID = 1000


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"hostNetwork": True, "hostPID": True},
        {"securityContext": {"runAsUser": UID, "runAsNonRoot": True}},
        {
            "volumes": [
                {"name": "a"},
                {"name": "b", "emptyDir": {"sizeLimit": "1Mi"}},
                {"name": "c", "hostPath": {"path": "/tmp"}},
                {"name": "d", "projected": {"sources": [{"configMap": {"name": "x"}}]}},
                {
                    "name": "kube-api-access-x",
                    "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]},
                },
            ]
        },
    ],
)
def test_what_processes_can_do_is_taken(spec: dict[str, Any]) -> None:
    assert unsupported(pod("a", **spec), UID) is None


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"volumes": [{"name": "v", "nfs": {}}]}, "volume v of kind nfs"),
        ({"volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}]}, "medium Memory"),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {}}]}}]},
            "volume v with a serviceAccountToken",
        ),
        ({"hostAliases": [{"ip": "1.2.3.4"}]}, "host aliases"),
        ({"resourceClaims": [{"name": "r"}]}, "resource claims"),
        (
            {"status": {"extendedResourceClaimStatus": {"resourceClaimName": "c"}}},
            "devices for extended resources",
        ),
        ({"securityContext": {"runAsUser": 7}}, "the pod as user 7, as all run as user 1000"),
        ({"initContainers": [{"name": "i"}]}, "container i without a command"),
    ],
)
def test_pods_that_want_more_are_refused(spec: dict[str, Any], why: str) -> None:
    refused = unsupported(pod("a", **spec), UID)
    assert refused is not None
    assert why in refused.message


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"command": []}, "container c without a command"),
        ({"volumeDevices": [{}]}, "block devices"),
        ({"ports": [{"containerPort": 80, "hostPort": 8080}]}, "port 80 mapped to 8080"),
        ({"livenessProbe": {"grpc": {"port": 1}}}, "a livenessProbe of another kind"),
        ({"lifecycle": {"postStart": {"exec": {}}}}, "a postStart hook"),
        ({"securityContext": {"privileged": True}}, "container c with privileges"),
        ({"securityContext": {"capabilities": {"add": ["SYS_TIME"]}}}, "capabilities SYS_TIME"),
    ],
)
def test_containers_that_want_more_are_refused(fields: dict[str, Any], why: str) -> None:
    refused = unsupported(pod("a", container("c", **fields)), UID)
    assert refused is not None
    assert refused.reason == "UnsupportedByRuntime"
    assert why in refused.message


def test_root_is_somebody() -> None:
    refused = unsupported(pod("a", securityContext={"runAsNonRoot": True}), 0)
    assert refused is not None


def test_all_faults_are_told_at_once() -> None:
    volumes = [{"name": name, "nfs": {}} for name in "vw"]
    refused = unsupported(pod("a", volumes=volumes), UID)
    assert refused is not None
    assert refused.message.count("; ") == 1
