"""Roles and bindings: who may do what, what nobody may give away, and what is wrong with them."""

from typing import Any

import pytest

from podium.apiserver.authentication.users import User, service_account_user
from tests.apiserver.rbac.probes import (
    CORE,
    GROUP,
    HERE,
    MERGE,
    PROBES,
    RBAC,
    SETUP,
    Probe,
    account,
    answers,
    binding,
    role,
    rule,
    user,
)
from tests.apiserver.requests.client import TABLE, Client

FORBIDDEN = 403
GRANTS = (
    'roles.rbac.authorization.k8s.io "a" is forbidden: user "boss" '
    '(groups=["system:authenticated"]) is attempting to grant RBAC permissions '
    "not currently held:\n"
)


@pytest.fixture
def shared() -> Client:
    """A client of a server that people share."""
    found = Client()
    found.bootstrap_access()
    return found


def test_probes_are_permitted_refused_and_told(shared: Client) -> None:
    found = answers(shared.ask_plainly)
    assert len(found) == len(PROBES)
    told = {probe[:3]: (code, answer.get("message")) for probe, code, answer in found}
    assert told["jane", "GET", f"{CORE}/pods"][0] == 200
    assert told["jane", "DELETE", f"{CORE}/pods/x"] == (
        FORBIDDEN,
        'pods "x" is forbidden: User "jane" cannot delete resource "pods" in API group "" '
        'in the namespace "default"',
    )
    assert told["jane", "GET", f"{CORE}/configmaps?fieldSelector=metadata.name%3Dtwo"] == (
        FORBIDDEN,
        'configmaps "two" is forbidden: User "jane" cannot list resource "configmaps" '
        'in API group "" in the namespace "default"',
    )
    assert told["lost", "GET", "/nothing"] == (
        FORBIDDEN,
        'forbidden: User "lost" cannot get path "/nothing": RBAC: '
        'clusterrole.rbac.authorization.k8s.io "gone" not found',
    )


def asked(client: Client, probe: Probe) -> tuple[int, Any]:
    client.user = User(probe.user, ("system:authenticated",))
    return client.ask_plainly(
        probe.method, probe.path, probe.body, {"Content-Type": "application/json"}
    )


def test_nobody_gives_away_what_they_do_not_have(shared: Client) -> None:
    for path, body in SETUP:
        assert shared.ask("POST", path, body).code == 201
    much = role("a", rule(",apps", "nodes deployments", "get list use"), rule("", "q", "get", "m"))
    code, answer = asked(shared, Probe("boss", "POST", f"{HERE}/roles", much))
    assert (code, answer["message"]) == (
        FORBIDDEN,
        GRANTS + '{APIGroups:[""], Resources:["deployments"], Verbs:["get" "list" "use"]}\n'
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list" "use"]}\n'
        '{APIGroups:[""], Resources:["q"], ResourceNames:["m"], Verbs:["get"]}\n'
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["use"]}\n'
        '{APIGroups:["apps"], Resources:["nodes"], Verbs:["use"]}',
    )
    own = role("a", rule("", "pods", "get"))
    assert asked(shared, Probe("boss", "POST", f"{HERE}/roles", own))[0] == 201
    given = binding("b", "ClusterRole", "cluster-admin", user("boss"))
    assert asked(shared, Probe("boss", "POST", f"{HERE}/rolebindings", given))[0] == FORBIDDEN
    bound = binding("b", "ClusterRole", "boss", user("q"))
    assert asked(shared, Probe("odd", "POST", f"{RBAC}/clusterrolebindings", bound))[0] == 201


def test_an_admin_of_masters_may_give_everything(shared: Client) -> None:
    everything = binding("b", "ClusterRole", "cluster-admin", account("bot", namespace="default"))
    assert shared.ask("POST", f"{RBAC}/clusterrolebindings", everything).code == 201
    shared.user = service_account_user("default", "bot")
    assert shared.ask("DELETE", f"{CORE}/pods").code == 200
    shared.user = service_account_user("other", "bot")
    assert shared.ask("DELETE", f"{CORE}/pods").code == FORBIDDEN


def test_faults_of_roles_and_bindings(shared: Client) -> None:
    bad = binding("bad", "Role", "", account("A_"), {"kind": "Other", "name": "x"})
    message = shared.ask("POST", f"{RBAC}/clusterrolebindings", bad).body["message"]
    assert message.startswith(
        'ClusterRoleBinding.rbac.authorization.k8s.io "bad" is invalid: [roleRef.kind: '
        'Unsupported value: "Role": supported values: "ClusterRole", roleRef.name: Required value, '
        'subjects[0].name: Invalid value: "A_": a lowercase RFC 1123 subdomain'
    )
    assert message.endswith(
        'subjects[0].namespace: Required value, subjects[1].kind: Unsupported value: "Other": '
        'supported values: "ServiceAccount", "User", "Group"]'
    )
    paths = {"verbs": ["get"], "nonResourceURLs": ["/x"]}
    assert shared.ask("POST", f"{HERE}/roles", role("bad", paths)).body["message"] == (
        'Role.rbac.authorization.k8s.io "bad" is invalid: rules[0].nonResourceURLs: '
        'Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'
    )


