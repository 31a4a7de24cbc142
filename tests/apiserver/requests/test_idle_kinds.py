"""Kinds that nothing acts on: stored with their defaults, shown in tables, and warned of."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.authentication.users import ADMIN, User
from tests.apiserver.requests.client import MERGE, Client

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
HOOK = {
    "name": "a.example.com",
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "clientConfig": {"service": {"namespace": "n", "name": "s"}},
    "rules": [{"operations": ["CREATE"], "apiGroups": [""], "resources": ["pods"]}],
}
POLICY = {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}
EXAMPLES: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("MutatingWebhookConfiguration", {"webhooks": [HOOK]}, [1]),
    ("ValidatingWebhookConfiguration", {"webhooks": [HOOK, {**HOOK, "name": "b.c.d"}]}, [2]),
    ("ValidatingAdmissionPolicy", {"spec": {**POLICY, "validations": [{"expression": "true"}]}},
     [1, "v1/ConfigMap"]),
    ("MutatingAdmissionPolicy", {"spec": POLICY}, [0, "v1/ConfigMap"]),
    ("ValidatingAdmissionPolicyBinding", {"spec": {"policyName": "p"}}, ["p", "<unset>"]),
    ("MutatingAdmissionPolicyBinding", {"spec": {"policyName": "p", "paramRef": {"name": "x"}}},
     ["p", "*/x"]),
    ("APIService", {"spec": {"service": {"namespace": "n", "name": "s"}, "group": "g"}},
     ["n/s", "Unknown"]),
    ("CertificateSigningRequest", {"spec": {"signerName": "e.com/s", "request": "YQ=="}},
     ["e.com/s", ADMIN.name, "<none>", "Pending"]),
    ("FlowSchema", {"spec": {"priorityLevelConfiguration": {"name": "exempt"}}},
     ["exempt", 1000, "<none>", "?"]),
    ("PriorityLevelConfiguration", {"spec": {"type": "Limited", "limited": {"limitResponse": {
        "type": "Queue", "queuing": {}}}}}, ["Limited", "30", "64", "8", "50"]),
    ("PodTemplate", {"template": {"metadata": {"labels": {"a": "b"}},
                                  "spec": {"containers": [{"name": "c", "image": "i"}]}}},
     ["c", "i", "a=b"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "cells"), EXAMPLES, ids=[one[0] for one in EXAMPLES])
def test_an_idle_kind_is_stored_shown_and_warned_of(client, name, content, cells):
    kind = KINDS[name]
    root = f"/apis/{kind.api_version}" if kind.group else "/api/v1"
    path = (
        f"{root}/namespaces/default/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"
    )
    body = {"apiVersion": kind.api_version, "kind": name, "metadata": {"name": "x"}, **content}
    made = client.ask("POST", path, body)
    assert (made.code, warnings(made)) == (
        201,
        [f"Podium stores objects of kind {name}, but nothing acts on them"],
    )
    (row,) = client.ask("GET", path, accept=TABLE).body["rows"]
    age = "0s"
    assert [cell for cell in row["cells"][1:] if cell != age] == cells
    changed = {"metadata": {"labels": {"a": "b"}}}
    merge = "application/merge-patch+json"
    patched = client.ask("PATCH", f"{path}/x", changed, content_type=merge)
    assert (patched.code, warnings(patched)) == (200, [])


def test_webhooks_have_their_defaults(client: Client) -> None:
    path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    made = client.ask("POST", path, {"metadata": {"name": "x"}, "webhooks": [HOOK]})
    (hook,) = made.body["webhooks"]
    settings = ("failurePolicy", "matchPolicy", "reinvocationPolicy", "timeoutSeconds")
    assert [hook[name] for name in settings] == ["Fail", "Equivalent", "Never", 10]
    assert (hook["namespaceSelector"], hook["objectSelector"]) == ({}, {})
    assert hook["clientConfig"]["service"]["port"] == 443
    assert hook["rules"][0]["scope"] == "*"
    assert made.body["metadata"]["generation"] == 1


def test_a_signing_request_names_its_creator_for_good(client: Client) -> None:
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    asked = {"signerName": "example.com/s", "request": "YQ=="}
    claimed = {"username": "root", "uid": "0", "groups": ["admins"], "extra": {"a": ["b"]}}
    body = {"metadata": {"name": "x"}, "spec": {**asked, **claimed}}
    creator = User("eve", ("system:masters",), extra=(("scope", ("one", "two")),))
    client.user = creator
    made = client.ask("POST", path, body)
    stored = {
        **asked,
        "username": "eve",
        "groups": ["system:masters"],
        "extra": {"scope": ["one", "two"]},
    }
    assert (made.code, made.body["spec"]) == (201, stored)
    client.user = User("mallory", ("system:masters",), "u")
    for change in ({"username": "mallory"}, {"request": "Yg=="}, {"extra": None}):
        answer = client.ask("PATCH", f"{path}/x", {"spec": change}, content_type=MERGE)
        assert (answer.code, answer.body["spec"]) == (200, stored)
    client.user = User("bob", ("system:masters",), "b-uid")
    made = client.ask("POST", path, {"metadata": {"name": "y"}, "spec": asked})
    mine = {"username": "bob", "uid": "b-uid", "groups": ["system:masters"]}
    assert made.body["spec"] == {**asked, **mine}


def warnings(response: Any) -> list[str]:
    return [text.split('"')[1] for name, text in response.headers if name == "Warning"]
