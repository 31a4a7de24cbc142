"""TokenRequests: service account tokens, signed on request and not stored."""

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, metadata_of, spec_of, uid
from podium.api.refused import RefusedError
from podium.api.values.times import timestamp
from podium.apiserver.authentication.service_account_tokens import ISSUER
from podium.apiserver.refusals import bad_request, conflict, invalid
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.schema.struct_types import TOKEN_REQUEST

_LASTS_S, _LASTS_MIN_S, _LASTS_MAX_S = 3600, 600, 2**32
_BINDABLE = (("v1", "Pod"), ("v1", "Secret"), ("v1", "Node"))
_RECREATED = (
    "the UID in the bound object reference ({}) does not match the UID in record. The object might "
    "have been deleted and then recreated"
)


def create(call: Call) -> Response:
    """Answer a TokenRequest with a token; raises RefusedError: 501, the server has no key."""
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
    bound = _bound(call, spec.get("boundObjectRef"))
    issued = call.server.service_account_tokens
    if issued is None:
        message = "tokens are signed where clients are authenticated by them: by a server on HTTP"
        raise RefusedError(501, "NotImplemented", message)
    from_s = int(call.now_s)
    until_s = from_s + lasts_s
    token = issued.signed(account, bound, spec["audiences"], from_s, until_s)
    status = {"token": token, "expirationTimestamp": timestamp(until_s)}
    metadata["creationTimestamp"] = timestamp(call.now_s)
    answer = {"metadata": metadata, "spec": spec, "status": status}
    return call.answer(answer, code=201, warnings=decoded.warnings)


def _bound(call: Call, reference: Object | None) -> Object | None:
    if reference is None:
        return None
    version, kind_name = reference.get("apiVersion") or "", reference.get("kind") or ""
    if (version, kind_name) not in _BINDABLE:
        raise bad_request(f"cannot bind token to object of type {version}, Kind={kind_name}")
    kind, name = KINDS[kind_name], reference.get("name") or ""
    bound = call.server.get(kind, call.info.namespace if kind.namespaced else "", name)
    account = call.info.name
    if kind_name == "Pod" and account != (bound["spec"].get("serviceAccountName") or "default"):
        why = "pod running with different serviceaccount name."
        raise bad_request(f'cannot bind token for serviceaccount "{account}" to {why}')
    wanted = reference.get("uid")
    if wanted and wanted != uid(bound):
        raise conflict(kind.plural, name, _RECREATED.format(wanted))
    return {**bound, "kind": kind_name}
