"""Decides by roles and bindings what users may do, as v1.36's RBAC authorizer does."""

from collections.abc import Iterator

import msgspec

from podium.api.errors import aggregate, quoted
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, name
from podium.apiserver.admission.plugin import StoreView
from podium.apiserver.authentication.users import Attempt, Rule, User

GROUP = "rbac.authorization.k8s.io"
_SERVICE_ACCOUNT = "ServiceAccount"


class AuthorizerVerdict(msgspec.Struct, frozen=True):
    """A decision, with the binding that allows it or the faults of bindings, if any."""

    allowed: bool
    reason: str = ""


class Granted(msgspec.Struct, frozen=True):
    """Rules that a user has by one binding; none where its fault isn't empty."""

    rules: tuple[Rule, ...]
    reason: str
    fault: str = ""


class Authorizer:
    """Decides what users may do by stored roles and bindings."""

    def __init__(self, view: StoreView) -> None:
        self._view = view

    def decide(self, user: User, attempt: Attempt) -> AuthorizerVerdict:
        """Whether a user may do something, by what groups of the server may, or by bindings."""
        if user.may(attempt):
            return AuthorizerVerdict(True)
        faults = []
        for granted in self.granted(user, attempt.namespace):
            if any(rule.permits(attempt) for rule in granted.rules):
                return AuthorizerVerdict(True, f"RBAC: allowed by {granted.reason}")
            if granted.fault:
                faults.append(granted.fault)
        return AuthorizerVerdict(False, f"RBAC: {aggregate(faults)}" if faults else "")

    def rules(self, user: User, place: str) -> tuple[list[Rule], list[str]]:
        """All rules that a user has in a namespace, and what kept bindings from counting."""
        found = [*self.granted(user, place)]
        rules = [rule for granted in found for rule in granted.rules]
        faults = [granted.fault for granted in found if granted.fault]
        return [*user.rules, *(rule for rule in rules if rule not in user.rules)], faults

    def granted(self, user: User, place: str) -> Iterator[Granted]:
        """Rules that a user has in the whole cluster, and in a namespace if it isn't empty."""
        for binding in self._view.list("ClusterRoleBinding"):
            subject = _subject_of(user, binding, "")
            if subject:
                yield self._by(binding, subject)
        for binding in self._view.list("RoleBinding", place) if place else ():
            subject = _subject_of(user, binding, place)
            if subject:
                yield self._by(binding, subject)

    def role_rules(self, reference: Object, place: str) -> tuple[Rule, ...] | None:
        """The rules of the role in a `roleRef` in a namespace; None if there is no such role."""
        kind = reference.get("kind") or ""
        where = place if kind == "Role" else ""
        role = self._view.get(kind, where, reference.get("name") or "") if kind in KINDS else None
        return None if role is None else rules_of(role)

    def _by(self, binding: Object, subject: str) -> Granted:
        place, reference = binding["metadata"].get("namespace", ""), binding["roleRef"]
        called = f"{name(binding)}/{place}" if place else name(binding)
        kind = "RoleBinding" if place else "ClusterRoleBinding"
        role = f"{reference['kind']} {quoted(reference['name'])}"
        reason = f"{kind} {quoted(called)} of {role} to {subject}"
        rules = self.role_rules(reference, place)
        if rules is None:
            resource = f"{reference['kind'].lower()}.{GROUP}"
            return Granted((), reason, f"{resource} {quoted(reference['name'])} not found")
        return Granted(rules, reason)


def rules_of(role: Object) -> tuple[Rule, ...]:
    """The rules of a Role or ClusterRole."""
    return tuple(
        Rule(
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
        kind, called = subject.get("kind"), subject.get("name") or ""
        if kind == _SERVICE_ACCOUNT:
            where = subject.get("namespace") or place
            if where and user.name == f"system:serviceaccount:{where}:{called}":
                return f"{kind} {quoted(f'{called}/{where}')}"
        elif (kind == "User" and user.name == called) or (
            kind == "Group" and called in user.groups
        ):
            return f"{kind} {quoted(called)}"
    return ""
