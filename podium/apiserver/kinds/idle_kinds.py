"""Kinds that clusters' manifests hold and that nothing acts on here: webhooks, policies and others.

They are stored with upstream's defaults, and shown in upstream's columns. Nothing of them but their
types and their metadata is judged.
"""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part, spec_of, status_of, without
from podium.apiserver.kinds.pods.pod_templates import template
from podium.apiserver.kinds.registration.ages import human_duration
from podium.apiserver.kinds.registration.defaulting import (
    Filler,
    every,
    filled,
    filled_where_absent,
    inside,
    nothing_new,
)
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.kinds.registration.strategy import (
    Creation,
    Strategy,
    apart_from_status,
    count_all_changes,
    in_turn,
    keep_spec,
    keep_status,
)
from podium.apiserver.kinds.registration.table_cells import (
    AGE,
    NAME,
    NONE,
    UNSET,
    Column,
    count,
    joined,
    labels_at,
    number,
)

_HTTPS = 443
_CONTAINERS = ".template.spec.containers[*]"
_COUNTED = Strategy(update=count_all_changes, counts_generations=True)


def _idle(
    kind: str, columns: tuple[Column, ...], defaults: Filler = nothing_new, **more: Any
) -> Registration:
    return Registration(
        kind=KINDS[kind], columns=(NAME, *columns), defaults=defaults, is_idle=True, **more
    )


def _rule(rule: Object) -> Object:
    return filled(rule, scope="*")


def _service(client: Object) -> Object:
    return inside(client, service=lambda service: filled(service, port=_HTTPS))


def _webhooks(**own: Any) -> Filler:
    def webhook(webhook: Object) -> Object:
        webhook = filled_where_absent(
            webhook,
            failurePolicy="Fail",
            matchPolicy="Equivalent",
            namespaceSelector={},
            objectSelector={},
            timeoutSeconds=10,
            **own,
        )
        return inside(webhook, rules=every(_rule), clientConfig=_service)

    return lambda configuration: inside(configuration, webhooks=every(webhook))


def _matched(resources: Object) -> Object:
    resources = filled_where_absent(
        resources, matchPolicy="Equivalent", namespaceSelector={}, objectSelector={}
    )
    return inside(resources, resourceRules=every(_rule), excludeResourceRules=every(_rule))


def _policy(policy: Object) -> Object:
    return inside(
        policy,
        spec=lambda spec: inside(
            filled_where_absent(spec, failurePolicy="Fail"), matchConstraints=_matched
        ),
    )


def _binding(binding: Object) -> Object:
    return inside(binding, spec=lambda spec: inside(spec, matchResources=_matched))


def _param_kind(policy: Object, _now_s: float) -> str:
    kind = part(spec_of(policy), "paramKind")
    return f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}" if kind else UNSET


def _param_ref(binding: Object, _now_s: float) -> str:
    ref = part(spec_of(binding), "paramRef")
    if not ref:
        return UNSET
    return f"{ref.get('namespace') or '*'}/{ref.get('name') or '*'}"


def _backend(service: Object, _now_s: float) -> str:
    found = part(spec_of(service), "service")
    return f"{found.get('namespace', '')}/{found.get('name', '')}" if found else "Local"


def _missing_level(schema: Object, _now_s: float) -> str:
    """The status of the condition that the schema's priority level isn't there."""
    for one in entries(status_of(schema), "conditions"):
        if one.get("type") == "Dangling":
            return str(one.get("status") or "")
    return "?"


def _duration(request: Object, _now_s: float) -> str:
    seconds = spec_of(request).get("expirationSeconds")
    return NONE if seconds is None else human_duration(seconds)


def _available(service: Object, _now_s: float) -> str:
    for one in entries(status_of(service), "conditions"):
        if one.get("type") == "Available":
            is_true = one.get("status") == "True"
            return "True" if is_true else f"{one.get('status')} ({one.get('reason', '')})"
    return "Unknown"


def _signing_request(request: Object, creation: Creation) -> Object:
    user = creation.user
    requester = {
        "username": user.name,
        "uid": user.uid,
        "groups": [*user.groups],
        "extra": {key: [*values] for key, values in user.extra},
    }
    spec = {
        **without(spec_of(request), *requester),
        **{field: value for field, value in requester.items() if value},
    }
    return {**without(request, "status"), "spec": spec}


def _condition(request: Object, _now_s: float) -> str:
    """The words of a signing request's conditions; `Pending` without any."""
    types = [one.get("type", "") for one in entries(status_of(request), "conditions")]
    shown = [one for one in ("Approved", "Denied", "Failed") if one in types] or ["Pending"]
    return ",".join([*shown, *(["Issued"] if at(request, "status.certificate") else [])])


def _flow_schema(schema: Object) -> Object:
    def spec(spec: Object) -> Object:
        return spec if spec.get("matchingPrecedence") else {**spec, "matchingPrecedence": 1000}

    return inside(schema, spec=spec)


