"""The RBAC authorizer: permits requests by roles and bindings, as in v1.36.

Users may only grant permissions that they have themselves; permissions are compared for each verb
on each resource. A user with the verb `escalate` on a role, or `bind`, needn't have these.

Of the default roles and bindings of a new cluster, those of v1.36's controllers are missing, as no
user acts in their names here; what kubelets may is in `podium/apiserver/authentication/users.py`.
"""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import product
from typing import Any

import msgspec
from msgspec import structs

from podium.api.errors import RefusedError, aggregate, quoted
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, entries, name, part
from podium.apiserver.attributes import Attributes
from podium.apiserver.authentication.users import MASTERS, RULES, Attempt, PolicyRule, User
from podium.apiserver.refusals import forbidden, not_found
from podium.apiserver.store.store import Store

GROUP = "rbac.authorization.k8s.io"
_SERVICE_ACCOUNT = "ServiceAccount"


class AuthorizerVerdict(msgspec.Struct, frozen=True):
    """An authorization decision; its reason is the permitting binding or the faults of bindings."""

    allowed: bool
    reason: str = ""


class Granted(msgspec.Struct, frozen=True):
    """The rules that one binding grants to a user; none if the binding has a `fault`."""

    rules: tuple[PolicyRule, ...]
    reason: str
    fault: str = ""


class Authorizer:
    """Permits requests by the fixed rules of groups, and by stored roles and bindings."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def decide(self, user: User, attempt: Attempt) -> AuthorizerVerdict:
        """Decide whether a user is permitted to make a request."""
        if user.may(attempt):
            return AuthorizerVerdict(True)
        faults = []
        for granted in self.granted(user, attempt.namespace):
            if any(rule.permits(attempt) for rule in granted.rules):
                return AuthorizerVerdict(True, f"RBAC: allowed by {granted.reason}")
            if granted.fault:
                faults.append(granted.fault)
        return AuthorizerVerdict(False, f"RBAC: {aggregate(faults)}" if faults else "")

    def rules(self, user: User, place: str) -> tuple[list[PolicyRule], list[str]]:
        """Return all rules for a user in a namespace, and the faults of the user's bindings."""
        grants = [*self.granted(user, place)]
        rules = [rule for granted in grants for rule in granted.rules]
        faults = [granted.fault for granted in grants if granted.fault]
        return [*user.rules, *(rule for rule in rules if rule not in user.rules)], faults

    def granted(self, user: User, place: str) -> Iterator[Granted]:
        """Yield what bindings grant to a user in the cluster and, if given, in a namespace."""
        scopes = [("ClusterRoleBinding", ""), *([("RoleBinding", place)] if place else [])]
        for kind, namespace in scopes:
            for binding in self._store.list(kind, namespace or None).items:
                subject = _subject_of(user, binding, namespace)
                if not subject:
                    continue
                reference = binding["roleRef"]
                full_name = f"{name(binding)}/{namespace}" if namespace else name(binding)
                role = f"{reference['kind']} {quoted(reference['name'])}"
                reason = f"{kind} {quoted(full_name)} of {role} to {subject}"
                rules = self.role_rules(reference, namespace)
                if rules is None:
                    resource = f"{reference['kind'].lower()}.{GROUP}"
                    yield Granted((), reason, f"{resource} {quoted(reference['name'])} not found")
                else:
                    yield Granted(rules, reason)

    def role_rules(self, reference: Object, place: str) -> tuple[PolicyRule, ...] | None:
        """Return the rules of the role of a `roleRef`; None if the role doesn't exist."""
        kind = reference.get("kind") or ""
        where = place if kind == "Role" else ""
        role = self._store.get(kind, where, reference.get("name") or "") if kind in KINDS else None
        return None if role is None else rules_of(role)


def rules_of(role: Object) -> tuple[PolicyRule, ...]:
    """Return the rules of a Role or ClusterRole."""
    return tuple(
        PolicyRule(
            verbs=tuple(entries(policy, "verbs")),
            groups=tuple(entries(policy, "apiGroups")),
            resources=tuple(entries(policy, "resources")),
            names=tuple(entries(policy, "resourceNames")),
            paths=tuple(entries(policy, "nonResourceURLs")),
        )
        for policy in entries(role, "rules")
    )


def _subject_of(user: User, binding: Object, place: str) -> str:
    for subject in binding.get("subjects") or ():
        kind, subject_name = subject.get("kind"), subject.get("name") or ""
        if kind == _SERVICE_ACCOUNT:
            where = subject.get("namespace") or place
            if where and user.name == f"system:serviceaccount:{where}:{subject_name}":
                return f"{kind} {quoted(f'{subject_name}/{where}')}"
        elif (kind == "User" and user.name == subject_name) or (
            kind == "Group" and subject_name in user.groups
        ):
            return f"{kind} {quoted(subject_name)}"
    return ""


def denied(user: User, attempt: Attempt, reason: str = "") -> RefusedError:
    """403: the user has no right to make a request."""
    resource = f"resource {quoted(attempt.full_resource)} in API group {quoted(attempt.group)}"
    where = "at the cluster scope"
    if attempt.namespace:
        where = f"in the namespace {quoted(attempt.namespace)}"
    why = f"User {quoted(user.name)} cannot {attempt.verb} {resource} {where}"
    group = f".{attempt.group}" if attempt.group else ""
    name = f" {quoted(attempt.name)}" if attempt.name else ""
    message = f"{attempt.resource}{group}{name} is forbidden: {why}"
    known = {"name": attempt.name, "group": attempt.group, "kind": attempt.resource}
    details = {field: value for field, value in known.items() if value}
    return RefusedError(
        403, "Forbidden", f"{message}: {reason}" if reason else message, details=details
    )


