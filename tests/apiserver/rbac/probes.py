"""Roles, bindings and requests that they permit or don't; asked here and of the real API server."""

from collections.abc import Callable
from typing import Any, NamedTuple

RBAC = "/apis/rbac.authorization.k8s.io/v1"
HERE = f"{RBAC}/namespaces/default"
CORE = "/api/v1/namespaces/default"
REVIEWS = "/apis/authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
BOT, EYES = "system:serviceaccount:default:bot", "system:serviceaccount:default:eyes"
MERGE = "application/merge-patch+json"

Json = dict[str, Any]
Ask = Callable[[str, str, Json | None, dict[str, str]], tuple[int, Any]]


class Probe(NamedTuple):
    """A request in somebody's name; empty for the admin's."""

    user: str
    method: str
    path: str
    body: Json | None = None
    group: str = ""


def rule(groups: str, resources: str, verbs: str, names: str = "") -> Json:
    found = {"apiGroups": groups.split(","), "resources": resources.split()}
    found |= {"verbs": verbs.split(), **({"resourceNames": names.split()} if names else {})}
    return found


def role(name: str, *rules: Json) -> Json:
    return {"metadata": {"name": name}, "rules": [*rules]}


def binding(name: str, kind: str, role_name: str, *subjects: Json) -> Json:
    reference = {"apiGroup": GROUP, "kind": kind, "name": role_name}
    return {"metadata": {"name": name}, "roleRef": reference, "subjects": [*subjects]}


def user(name: str) -> Json:
    return {"kind": "User", "name": name}


def account(name: str, **more: str) -> Json:
    return {"kind": "ServiceAccount", "name": name, **more}


_POLICIES = "clusterroles clusterrolebindings roles rolebindings"
SETUP = (
    (
        f"{HERE}/roles",
        role(
            "reader", rule("", "pods", "get list"), rule("", "configmaps", "get list update", "one")
        ),
    ),
    (
        f"{HERE}/rolebindings",
        binding("reader", "Role", "reader", account("bot", namespace="default"), user("jane")),
    ),
    (
        f"{RBAC}/clusterroles",
        role(
            "boss",
            rule("", "pods pods/log secrets", "get list delete"),
            rule("apps", "*", "get list"),
            rule(GROUP, "roles rolebindings", "create update patch get"),
            rule("authorization.k8s.io", "localsubjectaccessreviews", "create"),
        ),
    ),
    (f"{HERE}/rolebindings", binding("boss", "ClusterRole", "boss", user("boss"))),
    (
        f"{HERE}/rolebindings",
        binding("looks", "ClusterRole", "boss", account("eyes"), {"kind": "Group", "name": "devs"}),
    ),
    (f"{RBAC}/clusterrolebindings", binding("lost", "ClusterRole", "gone", user("lost"))),
    (f"{RBAC}/clusterroles", role("spare")),
    (
        f"{RBAC}/clusterroles",
        role(
            "odd",
            rule("*", "*/scale", "get"),
            {"nonResourceURLs": ["/metrics", "/debug/*"], "verbs": ["get"]},
            rule("apps", "*", "*"),
            rule(GROUP, _POLICIES, "create update patch get"),
            rule(GROUP, "clusterroles", "bind", "boss"),
            rule(GROUP, "clusterroles", "escalate", "spare"),
        ),
    ),
    (f"{RBAC}/clusterrolebindings", binding("odd", "ClusterRole", "odd", user("odd"))),
    (f"{CORE}/configmaps", {"metadata": {"name": "one"}}),
)


def _review(who: str, group: str = "", **asked: Any) -> Probe:
    spec = {"user": who, **({"groups": [group]} if group else {})}
    path = asked.pop("path", "")
    if path:
        spec["nonResourceAttributes"] = {"verb": "get", "path": path}
    else:
        spec["resourceAttributes"] = asked
    return Probe("", "POST", f"{REVIEWS}/subjectaccessreviews", {"spec": spec})


