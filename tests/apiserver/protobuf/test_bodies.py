"""Bodies in Protobuf, as kubectl 1.32 sends them, and nonsense that looks like them."""

from base64 import b64decode
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.protobuf.messages import (
    _DATA,
    _SCALARS,
    PREFIX,
    MalformedMessageError,
    delimited,
    is_read,
    numbers,
    read_protobuf,
)
from podium.apiserver.requests.openapi.schemas import reachable
from podium.apiserver.schema.model import ListOf, MapOf, Scalar, Type
from podium.apiserver.schema.struct_types import BODIES, struct_of
from tests.apiserver.protobuf.writing import switch
from tests.apiserver.requests.client import Client

PROTOBUF = "application/vnd.kubernetes.protobuf"

# kubectl create deployment web --image=nginx --replicas=0 --port=80
DEPLOYMENT = b64decode(
    "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErgBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEoYBCAAS"
    "DAoKCgNhcHASA3dlYhpsChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkwSLgoFbmdpbngSBW5naW54KgAyCgoA"
    "EAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAY"
    "ACAAKAA4ABoAIgA="
)
# kubectl create secret generic s --from-literal=a=b
SECRET = b64decode("azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWESAWIaABoAIgA=")
# kubectl create pdb p --selector=app=x --min-available=50%
BUDGET = b64decode(
    "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSOAoRCgFwEgAaACIAKgAyADgAQgASFwoJCAEQABoD"
    "NTAlEgoKCAoDYXBwEgF4GgoIABgAIAAoADAAGgAiAA=="
)
# kubectl create quota q --hard=pods=3,cpu=500m
QUOTA = b64decode(
    "azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRIzChEKAXESABoAIgAqADIAOABCABIcCg0KA2NwdRIGCgQ1MDBtCgsKBHBv"
    "ZHMSAwoBMxoAGgAiAA=="
)
# kubectl autoscale deployment web --min=1 --max=3 --cpu=80%
AUTOSCALER = b64decode(
    "azhzAAopCg5hdXRvc2NhbGluZy92MhIXSG9yaXpvbnRhbFBvZEF1dG9zY2FsZXISYQoTCgN3ZWISABoAIgAqADIAOABC"
    "ABJEChoKCkRlcGxveW1lbnQSA3dlYhoHYXBwcy92MRABGAMiIgoIUmVzb3VyY2UiFgoDY3B1Eg8KC1V0aWxpemF0aW9u"
    "IFAaBBgAIAAaACIA"
)
# kubectl debug node/podium-1 --image=busybox
DEBUGGER = b64decode(
    "azhzAAoJCgJ2MRIDUG9kEooCClsKHG5vZGUtZGVidWdnZXItcG9kaXVtLTEtYmQ2Z2QSABoAIgAqADIAOABCAFotChxh"
    "cHAua3ViZXJuZXRlcy5pby9tYW5hZ2VkLWJ5Eg1rdWJlY3RsLWRlYnVnEpUBChIKCWhvc3Qtcm9vdBIFCgMKAS8SRQoI"
    "ZGVidWdnZXISB2J1c3lib3gqAEIAShgKCWhvc3Qtcm9vdBAAGgUvaG9zdCIAMgBqAHIAgAEAiAEAkAEAogEERmlsZRoF"
    "TmV2ZXIyAEIASgBSCHBvZGl1bS0xWAFgAWgBggEAigEAmgEAsgEOCgASBkV4aXN0cxoAIgDCAQAaEwoAGgAiACoAMgBK"
    "AFoAcgCIAQAaACIA"
)
# kubectl auth can-i get pods
REVIEW = b64decode(
    "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPAoQCgASABoAIgAq"
    "ADIAOABCABIeChwKB2RlZmF1bHQSA2dldBoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA="
)


@pytest.fixture
def client() -> Client:
    return Client()


def ask(client: Client, path: str, body: bytes) -> Any:
    return client.ask("POST", path, body, content_type=PROTOBUF)


def message(api_version: str, kind: str, content: bytes) -> bytes:
    header = delimited(1, api_version.encode()) + delimited(2, kind.encode())
    return PREFIX + delimited(1, header) + delimited(2, content)


def test_a_deployment():
    labels = {"app": "web"}
    container = {"name": "nginx", "image": "nginx", "ports": [{"containerPort": 80}]}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{**container, "resources": {}}]},
    }
    assert read_protobuf(DEPLOYMENT) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": labels},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            "template": template,
            "strategy": {},
        },
        "status": {},
    }


def test_values_of_all_sorts():
    assert read_protobuf(SECRET)["data"] == {"a": "Yg=="}
    assert read_protobuf(BUDGET)["spec"]["minAvailable"] == "50%"
    assert read_protobuf(QUOTA)["spec"] == {"hard": {"cpu": "500m", "pods": "3"}}
    created = delimited(8, switch(1, value=True))
    budget = message("policy/v1", "PodDisruptionBudget", delimited(1, created))
    assert read_protobuf(budget)["metadata"] == {"creationTimestamp": "1970-01-01T00:00:01Z"}
    options = delimited(4, b"Background") + b"\x08\x00" + b"\x18\x00"
    told = read_protobuf(message("v1", "DeleteOptions", options))
    assert told["gracePeriodSeconds"] == 0
    assert told["orphanDependents"] is False
    assert told["propagationPolicy"] == "Background"
    negative = message("v1", "DeleteOptions", b"\x08" + b"\xff" * 9 + b"\x01")
    assert read_protobuf(negative)["gracePeriodSeconds"] == -1


