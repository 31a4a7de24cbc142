"""Kinds that no component of Podium acts on: rules that the schema doesn't declare."""

from base64 import b64encode

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, part, spec_of, without
from podium.apiserver.kinds.registration.defaulting import defaults_of
from podium.apiserver.kinds.registration.registration import Registration, text
from podium.apiserver.kinds.registration.strategy import Creation, keep_spec
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import object_check


def _signing_request(request: Object, creation: Creation) -> Object:
    user = creation.user
    requester = {
        "username": user.name,
        "uid": user.uid,
        "groups": [*user.groups],
        "extra": {key: [*values] for key, values in user.extra},
    }
    known = {field: value for field, value in requester.items() if value}
    spec = {**without(spec_of(request), *requester), **known}
    return {**without(request, "status"), "spec": spec}


@defaults_of("networking.NetworkPolicySpec")
def _with_policy_types(spec: Object) -> Object:
    types = ["Ingress", *(["Egress"] if spec.get("egress") else [])]
    return spec if spec.get("policyTypes") else {**spec, "policyTypes": types}


def _with_plain_text(secret: Object) -> Object:
    plain = secret.get("stringData")
    if plain is None:
        return secret
    encoded = {key: b64encode(str(value).encode()).decode() for key, value in plain.items()}
    rest = without(secret, "stringData")
    return {**rest, "data": {**part(rest, "data"), **encoded}} if encoded else rest


_component, _reporter = text("source.component"), text("reportingComponent")
CERTIFICATE_SIGNING_REQUEST = Registration(
    kind=KINDS["CertificateSigningRequest"],
    create=_signing_request,
    update=keep_spec,
    subresources={"approval": keep_spec},
)
SECRET = Registration(kind=KINDS["Secret"], defaults=_with_plain_text)
LEASE = Registration(
    kind=KINDS["Lease"],
    validate=object_check(
        spec=checks.fields(
            leaseDurationSeconds=checks.integer(1, rule="must be greater than 0"),
            leaseTransitions=checks.count,
        )
    ),
)
# In the shape of the core group, in which events are stored.
EVENT = Registration(
    kind=KINDS["Event"], selectable={"source": lambda event: _component(event) or _reporter(event)}
)
