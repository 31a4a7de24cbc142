"""Escalation checks: users who write roles and bindings can only grant rights that they have.

Rights are compared piece by piece, a piece being one verb on one resource, as v1.36 compares them.
Who may `escalate` a role, or `bind` it, needn't have them.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from msgspec import structs

from podium.api.errors import aggregate, quoted
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, name, part
from podium.apiserver.attributes import Attributes
from podium.apiserver.authentication.users import MASTERS, RULES, Attempt, Rule
from podium.apiserver.rbac.authorizer import GROUP, Authorizer, rules_of
from podium.apiserver.refusals import forbidden, not_found

_ROLES = ("Role", "ClusterRole")
# Garbage collection writes owner references and finalizers; who wrote them is noted beside.
_COLLECTION_FIELDS = ("ownerReferences", "finalizers", "managedFields")


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
    else:
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
    why = _objection(authorizer, request, rules_of(role))
    is_aggregated = any(
        part(each, "aggregationRule").get("clusterRoleSelectors")
        for each in (role, request.old or {})
    )
    if not why and is_aggregated and _objection(authorizer, request, RULES[MASTERS]):
        why = "must have cluster-admin privileges to use the aggregationRule"
    if why:
        raise forbidden(request.kind, name(role), why)


def _check_binding(authorizer: Authorizer, request: Attributes, binding: Object) -> None:
    reference = binding.get("roleRef") or {}
    kind, called = KINDS.get(reference.get("kind") or ""), reference.get("name") or ""
    if kind is None or kind.name not in _ROLES:
        # Validation says what is wrong with it.
        return
    if _may(authorizer, request, "bind", kind, called):
        return
    rules = authorizer.role_rules(reference, request.namespace)
    if rules is None:
        raise not_found(request.kind, called)
    why = _objection(authorizer, request, rules)
    if why:
        raise forbidden(request.kind, name(binding), why)


def _may(authorizer: Authorizer, request: Attributes, verb: str, kind: Kind, called: str) -> bool:
    attempt = Attempt(verb, kind.group, kind.plural, namespace=request.namespace, name=called)
    return authorizer.decide(request.user, attempt).allowed


def _objection(authorizer: Authorizer, request: Attributes, wanted: Iterable[Rule]) -> str:
    """Why the user may not grant rules; empty if they have all of them themselves."""
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
    # The verbs on one resource are named together, each path stands by itself.
    verbs: dict[Attempt, dict[str, None]] = {}
    for piece in missing:
        key = piece if piece.path else structs.replace(piece, verb="")
        verbs.setdefault(key, {})[piece.verb] = None
    texts = "\n".join(sorted({_text(piece, [*found]) for piece, found in verbs.items()}))
    groups = " ".join(map(quoted, user.groups))
    why = (
        f"user {quoted(user.name)} (groups=[{groups}]) is attempting to grant RBAC permissions "
        f"not currently held:\n{texts}"
    )
    return f"{why}; resolution errors: {aggregate(faults)}" if faults else why


def _pieces(rule: Rule) -> Iterator[Attempt]:
    for group, resource, verb, called in product(
        rule.groups, rule.resources, rule.verbs, rule.names or ("",)
    ):
        plural, _, subresource = resource.partition("/")
        yield Attempt(verb, group, plural, subresource, name=called)
    for path, verb in product(rule.paths, rule.verbs):
        yield Attempt(verb, path=path)


def _text(piece: Attempt, verbs: list[str]) -> str:
    fields = {"NonResourceURLs": [piece.path]}
    if not piece.path:
        fields = {"APIGroups": [piece.group], "Resources": [piece.full_resource]}
        if piece.name:
            fields["ResourceNames"] = [piece.name]
    told = (
        f"{field}:[{' '.join(map(quoted, values))}]"
        for field, values in {**fields, "Verbs": verbs}.items()
    )
    return f"{{{', '.join(told)}}}"
