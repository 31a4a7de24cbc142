"""Reviews: questions about identity and permissions, answered as they are created."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, entries, metadata_of, part, spec_of
from podium.api.values.times import timestamp
from podium.apiserver.authentication.users import Attempt, User
from podium.apiserver.rbac.authorizer import aggregated
from podium.apiserver.refusals import bad_request, invalid
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response

_RESOURCE, _PATH = "resourceAttributes", "nonResourceAttributes"


def self_subject(call: Call) -> Response:
    """Answer with the sender's name, groups and uid."""
    user = call.request.user
    info: dict[str, Any] = {"username": user.name, "groups": [*user.groups]}
    if user.uid:
        info["uid"] = user.uid
    if user.extra:
        info["extra"] = {key: [*values] for key, values in user.extra}
    return _answer(call, {"creationTimestamp": timestamp(call.now_s)}, {}, {"userInfo": info})


def self_subject_access(call: Call) -> Response:
    """Answer whether the sender may carry out an action."""
    review, spec = _asked(call)
    _check(call, _attribute_faults(spec))
    return _decide(call, review, spec, call.request.user)


def subject_access(call: Call) -> Response:
    """Answer whether a user may carry out an action."""
    review, spec = _asked(call)
    _check(call, [*_attribute_faults(spec), *_subject_faults(spec)])
    return _decide(call, review, spec, _subject(spec))


def local_subject_access(call: Call) -> Response:
    """Answer whether a user may carry out an action in the namespace of the request."""
    review, spec = _asked(call)
    review = {**review, "metadata": {"namespace": call.info.namespace}}
    faults = [*_attribute_faults(spec), *_subject_faults(spec)]
    namespace = part(spec, _RESOURCE).get("namespace", "")
    if namespace != call.info.namespace:
        rule = f"must match metadata.namespace: {call.info.namespace}"
        faults.append(FieldError(f"spec.{_RESOURCE}.namespace", namespace, rule))
    _check(call, faults)
    return _decide(call, review, spec, _subject(spec))


def self_subject_rules(call: Call) -> Response:
    """Answer with the sender's rules in a namespace."""
    review, spec = _asked(call)
    if not spec.get("namespace"):
        raise bad_request("no namespace on request")
    rules, faults = call.server.authorizer.rules(call.request.user, spec["namespace"])
    resources, paths = [], []
    for rule in rules:
        if rule.resources:
            said = {"verbs": [*rule.verbs], "apiGroups": [*rule.groups]}
            names = {"resourceNames": [*rule.names]} if rule.names else {}
            resources.append({**said, "resources": [*rule.resources], **names})
        if rule.paths:
            paths.append({"verbs": [*rule.verbs], "nonResourceURLs": [*rule.paths]})
    status: dict[str, Any] = {
        "resourceRules": resources,
        "nonResourceRules": paths,
        "incomplete": False,
    }
    if faults:
        status["evaluationError"] = aggregated(faults)
    return _answer(call, metadata_of(review), {"spec": {}}, status)


def _asked(call: Call) -> tuple[Object, Object]:
    call.attributes("CreateOptions")
    review = call.decoded(call.info.kind, call.info.api_version).obj
    return review, spec_of(review)


def _attribute_faults(spec: Object) -> list[FieldError]:
    is_resource, is_path = spec.get(_RESOURCE) is not None, spec.get(_PATH) is not None
    if is_resource and is_path:
        rule = f"cannot be specified in combination with {_RESOURCE}"
        return [FieldError(f"spec.{_PATH}", spec[_PATH], rule)]
    if not is_resource and not is_path:
        rule = f"exactly one of {_PATH} or {_RESOURCE} must be specified"
        return [FieldError(f"spec.{_RESOURCE}", None, rule)]
    return []


def _subject_faults(spec: Object) -> list[FieldError]:
    if spec.get("user") or spec.get("groups"):
        return []
    return [FieldError("spec.user", "", "at least one of user or group must be specified")]


def _check(call: Call, faults: list[FieldError]) -> None:
    if faults:
        kind = call.info.kind
        raise invalid("", faults, kind.name, kind.group)


def _subject(spec: Object) -> User:
    return User(spec.get("user") or "", tuple(entries(spec, "groups")))


def _decide(call: Call, review: Object, spec: Object, user: User) -> Response:
    said, names = spec.get(_PATH), ["verb", "path"]
    if said is None:
        said = spec[_RESOURCE]
        names = ["verb", "group", "resource", "subresource", "namespace", "name"]
    attempt = Attempt(**{name: said.get(name) or "" for name in names})
    verdict = call.server.authorizer.decide(user, attempt)
    status: dict[str, Any] = {"allowed": verdict.allowed}
    if verdict.reason:
        status["reason"] = verdict.reason
    return _answer(call, metadata_of(review), {"spec": spec}, status)


def _answer(call: Call, metadata: Object, question: Object, status: Object) -> Response:
    return call.answer({"metadata": metadata, **question, "status": status}, code=201)
