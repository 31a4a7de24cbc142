"""The default roles and bindings of a new cluster, as far as Podium uses them.

Those of v1.36's controllers are missing, as no user acts in their names here; the permissions of
kubelets are in `podium/apiserver/authentication/users.py`.
"""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object
from podium.apiserver.rbac.authorizer import GROUP

# Each role with its rules: verbs, groups, resources and names, or verbs and paths.
_ROLES = files("podium.apiserver.rbac") / "default_roles.txt"

_VERBS = {
    "all": "create delete deletecollection get list patch update watch",
    "read": "get list watch",
    "write": "create delete deletecollection patch update",
}
_AGGREGATED = {"admin": "", "edit": "admin", "view": "edit"}
"""The aggregated roles, each with the role into which it is itself aggregated."""

_BOUND = (
    ("cluster-admin", "Group", "system:masters"),
    ("system:basic-user", "Group", "system:authenticated"),
    ("system:discovery", "Group", "system:authenticated"),
    ("system:kube-controller-manager", "User", "system:kube-controller-manager"),
    ("system:kube-scheduler", "User", "system:kube-scheduler"),
    ("system:monitoring", "Group", "system:monitoring"),
    ("system:public-info-viewer", "Group", "system:authenticated", "system:unauthenticated"),
    ("system:volume-scheduler", "User", "system:kube-scheduler"),
)
_AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"


def default_access() -> Iterator[tuple[Kind, Object]]:
    """Yield the initial objects of a cluster with several users: roles and a service account.

    The service account lets its controller start and create those of other namespaces. Another
    controller sets the rules of aggregated roles.
    """
    yield KINDS["ServiceAccount"], {"metadata": {"name": "default", "namespace": "default"}}
    rules_of: dict[str, list[Object]] = {}
    # An unindented line names a role; each line below it is a rule, wrapped with more indentation.
    text = _ROLES.read_text(encoding="utf-8").replace("\n        ", " ").strip()
    for line in text.split("\n"):
        if not line.startswith(" "):
            rules = rules_of[line] = []
        else:
            rules.append(_rule(*(part.split() for part in line.split("|"))))
    for name, rules in rules_of.items():
        aggregate = name.removeprefix("system:aggregate-to-")
        named = _named(name, aggregate if aggregate != name else "")
        yield KINDS["ClusterRole"], {**named, "rules": rules}
    for name, aggregate in _AGGREGATED.items():
        rule = {"clusterRoleSelectors": [{"matchLabels": {f"{_AGGREGATE}{name}": "true"}}]}
        yield KINDS["ClusterRole"], {**_named(name, aggregate), "aggregationRule": rule}
    for name, kind, *subjects in _BOUND:
        binding = {
            "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": name},
            "subjects": [
                {"apiGroup": GROUP, "kind": kind, "name": subject} for subject in subjects
            ],
        }
        yield KINDS["ClusterRoleBinding"], {**_named(name, ""), **binding}


def _named(name: str, aggregate: str) -> dict[str, Any]:
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    if aggregate:
        labels[f"{_AGGREGATE}{aggregate}"] = "true"
    annotations = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"metadata": {"name": name, "labels": labels, "annotations": annotations}}


def _rule(
    verbs: list[str], groups: list[str], resources: list[str] | None = None, *names: list[str]
) -> Object:
    all_verbs = [full for verb in verbs for full in _VERBS.get(verb, verb).split()]
    if resources is None:
        return {"nonResourceURLs": groups, "verbs": all_verbs}
    rule = {
        "apiGroups": ["" if group == "core" else group for group in groups],
        "resources": resources,
        "verbs": all_verbs,
    }
    return {**rule, "resourceNames": names[0]} if names else rule