def test_objects_are_created_as_from_json(client):
    assert ask(client, "/apis/apps/v1/namespaces/default/deployments", DEPLOYMENT).code == 201
    assert ask(client, "/api/v1/namespaces/default/secrets", SECRET).code == 201
    budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    assert ask(client, budgets, BUDGET).code == 201
    reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    assert ask(client, reviews, REVIEW).body["status"] == {"allowed": True}
    web = client.get("/apis/apps/v1/namespaces/default/deployments/web")
    assert web["spec"]["replicas"] == 0
    assert web["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] == "Always"


def test_an_autoscaler_and_a_pod_that_debugs_a_node(client):
    autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    spec = ask(client, autoscalers, AUTOSCALER).body["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (1, 3)
    target = {"type": "Utilization", "averageUtilization": 80}
    assert spec["metrics"] == [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    pod = ask(client, "/api/v1/namespaces/default/pods", DEBUGGER).body
    assert pod["spec"]["nodeName"] == "podium-1"
    assert pod["spec"]["hostPID"] is True
    assert pod["status"]["phase"] == "Pending"


def test_what_only_components_write_is_refused_rather_than_lost(client):
    conditions = delimited(2, b"")
    body = message("v1", "Pod", delimited(1, delimited(1, b"p")) + delimited(3, conditions))
    refused = ask(client, "/api/v1/namespaces/default/pods", body)
    assert refused.code == 400
    assert "unknown field 2 of PodStatus" in refused.body["message"]


def test_a_pod_is_evicted(client):
    client.create_pod("p")
    body = message("policy/v1", "Eviction", delimited(1, delimited(1, b"p")))
    assert ask(client, "/api/v1/namespaces/default/pods/p/eviction", body).code == 201


def test_other_kinds_are_not_read(client):
    body = message("v1", "Node", b"")
    refused = ask(client, "/api/v1/nodes", body)
    assert refused.code == 415
    # The kind in the body is another one than that of the path.
    assert ask(client, "/api/v1/namespaces/default/secrets", body).code == 400


@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        b"\x0a\x05ab",
        delimited(1, delimited(1, b"\xff")),
        delimited(1, delimited(99, b"x")),
        switch(1, value=True),
        delimited(1, delimited(8, b"\x08" + b"\xff" * 8 + b"\x7f")),
    ],
)
def test_nonsense_is_refused(client, content):
    for kind, path in (("Secret", "secrets"), ("ConfigMap", "configmaps")):
        body = message("v1", kind, content)
        refused = ask(client, f"/api/v1/namespaces/default/{path}", body)
        assert refused.code == 400
        assert refused.body["reason"] == "BadRequest"


@given(
    st.sampled_from([DEPLOYMENT, SECRET, BUDGET, QUOTA, REVIEW, AUTOSCALER, DEBUGGER]), st.data()
)
def test_damaged_bodies_are_read_or_refused(body, data):
    at = data.draw(st.integers(4, len(body) - 1))
    damaged = body[:at] + bytes([data.draw(st.integers(0, 255))]) + body[at + 1 :]
    with suppress(MalformedMessageError):
        assert isinstance(read_protobuf(damaged), dict)


@pytest.mark.parametrize(
    ("body", "shown"), [(b"{}" * 20, f"{'{}' * 15} ..."), (b"x\0", "7800"), (b"", "<empty>")]
)
def test_bodies_without_the_prefix_are_quoted(client, body, shown):
    said = ask(client, "/api/v1/nodes", body)
    why = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    what = "the object provided is unrecognized (must be of type Node)"
    assert (said.code, said.body["message"]) == (400, f"{what}: {why} ({shown})")


def test_numbers_are_those_of_fields_that_there_are():
    kinds = [kind for kind in (*KINDS.values(), *BODIES) if is_read(kind)]
    versions = [
        (f"{group}/{version}".lstrip("/"), kind.name)
        for kind in kinds
        for group, version in ((kind.group, kind.version), *kind.also)
    ]
    structs = {
        f"{struct.family}.{struct.name}": struct
        for struct in reachable(filter(None, map(struct_of, *zip(*versions, strict=True))))
    }

    def names(numbers: Any) -> list[str]:
        return [
            name
            for entry in numbers.values()
            for name in ([entry] if isinstance(entry, str) else names(entry))
        ]

    assert numbers().keys() <= structs.keys()
    assert sum(len(names(one)) for one in numbers().values()) == _DATA.read_text().count("=")
    for name, entries in numbers().items():
        found = names(entries)
        assert len(found) == len(set(found))
        assert set(found) <= structs[name].fields.keys()
        assert {*map(scalar_kind, (structs[name].fields[one].type for one in found))} <= {
            *_SCALARS,
            None,
        }


def scalar_kind(of: Type) -> str | None:
    if isinstance(of, ListOf | MapOf):
        return scalar_kind(of.items if isinstance(of, ListOf) else of.values)
    return of.kind if isinstance(of, Scalar) else None
