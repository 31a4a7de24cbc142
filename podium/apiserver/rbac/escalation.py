"""Escalation checks: users may only grant permissions that they have themselves.

As in v1.36, permissions are compared for each verb on each resource. A user with the verb
`escalate` on a role, or `bind`, needn't have the role's permissions.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from msgspec import structs

from podium.api.errors import aggregate, quoted
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, name, part
from podium.apiserver.attributes import Attributes
from podium.apiserver.authentication.users import MASTERS, RULES, Attempt, PolicyRule
from podium.apiserver.rbac.authorizer import GROUP, Authorizer, rules_of
from podium.apiserver.refusals import forbidden, not_found

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