def _priority_level(level: Object) -> Object:
    def queuing(queues: Object) -> Object:
        defaults = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}
        missing = {name: number for name, number in defaults.items() if not queues.get(name)}
        return {**queues, **missing} if missing else queues

    def limited(limits: Object) -> Object:
        limits = filled_where_absent(limits, nominalConcurrencyShares=30, lendablePercent=0)
        return inside(limits, limitResponse=lambda response: inside(response, queuing=queuing))

    def exempt(limits: Object) -> Object:
        return filled_where_absent(limits, nominalConcurrencyShares=0, lendablePercent=0)

    def spec(spec: Object) -> Object:
        return inside(spec, limited=limited, exempt=exempt)

    return inside(level, spec=spec)


_WEBHOOKS = (Column("Webhooks", count(".webhooks"), "How many there are.", type="integer"), AGE)
_PARAM_KIND = Column("ParamKind", _param_kind, "The kind of its parameters.")
_POLICY = (
    Column("PolicyName", ".spec.policyName", "The policy that is bound."),
    Column("ParamRef", _param_ref, "Its parameters."),
    AGE,
)
_QUEUING = ".spec.limited.limitResponse.queuing"

POD_TEMPLATE = _idle(
    "PodTemplate",
    (
        Column("Containers", joined(f"{_CONTAINERS}.name"), "Names of the containers."),
        Column("Images", joined(f"{_CONTAINERS}.image"), "Images of the containers."),
        Column("Pod Labels", labels_at(".template.metadata.labels"), "Labels of its pods."),
    ),
    lambda obj: inside(obj, template=template),
    strategy=_COUNTED,
)
MUTATING_WEBHOOKS = _idle(
    "MutatingWebhookConfiguration",
    _WEBHOOKS,
    _webhooks(reinvocationPolicy="Never"),
    strategy=_COUNTED,
)
VALIDATING_WEBHOOKS = _idle(
    "ValidatingWebhookConfiguration", _WEBHOOKS, _webhooks(), strategy=_COUNTED
)
MUTATING_POLICY = _idle(
    "MutatingAdmissionPolicy",
    (
        Column("Mutations", count(".spec.mutations"), "How many there are.", type="integer"),
        _PARAM_KIND,
        AGE,
    ),
    _policy,
    strategy=_COUNTED,
)
VALIDATING_POLICY = _idle(
    "ValidatingAdmissionPolicy",
    (
        Column("Validations", count(".spec.validations"), "How many there are.", type="integer"),
        _PARAM_KIND,
        AGE,
    ),
    _policy,
    strategy=apart_from_status(),
)
MUTATING_POLICY_BINDING = _idle(
    "MutatingAdmissionPolicyBinding", _POLICY, _binding, strategy=_COUNTED
)
VALIDATING_POLICY_BINDING = _idle(
    "ValidatingAdmissionPolicyBinding", _POLICY, _binding, strategy=_COUNTED
)
API_SERVICE = _idle(
    "APIService",
    (
        Column("Service", _backend, "The service that answers for the version."),
        Column("Available", _available, "Whether it can be reached."),
        AGE,
    ),
    lambda obj: inside(obj, spec=_service),
    strategy=Strategy(update=keep_status, subresources={"status": keep_spec}),
)
SIGNING_REQUEST = _idle(
    "CertificateSigningRequest",
    (
        AGE,
        Column("SignerName", ".spec.signerName", "Who is to sign it.", default=NONE),
        Column("Requestor", ".spec.username", "Who asks for it."),
        Column("RequestedDuration", _duration, "For how long.", default=NONE),
        Column("Condition", _condition, "What was decided."),
    ),
    strategy=Strategy(
        create=_signing_request,
        update=in_turn(keep_spec, keep_status),
        subresources={"approval": keep_spec, "status": keep_spec},
    ),
)
FLOW_SCHEMA = _idle(
    "FlowSchema",
    (
        Column("PriorityLevel", ".spec.priorityLevelConfiguration.name", "Where its requests go."),
        number("MatchingPrecedence", ".spec.matchingPrecedence", "The lowest is asked first."),
        Column(
            "DistinguisherMethod",
            ".spec.distinguisherMethod.type",
            "What parts flows.",
            default=NONE,
        ),
        AGE,
        Column("MissingPL", _missing_level, "Whether the priority level is missing."),
    ),
    _flow_schema,
    strategy=apart_from_status(),
)
PRIORITY_LEVEL = _idle(
    "PriorityLevelConfiguration",
    (
        Column("Type", ".spec.type", "Whether requests are limited."),
        Column(
            "NominalConcurrencyShares",
            ".spec.limited.nominalConcurrencyShares",
            "Its share of all requests at once.",
            default=NONE,
        ),
        Column("Queues", f"{_QUEUING}.queues", "How many queues.", default=NONE),
        Column("HandSize", f"{_QUEUING}.handSize", "Queues that a flow may use.", default=NONE),
        Column("QueueLengthLimit", f"{_QUEUING}.queueLengthLimit", "Their length.", default=NONE),
        AGE,
    ),
    _priority_level,
    strategy=apart_from_status(),
)
