"""Who may do what: rules, requests that are let through or not, and reviews that tell so."""

from typing import Any

import pytest

from podium.apiserver.authentication.users import ADMIN, ANY, READER, Attempt, PolicyRule, User
from tests.apiserver.rbac.probes import binding, role, user
from tests.apiserver.requests.client import PODS, TABLE, Client, pod

AUTHORIZATION = "/apis/authorization.k8s.io/v1"
STRANGER = User("jane")


def ask_as(client: Client, user: User, method: str, path: str, body: Any = None) -> Any:
    client.user = user
    return client.ask(method, path, body)


@pytest.mark.parametrize(
    ("rule", "attempt", "permitted"),
    [
        (PolicyRule(("get",), ("",), ("pods",)), Attempt("get", "", "pods"), True),
        (PolicyRule(("get",), ("",), ("pods",)), Attempt("list", "", "pods"), False),
        (PolicyRule(("get",), ("",), ("pods",)), Attempt("get", "apps", "pods"), False),
        (PolicyRule(("get",), ("",), ("pods",)), Attempt("get", "", "pods", "log"), False),
        (PolicyRule(("get",), ("",), ("pods/log",)), Attempt("get", "", "pods", "log"), True),
        (PolicyRule(("get",), (ANY,), ("*/scale",)), Attempt("get", "apps", "x", "scale"), True),
        (PolicyRule(("get",), (ANY,), ("*/scale",)), Attempt("get", "apps", "x", "status"), False),
        (PolicyRule((ANY,), (ANY,), (ANY,)), Attempt("bind", "x.io", "ys", "z"), True),
        (PolicyRule(("get",), (ANY,), (ANY,)), Attempt("*", "", "pods"), False),
        (
            PolicyRule(("get",), ("",), ("pods",), ("a",)),
            Attempt("get", "", "pods", name="a"),
            True,
        ),
        (
            PolicyRule(("get",), ("",), ("pods",), ("a",)),
            Attempt("get", "", "pods", name="b"),
            False,
        ),
        (PolicyRule(("get",), ("",), ("pods",), ("a",)), Attempt("get", "", "pods"), False),
        (PolicyRule((ANY,), (ANY,), (ANY,)), Attempt("get", path="/metrics"), False),
        (PolicyRule((ANY,), paths=("/api", "/api/*")), Attempt("get", path="/api/v1"), True),
        (PolicyRule((ANY,), paths=("/api", "/api/*")), Attempt("get", path="/apis"), False),
    ],
)
def test_rules(rule, attempt, permitted):
    assert rule.permits(attempt) is permitted


def test_a_reader_sees_everything_and_changes_nothing(client):
    client.create_pod("web")
    client.user = READER
    for path in (PODS, f"{PODS}/web", f"{PODS}?watch=true", "/api/v1/nodes"):
        assert client.ask("GET", path).code == 200
    refused = [
        client.ask("POST", PODS, pod("x")),
        client.ask("PUT", f"{PODS}/web", pod("web")),
        client.ask("PATCH", f"{PODS}/web", {}, content_type="application/merge-patch+json"),
        client.ask("DELETE", f"{PODS}/web"),
        client.ask("DELETE", PODS),
        client.ask("POST", f"{PODS}/web/eviction", {"metadata": {"name": "web"}}),
    ]
    assert [response.code for response in refused] == [403] * 6
    assert client.get(f"{PODS}/web")["metadata"]["name"] == "web"


def test_who_is_refused_learns_what_was_missing(client):
    refused = ask_as(client, STRANGER, "DELETE", f"{PODS}/web")
    assert refused.code == 403
    assert refused.body["reason"] == "Forbidden"
    assert refused.body["details"] == {"name": "web", "kind": "pods"}
    assert refused.body["message"] == (
        'pods "web" is forbidden: User "jane" cannot delete resource "pods" in API group "" '
        'in the namespace "default"'
    )
    watch = ask_as(client, STRANGER, "GET", "/apis/apps/v1/deployments?watch=1")
    assert watch.body["message"] == (
        'deployments.apps is forbidden: User "jane" cannot watch resource "deployments" '
        'in API group "apps" at the cluster scope'
    )
    evict = ask_as(client, STRANGER, "POST", f"{PODS}/web/eviction", {})
    assert 'create resource "pods/eviction" in' in evict.body["message"]


