"""The roles and bindings that every cluster comes with, as far as Podium has use for them.

Those of v1.36's own controllers and of nodes are missing: here nobody acts under these names, and
what nodes may do is told in `podium/apiserver/authentication/users.py`.
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
"""The roles that are made of others, and the one that they are a part of themselves."""

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
    """What a cluster has that people share: default roles, and a first service account.

    The service account wakes the controller up that makes those of the other namespaces.
    """
    yield KINDS["ServiceAccount"], {"metadata": {"name": "default", "namespace": "default"}}
    yield from default_roles()


def default_roles() -> Iterator[tuple[Kind, Object]]:
    """The cluster roles and their bindings; what aggregated roles come to isn't filled in."""
    for called, rules in _rules():
        part = called.removeprefix("system:aggregate-to-")
        named = _named(called, part if part != called else "")
        yield KINDS["ClusterRole"], {**named, "rules": rules}
    for called, part in _AGGREGATED.items():
        chosen = {"matchLabels": {f"{_AGGREGATE}{called}": "true"}}
        rule = {"clusterRoleSelectors": [chosen]}
        yield KINDS["ClusterRole"], {**_named(called, part), "aggregationRule": rule}
    for called, kind, *subjects in _BOUND:
        binding = {
            "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": called},
            "subjects": [{"apiGroup": GROUP, "kind": kind, "name": one} for one in subjects],
        }
        yield KINDS["ClusterRoleBinding"], {**_named(called, ""), **binding}


def _named(called: str, part: str) -> dict[str, Any]:
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    if part:
        labels[f"{_AGGREGATE}{part}"] = "true"
    annotations = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"metadata": {"name": called, "labels": labels, "annotations": annotations}}


def _rules() -> Iterator[tuple[str, list[Object]]]:
    text = _ROLES.read_text(encoding="utf-8").replace("\n        ", " ").strip()
    for role in text.split("\n"):
        if not role.startswith(" "):
            rules: list[Object] = []
            yield role, rules
        else:
            rules.append(_rule(*(part.split() for part in role.split("|"))))


def _rule(
    verbs: list[str], groups: list[str], resources: list[str] | None = None, *names: list[str]
) -> Object:
    every = [one for verb in verbs for one in _VERBS.get(verb, verb).split()]
    if resources is None:
        return {"nonResourceURLs": groups, "verbs": every}
    rule = {
        "apiGroups": ["" if group == "core" else group for group in groups],
        "resources": resources,
        "verbs": every,
    }
    return {**rule, "resourceNames": names[0]} if names else rule
