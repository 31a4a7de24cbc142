"""Reviews of identity and permissions, answered when they are created."""

from typing import Any

from podium.api.errors import FieldError, aggregate
from podium.api.objects import Object, entries, metadata_of, part, spec_of
from podium.api.values.times import timestamp
from podium.apiserver.authentication.users import Attempt, User
from podium.apiserver.refusals import bad_request, invalid
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response

_RESOURCE, _PATH = "resourceAttributes", "nonResourceAttributes"


def self_subject(call: Call) -> Response:
    """Answer with name, groups and uid of the sender."""
    user = call.request.user
    info: dict[str, Any] = {"username": user.name, "groups": [*user.groups]}
    if user.uid:
        info["uid"] = user.uid
    if user.extra:
        info["extra"] = {key: [*values] for key, values in user.extra}
    metadata = {"creationTimestamp": timestamp(call.now_s)}
    return call.answer({"metadata": metadata, "status": {"userInfo": info}}, code=201)


def access(call: Call) -> Response:
    """Answer whether the sender or another user may carry out an action."""
    kind = call.info.kind
    review = _review(call)
    metadata, spec = metadata_of(review), spec_of(review)
    faults = []
    resource, path = spec.get(_RESOURCE), spec.get(_PATH)
    if resource is not None and path is not None:
        rule = f"cannot be specified in combination with {_RESOURCE}"
        faults.append(FieldError(f"spec.{_PATH}", path, rule))
    if resource is None and path is None:
        rule = f"exactly one of {_PATH} or {_RESOURCE} must be specified"
        faults.append(FieldError(f"spec.{_RESOURCE}", None, rule))
    user = call.request.user
    if kind.name != "SelfSubjectAccessReview":
        user = User(spec.get("user") or "", tuple(entries(spec, "groups")))
        if not user.name and not user.groups:
            rule = "at least one of user or group must be specified"
            faults.append(FieldError("spec.user", "", rule))
    if kind.name == "LocalSubjectAccessReview":
        metadata = {"namespace": call.info.namespace}
        namespace = part(spec, _RESOURCE).get("namespace", "")
        if namespace != call.info.namespace:
            rule = f"must match metadata.namespace: {call.info.namespace}"
            faults.append(FieldError(f"spec.{_RESOURCE}.namespace", namespace, rule))
    if faults:
        raise invalid("", faults, kind.name, kind.group)
    names = ["verb", "path"]
    if path is None:
        names = ["verb", "group", "resource", "subresource", "namespace", "name"]
    attributes = path or resource or {}
    attempt = Attempt(**{name: attributes.get(name) or "" for name in names})
    verdict = call.server.authorizer.decide(user, attempt)
    status: dict[str, Any] = {"allowed": verdict.allowed}
    if verdict.reason:
        status["reason"] = verdict.reason
    return call.answer({"metadata": metadata, "spec": spec, "status": status}, code=201)


def self_subject_rules(call: Call) -> Response:
    """Answer with the sender's rules in a namespace."""
    review = _review(call)
    namespace = spec_of(review).get("namespace")
    if not namespace:
        raise bad_request("no namespace on request")
    rules, faults = call.server.authorizer.rules(call.request.user, namespace)
    resources, paths = [], []
    for rule in rules:
        if rule.resources:
            shown = {"verbs": [*rule.verbs], "apiGroups": [*rule.groups]}
            names = {"resourceNames": [*rule.names]} if rule.names else {}
            resources.append({**shown, "resources": [*rule.resources], **names})
        if rule.paths:
            paths.append({"verbs": [*rule.verbs], "nonResourceURLs": [*rule.paths]})
    status: dict[str, Any] = {
        "resourceRules": resources,
        "nonResourceRules": paths,
        "incomplete": False,
    }
    if faults:
        status["evaluationError"] = aggregate(faults)
    return call.answer({"metadata": metadata_of(review), "spec": {}, "status": status}, code=201)


def _review(call: Call) -> Object:
    call.attributes("CreateOptions")
    review: Object = call.decoded(call.info.kind, call.info.api_version).obj
    return review