def test_everybody_may_look_around(client):
    client.user = STRANGER
    for path in ("/api", "/apis", "/apis/apps/v1", "/version", "/healthz", "/readyz"):
        assert client.ask("GET", path).code == 200
    refused = client.ask("GET", "/")
    assert refused.code == 403
    assert refused.body["message"] == 'forbidden: User "jane" cannot get path "/"'
    assert client.ask("GET", "/metrics").code == 403


def test_who_am_i(client):
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    answer = ask_as(client, STRANGER, "POST", path, {})
    assert answer.code == 201
    assert answer.body["kind"] == "SelfSubjectReview"
    info = {"username": "jane", "groups": ["system:authenticated"]}
    assert answer.body["status"] == {"userInfo": info}
    assert client.ask("GET", path).code == 405


@pytest.mark.parametrize(
    ("user", "attributes", "allowed"),
    [
        (ADMIN, {"resource": "pods", "verb": "delete", "namespace": "default"}, True),
        (ADMIN, {"resource": "*", "verb": "*", "group": "*"}, True),
        (READER, {"resource": "pods", "verb": "list"}, True),
        (READER, {"resource": "pods", "verb": "create"}, False),
        (READER, {"resource": "*", "verb": "*", "group": "*"}, False),
        (STRANGER, {"resource": "pods", "verb": "list"}, False),
    ],
)
def test_may_i(client, user, attributes, allowed):
    body = {"spec": {"resourceAttributes": attributes}}
    answer = ask_as(client, user, "POST", f"{AUTHORIZATION}/selfsubjectaccessreviews", body)
    assert answer.code == 201
    assert answer.body["spec"] == body["spec"]
    assert answer.body["status"] == {"allowed": allowed}


def test_may_somebody_else(client):
    def allowed(**subject: Any) -> bool:
        attributes = {"verb": "get", "path": "/metrics"}
        body = {"spec": {"nonResourceAttributes": attributes, **subject}}
        answer = client.ask("POST", f"{AUTHORIZATION}/subjectaccessreviews", body)
        assert answer.code == 201
        return answer.body["status"]["allowed"]

    assert allowed(user="x", groups=["system:masters"])
    assert allowed(groups=["podium:readers"])
    assert not allowed(user="x")


def test_questions_that_make_no_sense(client):
    path, resource = {"path": "/", "verb": "get"}, {"resource": "pods", "verb": "get"}
    both = {"nonResourceAttributes": path, "resourceAttributes": resource, "user": "x"}
    for spec, fault in [
        (both, "spec.nonResourceAttributes: Invalid value: {"),
        ({"user": "x"}, "spec.resourceAttributes: Invalid value: null: exactly one of"),
        ({"resourceAttributes": resource}, "at least one of user or group must be specified"),
    ]:
        answer = client.ask("POST", f"{AUTHORIZATION}/subjectaccessreviews", {"spec": spec})
        assert answer.code == 422
        assert fault in answer.body["message"]
    local = f"{AUTHORIZATION}/namespaces/a/localsubjectaccessreviews"
    elsewhere = {"resourceAttributes": {**resource, "namespace": "b"}, "user": "x"}
    assert client.ask("POST", local, {"spec": elsewhere}).code == 422
    here = {"resourceAttributes": {**resource, "namespace": "a"}, "user": "x"}
    assert client.ask("POST", local, {"spec": here}).body["status"] == {"allowed": False}