_EVERYTHING = rule("*", "*", "*")
_MUCH = (
    rule(",apps", "nodes pods deployments", "get list use"),
    rule("", "quux", "get list", "m n"),
)
PROBES = (
    *(
        Probe("jane", method, f"{CORE}/{path}")
        for method, path in (
            ("GET", "pods"),
            ("GET", "pods/x"),
            ("GET", "pods/x/log"),
            ("DELETE", "pods/x"),
            ("DELETE", "pods"),
            ("GET", "pods?watch=true&timeoutSeconds=1"),
            ("GET", "configmaps/two"),
            ("GET", "configmaps"),
            ("GET", "configmaps?fieldSelector=metadata.name%3Dtwo"),
            ("GET", "secrets?fieldSelector=type%3Dx"),
        )
    ),
    Probe("jane", "POST", f"{CORE}/pods", {}),
    Probe("jane", "POST", f"{CORE}/pods/x/eviction", {}),
    Probe("jane", "PATCH", f"{CORE}/pods/x/status", {}),
    Probe("jane", "GET", "/api/v1/pods"),
    Probe("jane", "GET", "/api/v1/namespaces/kube-system/pods"),
    Probe("jane", "GET", "/api/v1/nodes/n1"),
    Probe("jane", "GET", "/apis/apps/v1/namespaces/default/deployments/x/scale"),
    Probe("jane", "GET", "/"),
    Probe("jane", "GET", "/nothing"),
    Probe("odd", "GET", "/apis/apps/v1/namespaces/default/deployments/x/scale"),
    Probe("odd", "GET", f"{CORE}/replicationcontrollers/x/scale"),
    Probe("odd", "GET", f"{CORE}/replicationcontrollers/x/status"),
    Probe("odd", "GET", "/debug"),
    Probe(BOT, "GET", f"{CORE}/pods"),
    Probe(BOT, "GET", f"{CORE}/secrets/a"),
    Probe(EYES, "GET", f"{CORE}/secrets"),
    Probe(EYES, "GET", f"{CORE}/configmaps"),
    Probe("x", "DELETE", f"{CORE}/pods/x", None, "devs"),
    Probe("x", "PATCH", f"{CORE}/pods/x", {}, "devs"),
    Probe("lost", "GET", "/api/v1/pods"),
    Probe("lost", "GET", "/apis/batch/v1/namespaces/default/jobs/a"),
    Probe("lost", "GET", "/nothing"),
    # What is given away.
    Probe("boss", "POST", f"{HERE}/roles", role("a", *_MUCH)),
    Probe("boss", "POST", f"{HERE}/roles", role("a", rule("", "pods pods/log", "get list"))),
    Probe("boss", "PATCH", f"{HERE}/roles/a", {"rules": [_EVERYTHING]}),
    Probe("boss", "PATCH", f"{HERE}/roles/a", {"metadata": {"labels": {"a": "b"}}}),
    Probe("boss", "POST", f"{HERE}/rolebindings", binding("e", "ClusterRole", "cluster-admin")),
    Probe("boss", "POST", f"{HERE}/rolebindings", binding("e", "Role", "nobody")),
    Probe("boss", "POST", f"{HERE}/rolebindings", binding("e", "ClusterRole", "boss", user("q"))),
    Probe("boss", "POST", f"{HERE}/rolebindings", binding("e-2", "ClusterRole", "odd")),
    Probe("boss", "POST", f"{RBAC}/clusterroles", role("a")),
    Probe(
        "boss",
        "POST",
        f"{HERE}/roles",
        role("c", rule("x", "y", "z"), {"apiGroups": ["x"], "verbs": []}),
    ),
    Probe(
        "odd",
        "POST",
        f"{RBAC}/clusterroles",
        {
            "metadata": {"name": "aggregated"},
            "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
        },
    ),
    Probe(
        "odd",
        "POST",
        f"{RBAC}/clusterroles",
        role("p", {"nonResourceURLs": ["/metrics", "/debug/x", "/logs"], "verbs": ["get", "post"]}),
    ),
    Probe("odd", "POST", f"{RBAC}/clusterrolebindings", binding("v", "ClusterRole", "boss")),
    Probe(
        "odd", "POST", f"{RBAC}/clusterrolebindings", binding("w", "ClusterRole", "cluster-admin")
    ),
    Probe("odd", "PATCH", f"{RBAC}/clusterroles/spare", {"rules": [rule("q", "q", "q")]}),
    Probe("odd", "PATCH", f"{RBAC}/clusterroles/odd", {"rules": [rule("q", "q", "q")]}),
    # What is wrong with it.
    Probe(
        "",
        "POST",
        f"{HERE}/roles",
        role(
            "bad",
            rule("", "pods", ""),
            {"verbs": ["get"], "nonResourceURLs": ["/x"]},
            {"verbs": ["get"], "resources": ["pods"]},
            {"verbs": ["get"], "apiGroups": [""]},
            {**rule("", "pods", "get"), "nonResourceURLs": ["/x"]},
        ),
    ),
    Probe(
        "",
        "POST",
        f"{RBAC}/clusterroles",
        {
            "metadata": {"name": "bad"},
            "aggregationRule": {"clusterRoleSelectors": []},
            "rules": [{"verbs": ["get"], "nonResourceURLs": ["x"], "resources": ["pods"]}],
        },
    ),
    Probe(
        "",
        "POST",
        f"{HERE}/rolebindings",
        {
            "metadata": {"name": "bad"},
            "roleRef": {"apiGroup": "x", "kind": "Other", "name": "a/b"},
            "subjects": [
                user(""),
                {**user("a"), "apiGroup": "x"},
                account("A_b"),
                account("ab", apiGroup="x"),
                {"kind": "Other", "name": "x"},
            ],
        },
    ),
    Probe("", "POST", f"{RBAC}/clusterrolebindings", binding("bad", "Role", "", account("a"))),
    Probe("", "PATCH", f"{HERE}/rolebindings/reader", {"roleRef": {"name": "z"}}),
    # What is said of it.
    _review("jane", verb="get", resource="pods", namespace="default"),
    _review("jane", verb="delete", resource="pods", namespace="default"),
    _review("x", "devs", verb="delete", resource="pods", namespace="default"),
    _review(BOT, verb="get", resource="pods", namespace="default"),
    _review("lost", verb="get", resource="pods"),
    _review("lost", path="/x"),
    _review("x", "system:masters", verb="delete", resource="pods"),
    Probe("jane", "POST", f"{REVIEWS}/subjectaccessreviews", {"spec": {}}),
    Probe(
        "boss",
        "POST",
        f"{REVIEWS}/namespaces/default/localsubjectaccessreviews",
        {
            "spec": {
                "user": "jane",
                "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"},
            }
        },
    ),
)


def clear(ask: Ask) -> None:
    """Remove all that the probes may have left."""
    for path, body in (*SETUP, *((probe.path, probe.body) for probe in PROBES if probe.body)):
        if name := (body or {}).get("metadata", {}).get("name"):
            ask("DELETE", f"{path}/{name}", None, {})


def answers(ask: Ask) -> list[tuple[Probe, int, Any]]:
    """What a server answers once it has the roles."""
    for path, body in SETUP:
        code, answer = ask("POST", path, body, {})
        assert code == 201, answer
    found = []
    for probe in PROBES:
        headers = {"Impersonate-User": probe.user} if probe.user else {}
        headers |= {"Impersonate-Group": probe.group} if probe.group else {}
        headers["Content-Type"] = MERGE if probe.method == "PATCH" else "application/json"
        code, answer = ask(probe.method, probe.path, probe.body, headers)
        if code < 400 and "status" not in answer:
            answer = {}
        found.append((probe, code, {**answer, "metadata": {}} if answer else answer))
    return found
