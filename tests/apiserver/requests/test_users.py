"""Rules of users, and objects that name their creator."""

import pytest

from podium.apiserver.authentication.users import ANY, Attempt, PolicyRule, User
from tests.apiserver.requests.client import MERGE


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


def test_a_signing_request_names_its_creator_for_good(client):
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    spec = {"signerName": "example.com/s", "request": "YQ=="}
    client.user = User("eve", ("system:masters",), "e-uid", (("scope", ("one", "two")),))
    made = client.ask("POST", path, {"metadata": {"name": "x"}, "spec": {**spec, "uid": "0"}})
    creator = {"username": "eve", "uid": "e-uid", "groups": ["system:masters"]}
    stored = {**spec, **creator, "extra": {"scope": ["one", "two"]}}
    assert (made.code, made.body["spec"]) == (201, stored)
    client.user = User("mallory", ("system:masters",), "u")
    answer = client.ask("PATCH", f"{path}/x", {"spec": {"extra": None}}, content_type=MERGE)
    assert (answer.code, answer.body["spec"]) == (200, stored)
