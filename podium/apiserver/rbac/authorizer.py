"""The RBAC authorizer: permits requests by roles and bindings, as in v1.36."""

from collections.abc import Iterator

import msgspec

from podium.api.errors import aggregate, quoted
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, name
from podium.apiserver.authentication.users import Attempt, PolicyRule, User
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
