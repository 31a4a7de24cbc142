"""Kinds on which nothing acts here, as a table: a strategy for each, and little else.

Types and defaults of their fields are in their schema (`podium/apiserver/schema/data/`, where
`fill=` names a default), their columns in `tables/columns.txt`. Of their content, nothing else is
judged.
"""

from base64 import b64encode

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, part, spec_of, without
from podium.apiserver.kinds.registration.defaulting import defaults_of
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.selectable_fields import text, texts
from podium.apiserver.kinds.registration.strategy import (
    Creation,
    Strategy,
    apart_from_status,
    count_all_changes,
    count_changes,
    in_turn,
    keep_spec,
    keep_status,
)
from podium.apiserver.validation import checks
from podium.apiserver.validation.metadata import object_check

_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_COUNTED = Strategy(update=count_all_changes, counts_generations=True)
_COUNTED_SPEC = Strategy(update=count_changes("spec"), counts_generations=True)
_APART, _APART_AND_RESET = apart_from_status(), apart_from_status(resets_status=True)


def _signing_request(request: Object, creation: Creation) -> Object:
    user = creation.user
    requester = {
        "username": user.name,
        "uid": user.uid,
        "groups": [*user.groups],
        "extra": {key: [*values] for key, values in user.extra},
    }
    told = {field: value for field, value in requester.items() if value}
    return {**without(request, "status"), "spec": {**without(spec_of(request), *requester), **told}}


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
_SIGNED = Strategy(
    create=_signing_request,
    update=in_turn(keep_spec, keep_status),
    subresources={"approval": keep_spec, "status": keep_spec},
)

# Clusters have them for parts that aren't here: creating one is answered with a warning.
WARNED_OF = tuple(
    Registration(kind=KINDS[name], strategy=strategy, is_idle=True)
    for name, strategy in (
        ("PodTemplate", _COUNTED),
        ("MutatingWebhookConfiguration", _COUNTED),
        ("ValidatingWebhookConfiguration", _COUNTED),
        ("MutatingAdmissionPolicy", _COUNTED),
        ("ValidatingAdmissionPolicy", _APART),
        ("MutatingAdmissionPolicyBinding", _COUNTED),
        ("ValidatingAdmissionPolicyBinding", _COUNTED),
        ("APIService", Strategy(update=keep_status, subresources={"status": keep_spec})),
        ("CertificateSigningRequest", _SIGNED),
        ("FlowSchema", _APART),
        ("PriorityLevelConfiguration", _APART),
    )
)

# Workloads come with them, or the parts of a cluster tell of each other by them.
TAKEN_ALONG = (
    Registration(kind=KINDS["ConfigMap"]),
    Registration(kind=KINDS["Secret"], defaults=_with_plain_text, selectable=texts("type")),
    Registration(kind=KINDS["ServiceAccount"], strategy=Strategy(answers_object=True)),
    Registration(kind=KINDS["HorizontalPodAutoscaler"], strategy=_APART_AND_RESET),
    Registration(kind=KINDS["Ingress"], strategy=_APART_AND_RESET),
    Registration(kind=KINDS["IngressClass"], strategy=_COUNTED_SPEC),
    Registration(kind=KINDS["NetworkPolicy"], strategy=_COUNTED_SPEC),
    Registration(
        kind=KINDS["Lease"],
        strategy=Strategy(create_on_update=True, unconditional_update=False),
        validate=object_check(
            spec=checks.fields(
                leaseDurationSeconds=checks.integer(1, checks.INT32_MAX, "must be greater than 0"),
                leaseTransitions=checks.count,
            )
        ),
    ),
    # In the shape of the core group, in which events are stored.
    Registration(
        kind=KINDS["Event"],
        strategy=Strategy(create_on_update=True, default_propagation=""),
        selectable={
            **{
                f"{called}.{field}": text(f"involvedObject.{field}")
                for called in ("involvedObject", "regarding")
                for field in _INVOLVED
            },
            **texts("reason", "type", "reportingComponent"),
            "reportingController": _reporter,
            "source": lambda event: _component(event) or _reporter(event),
        },
    ),
)
