"""Escalation checks: users who write roles and bindings can only grant rights that they have.

Rights are compared piece by piece, a piece being one verb on one resource, as v1.36 compares them.
Who may `escalate` a role, or `bind` it, needn't have them.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from podium.api.errors import aggregate, quoted
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, part
from podium.apiserver.attributes import Attributes
from podium.apiserver.authentication.users import (
    ANY,
    MASTERS,
    Attempt,
    Rule,
    User,
    matches,
    permits,
)
from podium.apiserver.rbac.authorizer import GROUP, Authorizer, rules_of
from podium.apiserver.refusals import forbidden, not_found

_ROLES = ("Role", "ClusterRole")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
# Garbage collection writes owner references and finalizers; who wrote them is noted beside.
_COLLECTION_FIELDS = ("ownerReferences", "finalizers", "managedFields")
_EVERYTHING = (Rule((ANY,), (ANY,), (ANY,)), Rule((ANY,), paths=(ANY,)))


def check_grant(authorizer: Authorizer, request: Attributes, obj: Object) -> None:
    """Refuse a role or binding that grants more than its writer has.

    An update is judged as a whole, whatever it changes: a label alone can have a role aggregated
    into another one. Only what garbage collection needs, owner references and finalizers, is free.

    Raises:
        RefusedError: 403, the user lacks some of the rules; 404, there is no such role.
    """
    kind = request.kind
    if kind.group != GROUP or MASTERS in request.user.groups:
        return
    old = request.old
    if old is not None and _without_collection_fields(old) == _without_collection_fields(obj):
        return
    if kind.name in _ROLES:
        _check_role(authorizer, request, obj)
    elif kind.name in _BINDINGS:
        _check_binding(authorizer, request, obj)


def _without_collection_fields(obj: Object) -> Object:
    metadata = {
        field: value
        for field, value in obj["metadata"].items()
        if value and field not in _COLLECTION_FIELDS
    }
    return {field: value for field, value in {**obj, "metadata": metadata}.items() if value}


def _check_role(authorizer: Authorizer, request: Attributes, role: Object) -> None:
    if _may(authorizer, request, "escalate", request.kind, request.name):
        return
    why = objection(authorizer, request.user, request.namespace, rules_of(role))
    if why:
        raise forbidden(request.kind, _named(role), why)
    is_aggregated = any(
        part(each, "aggregationRule").get("clusterRoleSelectors")
        for each in (role, request.old or {})
    )
    if is_aggregated and objection(authorizer, request.user, request.namespace, _EVERYTHING):
        why = "must have cluster-admin privileges to use the aggregationRule"
        raise forbidden(request.kind, _named(role), why)


def _check_binding(authorizer: Authorizer, request: Attributes, binding: Object) -> None:
    reference = binding.get("roleRef") or {}
    kind = KINDS.get(reference.get("kind") or "")
    if kind is None or kind.name not in _ROLES:
        # Validation says what is wrong with it.
        return
    if _may(authorizer, request, "bind", kind, reference.get("name") or ""):
        return
    rules = authorizer.role_rules(reference, request.namespace)
    if rules is None:
        raise not_found(request.kind, reference.get("name") or "")
    why = objection(authorizer, request.user, request.namespace, rules)
    if why:
        raise forbidden(request.kind, _named(binding), why)


def _may(authorizer: Authorizer, request: Attributes, verb: str, kind: Kind, called: str) -> bool:
    attempt = Attempt(verb, kind.group, kind.plural, namespace=request.namespace, name=called)
    return authorizer.decide(request.user, attempt).allowed


def _named(obj: Object) -> str:
    return str(obj["metadata"].get("name") or "")


def objection(authorizer: Authorizer, user: User, place: str, wanted: Iterable[Rule]) -> str:
    """Why a user may not grant rules in a namespace; empty if they have all of them themselves."""
    held, faults = authorizer.rules(user, place)
    missing = [
        piece
        for rule in wanted
        for piece in _pieces(rule)
        if not any(_covers(own, piece) for own in held)
    ]
    if not missing:
        return ""
    groups = " ".join(map(quoted, user.groups))
    told = "\n".join(sorted({_text(rule) for rule in _compact(missing)}))
    why = (
        f"user {quoted(user.name)} (groups=[{groups}]) is attempting to grant RBAC permissions "
        f"not currently held:\n{told}"
    )
    return f"{why}; resolution errors: {aggregate(faults)}" if faults else why


def _pieces(rule: Rule) -> Iterator[Rule]:
    for group, resource, verb in product(rule.groups, rule.resources, rule.verbs):
        for names in ((one,) for one in rule.names) if rule.names else ((),):
            yield Rule((verb,), (group,), (resource,), names)
    for path, verb in product(rule.paths, rule.verbs):
        yield Rule((verb,), paths=(path,))


def _covers(rule: Rule, piece: Rule) -> bool:
    if not permits(rule.verbs, piece.verbs[0]):
        return False
    if piece.paths:
        return any(matches(one, piece.paths[0]) for one in rule.paths)
    resource = piece.resources[0]
    part = resource.partition("/")[2]
    return (
        permits(rule.groups, piece.groups[0])
        and (
            permits(rule.resources, resource) or (part != "" and f"{ANY}/{part}" in rule.resources)
        )
        and (not rule.names or (piece.names != () and piece.names[0] in rule.names))
    )


def _compact(pieces: Iterable[Rule]) -> Iterator[Rule]:
    verbs: dict[Rule, list[str]] = {}
    for piece in pieces:
        if piece.paths:
            yield piece
            continue
        key = Rule((), piece.groups, piece.resources, piece.names)
        verbs.setdefault(key, []).append(piece.verbs[0])
    for key, found in verbs.items():
        yield Rule(tuple(dict.fromkeys(found)), key.groups, key.resources, key.names)


def _text(rule: Rule) -> str:
    fields = {
        "APIGroups": rule.groups,
        "Resources": rule.resources,
        "NonResourceURLs": rule.paths,
        "ResourceNames": rule.names,
        "Verbs": rule.verbs,
    }
    told = (
        f"{field}:[{' '.join(map(quoted, values))}]" for field, values in fields.items() if values
    )
    return f"{{{', '.join(told)}}}"