def test_questions_have_no_table(client):
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    assert client.ask("POST", path, {}, accept=TABLE).code == 406
    answered = client.ask("POST", path, {}, accept=f"{TABLE},application/json")
    assert (answered.code, answered.body["kind"]) == (201, "SelfSubjectReview")


def test_what_may_i_do_at_all(client):
    path = f"{AUTHORIZATION}/selfsubjectrulesreviews"
    answer = ask_as(client, READER, "POST", path, {"spec": {"namespace": "default"}})
    status = answer.body["status"]
    assert status["resourceRules"][0] == {
        "verbs": ["get", "list", "watch"],
        "apiGroups": ["*"],
        "resources": ["*"],
    }
    assert {"verbs": ["get"], "nonResourceURLs": ["*"]} in status["nonResourceRules"]
    assert status["incomplete"] is False
    assert client.ask("POST", path, {"spec": {}}).body["message"] == "no namespace on request"


def test_speaking_for_somebody_else(client):
    as_jane = {"impersonate_user": "jane", "impersonate_group": "podium:readers\nx"}
    assert client.ask("GET", PODS, **as_jane).code == 200
    assert client.ask("GET", PODS, impersonate_user="jane").code == 403
    assert client.ask("DELETE", PODS, **as_jane).code == 403
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    info = client.ask("POST", path, {}, **as_jane).body["status"]["userInfo"]
    assert info["username"] == "jane"
    assert info["groups"] == ["podium:readers", "x", "system:authenticated"]
    assert client.ask("GET", PODS, impersonate_group="x").code == 400


@pytest.mark.parametrize(
    ("header", "value", "refusal"),
    [
        ("uid", "u-1", 'uids.authentication.k8s.io "u-1" is forbidden'),
        ("extra-scopes", "view", 'userextras.authentication.k8s.io "view" is forbidden'),
        ("extra-a%2fb", "", "userextras.authentication.k8s.io is forbidden"),
        ("group", "", "groups is forbidden"),
        ("group", "a, b", 'groups "a, b" is forbidden'),
    ],
)
def test_all_of_another_user_is_asked_for(client, header, value, refusal):
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    asked = {"impersonate_user": "jane", f"impersonate_{header}": value}
    info = client.ask("POST", path, {}, **asked).body["status"]["userInfo"]
    extra = [value for values in info.get("extra", {}).values() for value in values]
    assert value in (info.get("uid"), *info["groups"], *extra)
    rules = [{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]}]
    roles = "/apis/rbac.authorization.k8s.io/v1"
    assert client.ask("POST", f"{roles}/clusterroles", role("speaks", *rules)).code == 201
    bound = binding("speaks", "ClusterRole", "speaks", user("bob"))
    assert client.ask("POST", f"{roles}/clusterrolebindings", bound).code == 201
    client.user = User("bob", ("system:authenticated",))
    assert client.ask("POST", path, {}, impersonate_user="jane").code == 201
    refused = client.ask("POST", path, {}, **asked)
    assert (refused.code, refused.body["message"].startswith(refusal)) == (403, True), refused.body
    assert client.ask("GET", "/version", **{f"impersonate_{header}": value}).code == 400


def test_what_is_done_in_a_pod_needs_create_however_it_begins(client):
    client.create_pod("p")
    shell = f"{PODS}/p/exec?command=sh"
    assert client.ask("GET", shell).code == 501
    client.user = READER
    refused = client.ask("GET", shell)
    assert refused.code == 403
    assert refused.body["message"].startswith(
        'pods "p" is forbidden: User "podium-reader" cannot create'
    )
    assert client.ask("GET", f"{PODS}/p/proxy").code == 501


def test_only_those_speak_for_others_who_may(client):
    client.user = READER
    refused = client.ask("GET", PODS, impersonate_user="jane")
    assert refused.code == 403
    assert refused.body["message"] == (
        'users "jane" is forbidden: User "podium-reader" cannot impersonate resource "users" '
        'in API group "" at the cluster scope'
    )