def test_a_binding_stays_with_its_role_and_shows_it(shared: Client) -> None:
    made = binding("b", "Role", "r", user("u"), account("s", namespace="n"), account("t"))
    del made["roleRef"]["apiGroup"]
    answer = shared.ask("POST", f"{HERE}/rolebindings", made).body
    assert answer["roleRef"]["apiGroup"] == answer["subjects"][0]["apiGroup"]
    changed = {**answer, "roleRef": {**answer["roleRef"], "name": "z"}}
    refused = shared.ask("PUT", f"{HERE}/rolebindings/b", changed)
    assert refused.body["message"].endswith(": cannot change roleRef")
    table = shared.get(f"{HERE}/rolebindings", accept=TABLE)
    assert table["rows"][0]["cells"] == ["b", "Role/r", "0s", "u", "", "n/s, /t"]


def test_a_service_account_may_be_spoken_for_by_whoever_may(shared: Client) -> None:
    speaks = role("speaks", rule("", "serviceaccounts", "impersonate", "bot"))
    assert shared.ask("POST", f"{HERE}/roles", speaks).code == 201
    bound = binding("speaks", "Role", "speaks", user("jane"))
    assert shared.ask("POST", f"{HERE}/rolebindings", bound).code == 201
    shared.user = User("jane", ("system:authenticated",))
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    told = shared.ask("POST", path, {}, impersonate_user="system:serviceaccount:default:bot")
    assert told.body["status"]["userInfo"]["groups"][0] == "system:serviceaccounts"
    refused = shared.ask("POST", path, {}, impersonate_user="system:serviceaccount:default:other")
    assert refused.body["message"].startswith('serviceaccounts "other" is forbidden')


VIEW = {"metadata": {"labels": {f"{GROUP}/aggregate-to-view": "true"}}}
LABELLER = rule(GROUP, "roles clusterroles rolebindings clusterrolebindings", "get patch update")


def patched(client: Client, path: str, change: Any) -> int:
    client.user = User("mallory", ("system:authenticated",))
    return client.ask("PATCH", f"{path}?fieldManager=m", change, content_type=MERGE).code


@pytest.mark.parametrize(
    ("path", "change", "code"),
    [
        # Any change of a role that has more than its writer: a label has it aggregated elsewhere.
        ("clusterroles/cluster-admin", VIEW, FORBIDDEN),
        ("clusterroles/cluster-admin", {"metadata": {"annotations": {"a": "b"}}}, FORBIDDEN),
        ("namespaces/default/roles/much", {"metadata": {"labels": {"a": "b"}}}, FORBIDDEN),
        ("clusterrolebindings/admins", {"metadata": {"labels": {"a": "b"}}}, FORBIDDEN),
        ("namespaces/default/rolebindings/much", {"metadata": {"labels": {"a": "b"}}}, FORBIDDEN),
        # What garbage collection writes is free, and so is what changes nothing.
        ("clusterroles/cluster-admin", {"metadata": {"finalizers": ["a.b/c"]}}, 200),
        ("clusterrolebindings/admins", {"metadata": {"finalizers": ["a.b/c"]}}, 200),
        ("clusterroles/cluster-admin", {}, 200),
        # Roles that give no more than their writer has.
        ("clusterroles/labeller", {"metadata": {"labels": {"a": "b"}}}, 200),
        # Aggregation, which is there or was there, is for those who may do everything.
        ("clusterroles/none", VIEW, 200),
        ("clusterroles/gathers", {"metadata": {"labels": {"a": "b"}}}, FORBIDDEN),
        ("clusterroles/gathers", {"aggregationRule": None}, FORBIDDEN),
    ],
)
def test_whoever_changes_a_role_or_binding_has_what_it_gives(
    shared: Client, path: str, change: Any, code: int
) -> None:
    gathers = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    setup = (
        (f"{RBAC}/clusterroles", role("labeller", LABELLER)),
        (
            f"{RBAC}/clusterrolebindings",
            binding("labeller", "ClusterRole", "labeller", user("mallory")),
        ),
        (f"{RBAC}/clusterroles", role("none")),
        (f"{RBAC}/clusterroles", {**role("gathers"), "aggregationRule": gathers}),
        (
            f"{RBAC}/clusterrolebindings",
            binding("admins", "ClusterRole", "cluster-admin", user("root")),
        ),
        (f"{HERE}/roles", role("much", rule("", "secrets", "get"))),
        (f"{HERE}/rolebindings", binding("much", "Role", "much", user("jane"))),
    )
    for where, body in setup:
        assert shared.ask("POST", where, body).code == 201
    assert patched(shared, f"{RBAC}/{path}", change) == code