_ROLES = ("Role", "ClusterRole")
# The fields that garbage collection writes, and the managedFields that track these writes.
_COLLECTION_FIELDS = ("ownerReferences", "finalizers", "managedFields")


def check_grant(authorizer: Authorizer, request: Attributes, obj: Object) -> None:
    """Refuse a role or binding if it grants permissions that the user lacks; raises RefusedError.

    Every update is checked, as even a label can add a role to an aggregated one, except for changes
    that garbage collection makes: of owner references and finalizers.
    """
    kind, old = request.kind, request.old
    if kind.group != GROUP or MASTERS in request.user.groups:
        return
    if old is not None and _without_collection_fields(old) == _without_collection_fields(obj):
        return
    if kind.name in _ROLES:
        if _may(authorizer, request, "escalate", kind, request.name):
            return
        why = _objection(authorizer, request, rules_of(obj))
        is_aggregated = any(
            part(role, "aggregationRule").get("clusterRoleSelectors") for role in (obj, old or {})
        )
        if not why and is_aggregated and _objection(authorizer, request, RULES[MASTERS]):
            why = "must have cluster-admin privileges to use the aggregationRule"
    else:
        reference = obj.get("roleRef") or {}
        role_kind, role_name = KINDS.get(reference.get("kind") or ""), reference.get("name") or ""
        if role_kind is None or role_kind.name not in _ROLES:
            # Validation refuses the binding.
            return
        if _may(authorizer, request, "bind", role_kind, role_name):
            return
        rules = authorizer.role_rules(reference, request.namespace)
        if rules is None:
            raise not_found(kind, role_name)
        why = _objection(authorizer, request, rules)
    if why:
        raise forbidden(kind, name(obj), why)


def _without_collection_fields(obj: Object) -> Object:
    metadata = {
        field: value
        for field, value in obj["metadata"].items()
        if value and field not in _COLLECTION_FIELDS
    }
    return {field: value for field, value in {**obj, "metadata": metadata}.items() if value}


def _may(authorizer: Authorizer, request: Attributes, verb: str, kind: Kind, role: str) -> bool:
    attempt = Attempt(verb, kind.group, kind.plural, namespace=request.namespace, name=role)
    return authorizer.decide(request.user, attempt).allowed


def _objection(authorizer: Authorizer, request: Attributes, wanted: Iterable[PolicyRule]) -> str:
    """Return why the user may not grant these rules; empty if the user has all permissions."""
    user = request.user
    held, faults = authorizer.rules(user, request.namespace)
    missing = [
        piece
        for rule in wanted
        for piece in _pieces(rule)
        if not any(own.permits(piece) for own in held)
    ]
    if not missing:
        return ""
    # One line lists all verbs on a resource; each verb on a path has a line of its own.
    verbs: dict[Attempt, dict[str, None]] = {}
    for piece in missing:
        key = piece if piece.path else structs.replace(piece, verb="")
        verbs.setdefault(key, {})[piece.verb] = None
    lines = set()
    for piece, missing_verbs in verbs.items():
        fields = {"NonResourceURLs": [piece.path]}
        if not piece.path:
            fields = {"APIGroups": [piece.group], "Resources": [piece.full_resource]}
            if piece.name:
                fields["ResourceNames"] = [piece.name]
        texts = (
            f"{field}:[{' '.join(map(quoted, values))}]"
            for field, values in {**fields, "Verbs": missing_verbs}.items()
        )
        lines.add(f"{{{', '.join(texts)}}}")
    groups = " ".join(map(quoted, user.groups))
    why = (
        f"user {quoted(user.name)} (groups=[{groups}]) is attempting to grant RBAC permissions "
        "not currently held:\n" + "\n".join(sorted(lines))
    )
    return f"{why}; resolution errors: {aggregate(faults)}" if faults else why


def _pieces(rule: PolicyRule) -> Iterator[Attempt]:
    for group, resource, verb, object_name in product(
        rule.groups, rule.resources, rule.verbs, rule.names or ("",)
    ):
        plural, _, subresource = resource.partition("/")
        yield Attempt(verb, group, plural, subresource, name=object_name)
    for path, verb in product(rule.paths, rule.verbs):
        yield Attempt(verb, path=path)


# Each role with its rules: verbs, groups, resources and names, or verbs and paths.
_DEFAULT_ROLES = files("podium.apiserver.rbac") / "default_roles.txt"

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
    text = _DEFAULT_ROLES.read_text(encoding="utf-8").replace("\n        ", " ").strip()
    for line in text.split("\n"):
        if not line.startswith(" "):
            rules = rules_of[line] = []
        else:
            rules.append(_rule(*(part.split() for part in line.split("|"))))
    for role, rules in rules_of.items():
        aggregate = role.removeprefix("system:aggregate-to-")
        named = _named(role, aggregate if aggregate != role else "")
        yield KINDS["ClusterRole"], {**named, "rules": rules}
    for role, aggregate in _AGGREGATED.items():
        rule = {"clusterRoleSelectors": [{"matchLabels": {f"{_AGGREGATE}{role}": "true"}}]}
        yield KINDS["ClusterRole"], {**_named(role, aggregate), "aggregationRule": rule}
    for role, kind, *subjects in _BOUND:
        binding = {
            "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
            "subjects": [
                {"apiGroup": GROUP, "kind": kind, "name": subject} for subject in subjects
            ],
        }
        yield KINDS["ClusterRoleBinding"], {**_named(role, ""), **binding}


def _named(role: str, aggregate: str) -> dict[str, Any]:
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    if aggregate:
        labels[f"{_AGGREGATE}{aggregate}"] = "true"
    annotations = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"metadata": {"name": role, "labels": labels, "annotations": annotations}}


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
