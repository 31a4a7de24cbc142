"""Handlers for kinds whose objects aren't stored: reviews, TokenRequests and metrics."""

from typing import Any

from podium.api.errors import FieldError, RefusedError, aggregate
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, metadata_of, part, spec_of, uid
from podium.api.usage import Usage
from podium.api.values.quantity import NANOS_PER_UNIT, Format, Quantity
from podium.api.values.times import timestamp
from podium.apiserver.authentication.users import ISSUER, Attempt, User
from podium.apiserver.refusals import bad_request, conflict, invalid, no_such_method, not_found
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.response_forms import shown_list
from podium.apiserver.schema.struct_types import TOKEN_REQUEST
from podium.apiserver.selection import parse_selection
from podium.apiserver.store.kind_index import Page

_RESOURCE, _PATH = "resourceAttributes", "nonResourceAttributes"


def self_subject(call: Call) -> Response:
    """Return a response with the sender's name, groups and uid (SelfSubjectReview)."""
    user = call.request.user
    info: dict[str, Any] = {"username": user.name, "groups": [*user.groups]}
    if user.uid:
        info["uid"] = user.uid
    if user.extra:
        info["extra"] = {key: [*values] for key, values in user.extra}
    metadata = {"creationTimestamp": timestamp(call.now_s)}
    return call.answer({"metadata": metadata, "status": {"userInfo": info}}, code=201)


def access(call: Call) -> Response:
    """Return a response with whether the sender or another user is permitted an action."""
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
    """Return a response with the sender's rules in a namespace (SelfSubjectRulesReview)."""
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


_LASTS_S, _LASTS_MIN_S, _LASTS_MAX_S = 3600, 600, 2**32
_BINDABLE = (("v1", "Pod"), ("v1", "Secret"), ("v1", "Node"))
_RECREATED = (
    "the UID in the bound object reference ({}) does not match the UID in record. The object might "
    "have been deleted and then recreated"
)


def token(call: Call) -> Response:
    """Return a response with a service account token; raises RefusedError (501) without a key."""
    info = call.info
    call.attributes("CreateOptions")
    decoded = call.decoded(*call.taken)
    account = call.server.get(info.kind, info.namespace, info.name)
    given = {field: value for field, value in metadata_of(decoded.obj).items() if value}
    metadata = {"name": info.name, "namespace": info.namespace, **given}
    for field, wanted in (("name", info.name), ("namespace", info.namespace)):
        if metadata[field] != wanted:
            raise bad_request(f"{field} in URL does not match {field} in TokenRequest object")
    spec = {"expirationSeconds": _LASTS_S, **spec_of(decoded.obj)}
    if not spec.get("audiences"):
        spec["audiences"] = [ISSUER]
    lasts_s, why = spec["expirationSeconds"], ""
    if lasts_s < _LASTS_MIN_S:
        why = "may not specify a duration less than 10 minutes"
    elif lasts_s > _LASTS_MAX_S:
        why = "may not specify a duration larger than 2^32 seconds"
    if why:
        fault = FieldError("spec.expirationSeconds", lasts_s, why)
        raise invalid("", [fault], TOKEN_REQUEST.name, TOKEN_REQUEST.group)
    bound, reference = None, spec.get("boundObjectRef")
    if reference is not None:
        version, kind_name = reference.get("apiVersion") or "", reference.get("kind") or ""
        if (version, kind_name) not in _BINDABLE:
            raise bad_request(f"cannot bind token to object of type {version}, Kind={kind_name}")
        kind, name = KINDS[kind_name], reference.get("name") or ""
        bound = call.server.get(kind, info.namespace if kind.namespaced else "", name)
        if kind_name == "Pod" and info.name != (
            bound["spec"].get("serviceAccountName") or "default"
        ):
            why = "pod running with different serviceaccount name."
            raise bad_request(f'cannot bind token for serviceaccount "{info.name}" to {why}')
        wanted = reference.get("uid")
        if wanted and wanted != uid(bound):
            raise conflict(kind.plural, name, _RECREATED.format(wanted))
        bound = {**bound, "kind": kind_name}
    issued = call.server.service_account_tokens
    if issued is None:
        message = "tokens are signed where clients are authenticated by them: by a server on HTTP"
        raise RefusedError(501, "NotImplemented", message)
    from_s = int(call.now_s)
    until_s = from_s + lasts_s
    signed = issued.signed(account, bound, spec["audiences"], from_s, until_s)
    status = {"token": signed, "expirationTimestamp": timestamp(until_s)}
    metadata["creationTimestamp"] = timestamp(call.now_s)
    answer = {"metadata": metadata, "spec": spec, "status": status}
    return call.answer(answer, code=201, warnings=decoded.warnings)


# metrics-server's window; simulated usage needs no time to be measured.
_WINDOW = "30s"
_MEASURED = {"nodes": KINDS["Node"], "pods": KINDS["Pod"]}


def metrics(call: Call) -> Response:
    """Return a response with the usage of a node or running pod, or of all selected ones."""
    info, query = call.info, call.parameters
    kind = _MEASURED[info.kind.plural]
    if info.verb == "get":
        usage = _measured(call, call.server.get(kind, info.namespace, info.name))
        if usage is None:
            raise not_found(info.kind, info.name)
        return call.answer(usage)
    if query.flag("watch"):
        raise no_such_method()
    selection = parse_selection(kind, query.text("labelSelector"), query.text("fieldSelector"))
    page = call.server.list(kind, info.namespace, selection)
    measured = [found for obj in page.items if (found := _measured(call, obj)) is not None]
    return call.respond(200, shown_list(call.form, Page(measured, page.revision), call.now_s))


def _measured(call: Call, obj: Object) -> Object | None:
    usage = call.server.usage
    assert usage is not None
    if call.info.kind.plural == "nodes":
        node = usage.node(obj, call.now_s)
        return None if node is None else {**_metrics_head(obj, call.now_s), "usage": _amounts(node)}
    pod = usage.pod(obj, call.now_s)
    if pod is None:
        return None
    containers = [{"name": name, "usage": _amounts(usage)} for name, usage in pod.items()]
    return {**_metrics_head(obj, call.now_s), "containers": containers}


def _metrics_head(obj: Object, now_s: float) -> dict[str, Any]:
    own = obj["metadata"]
    named = {field: own[field] for field in ("name", "namespace", "labels") if own.get(field)}
    now = timestamp(now_s)
    return {"metadata": {**named, "creationTimestamp": now}, "timestamp": now, "window": _WINDOW}


def _amounts(usage: Usage) -> Object:
    return {
        "cpu": str(Quantity(usage.cpu_nanos, Format.DECIMAL_SI)),
        "memory": str(Quantity(usage.memory_bytes * NANOS_PER_UNIT, Format.BINARY_SI)),
    }
