"""Kinds on which nothing acts here, as a table: a row of columns and a strategy for each.

Types and defaults of their fields are in their schema (`podium/apiserver/schema/data/`, where
`fill=` names a default). Of their content, nothing else is judged.
"""

from base64 import b64encode
from functools import partial
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, condition_of, entries, part, spec_of, status_of, without
from podium.apiserver.kinds.pods.pod_templates import template
from podium.apiserver.kinds.registration.ages import human_duration, since
from podium.apiserver.kinds.registration.defaulting import (
    Filler,
    inside,
    nothing_new,
    schema_defaults,
)
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.rules import at
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
from podium.apiserver.kinds.registration.table_cells import (
    AGE,
    NAME,
    NONE,
    UNSET,
    Column,
    Read,
    count,
    joined,
    labels_at,
    number,
    raw,
    selector_text,
    wide,
)
from podium.apiserver.kinds.services import balancer_addresses
from podium.apiserver.validation import checks
from podium.apiserver.validation.metadata import object_check

_CONTAINERS = ".template.spec.containers[*]"
_QUEUING = ".spec.limited.limitResponse.queuing"
_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_SHOWN_HOSTS_MAX = 3
_SHOWN_METRICS_MAX = 2
_COUNTED = Strategy(update=count_all_changes, counts_generations=True)
_COUNTED_SPEC = Strategy(update=count_changes("spec"), counts_generations=True)


def _pair(path: str, first: str, second: str, absent: str, missing: str = "") -> Read:
    """A cell such as `kind/name` of an object at a path; `missing` stands for an empty half."""

    def read(obj: Object, _now_s: float) -> str:
        found = at(obj, path)
        if not found:
            return absent
        return f"{found.get(first) or missing}/{found.get(second) or missing}"

    return read


def _available(service: Object, _now_s: float) -> str:
    found = condition_of(service, "Available")
    if found is None or found.get("status") == "True":
        return "Unknown" if found is None else "True"
    return f"{found.get('status')} ({found.get('reason', '')})"


def _requested_duration(request: Object, _now_s: float) -> str:
    seconds = spec_of(request).get("expirationSeconds")
    return NONE if seconds is None else human_duration(seconds)


def _decision(request: Object, _now_s: float) -> str:
    types = [one.get("type", "") for one in entries(status_of(request), "conditions")]
    shown = [one for one in ("Approved", "Denied", "Failed") if one in types] or ["Pending"]
    return ",".join([*shown, *(["Issued"] if at(request, "status.certificate") else [])])


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


def _targets(autoscaler: Object, _now_s: float) -> str:
    metrics = entries(spec_of(autoscaler), "metrics")
    current = entries(status_of(autoscaler), "currentMetrics")
    shown = [
        _metric(metric, current[index] if index < len(current) else {})
        for index, metric in enumerate(metrics[:_SHOWN_METRICS_MAX])
    ]
    more = len(metrics) - _SHOWN_METRICS_MAX
    return ", ".join(shown) + (f" + {more} more..." if more > 0 else "") or NONE


def _metric(metric: Object, status: Object) -> str:
    kind = metric.get("type", "")
    if kind not in ("External", "Pods", "Object", "Resource", "ContainerResource"):
        return "<unknown type>"
    field = f"{kind[:1].lower()}{kind[1:]}"
    target, current = part(metric, field, "target"), part(status, field, "current")
    is_resource = kind.endswith("Resource")
    unit, suffix = "", ""
    if target.get("averageValue") is not None:
        now, wanted = current.get("averageValue"), target["averageValue"]
        suffix = " (avg)" if kind in ("External", "Object") else ""
    elif is_resource:
        now, wanted, unit = current.get("averageUtilization"), target.get("averageUtilization"), "%"
    else:
        now, wanted = current.get("value"), target.get("value", "")
    name = f"{part(metric, field).get('name', '')}: " if is_resource else ""
    known = "<unknown>" if now is None else f"{now}{unit}"
    return f"{name}{known}/{'<auto>' if wanted is None else f'{wanted}{unit}'}{suffix}"


def _hosts(ingress: Object, _now_s: float) -> str:
    rules = entries(spec_of(ingress), "rules")
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == _SHOWN_HOSTS_MAX:
            return f"{','.join(hosts)} + {len(rules) - _SHOWN_HOSTS_MAX} more..."
        if rule.get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


def _parameters(ingress_class: Object, _now_s: float) -> str:
    found = part(spec_of(ingress_class), "parameters")
    group = f".{found['apiGroup']}" if found.get("apiGroup") else ""
    return f"{found.get('kind', '')}{group}/{found.get('name', '')}" if found else NONE


def _policy_types(policy: Object) -> Object:
    def spec(spec: Object) -> Object:
        types = ["Ingress", *(["Egress"] if spec.get("egress") else [])]
        return spec if spec.get("policyTypes") else {**spec, "policyTypes": types}

    return inside(policy, spec=spec)


def _with_plain_text(secret: Object) -> Object:
    plain = secret.get("stringData")
    if plain is None:
        return secret
    encoded = {key: b64encode(str(value).encode()).decode() for key, value in plain.items()}
    rest = without(secret, "stringData")
    return {**rest, "data": {**part(rest, "data"), **encoded}} if encoded else rest


def _times(event: Object) -> tuple[object, object]:
    first = event.get("firstTimestamp") or event.get("eventTime")
    if event.get("series"):
        return first, at(event, "series.lastObservedTime")
    return first, event.get("lastTimestamp") or first


def _occurrences(event: Object, _now_s: float) -> int:
    series = event.get("series")
    return int((series.get("count") or 0) if series else (event.get("count") or 1))


def _involved(event: Object, _now_s: float) -> str:
    kind = str(at(event, "involvedObject.kind") or "").lower()
    involved = at(event, "involvedObject.name")
    return f"{kind}/{involved}" if involved else kind


def _source(event: Object, _now_s: float) -> str:
    component = at(event, "source.component") or event.get("reportingComponent") or ""
    instance = at(event, "source.host") or event.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)


_component, _reporter = text("source.component"), text("reportingComponent")


def _row(
    kind: str,
    *columns: Column,
    strategy: Strategy = _COUNTED,
    more_defaults: Filler = nothing_new,
    **more: Any,
) -> Registration:
    defaults = schema_defaults(KINDS[kind], more_defaults)
    return Registration(
        kind=KINDS[kind], columns=columns, strategy=strategy, defaults=defaults, **more
    )


_idle = partial(_row, is_idle=True)
_WEBHOOKS = Column("Webhooks", count(".webhooks"), "How many there are.", type="integer")
_PARAM_KIND = Column(
    "ParamKind", _pair("spec.paramKind", "apiVersion", "kind", UNSET), "The kind of its parameters."
)
_BINDING = (
    NAME,
    Column("PolicyName", ".spec.policyName", "The policy that is bound."),
    Column("ParamRef", _pair("spec.paramRef", "namespace", "name", UNSET, "*"), "Its parameters."),
    AGE,
)

# Clusters have them for parts that aren't here: creating one is answered with a warning.
WARNED_OF = (
    _idle(
        "PodTemplate",
        NAME,
        Column("Containers", joined(f"{_CONTAINERS}.name"), "Names of the containers."),
        Column("Images", joined(f"{_CONTAINERS}.image"), "Images of the containers."),
        Column("Pod Labels", labels_at(".template.metadata.labels"), "Labels of its pods."),
        more_defaults=lambda obj: inside(obj, template=template),
    ),
    _idle("MutatingWebhookConfiguration", NAME, _WEBHOOKS, AGE),
    _idle("ValidatingWebhookConfiguration", NAME, _WEBHOOKS, AGE),
    _idle(
        "MutatingAdmissionPolicy",
        NAME,
        Column("Mutations", count(".spec.mutations"), "How many there are.", type="integer"),
        _PARAM_KIND,
        AGE,
    ),
    _idle(
        "ValidatingAdmissionPolicy",
        NAME,
        Column("Validations", count(".spec.validations"), "How many there are.", type="integer"),
        _PARAM_KIND,
        AGE,
        strategy=apart_from_status(),
    ),
    _idle("MutatingAdmissionPolicyBinding", *_BINDING),
    _idle("ValidatingAdmissionPolicyBinding", *_BINDING),
    _idle(
        "APIService",
        NAME,
        Column(
            "Service",
            _pair("spec.service", "namespace", "name", "Local"),
            "The service that answers for the version.",
        ),
        Column("Available", _available, "Whether it can be reached."),
        AGE,
        strategy=Strategy(update=keep_status, subresources={"status": keep_spec}),
    ),
    _idle(
        "CertificateSigningRequest",
        NAME,
        AGE,
        Column("SignerName", ".spec.signerName", "Who is to sign it.", default=NONE),
        Column("Requestor", ".spec.username", "Who asks for it."),
        Column("RequestedDuration", _requested_duration, "For how long.", default=NONE),
        Column("Condition", _decision, "What was decided."),
        strategy=Strategy(
            create=_signing_request,
            update=in_turn(keep_spec, keep_status),
            subresources={"approval": keep_spec, "status": keep_spec},
        ),
    ),
    _idle(
        "FlowSchema",
        NAME,
        Column("PriorityLevel", ".spec.priorityLevelConfiguration.name", "Where its requests go."),
        number("MatchingPrecedence", ".spec.matchingPrecedence", "The lowest is asked first."),
        Column(
            "DistinguisherMethod",
            ".spec.distinguisherMethod.type",
            "What parts flows.",
            default=NONE,
        ),
        AGE,
        Column(
            "MissingPL",
            lambda obj, _: (condition_of(obj, "Dangling") or {"status": "?"}).get("status") or "",
            "Whether the priority level is missing.",
        ),
        strategy=apart_from_status(),
    ),
    _idle(
        "PriorityLevelConfiguration",
        NAME,
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
        strategy=apart_from_status(),
    ),
)

# Workloads come with them, or the parts of a cluster tell of each other by them.
TAKEN_ALONG = (
    _row(
        "ConfigMap",
        NAME,
        Column(
            "Data",
            lambda obj, _: len(part(obj, "data")) + len(part(obj, "binaryData")),
            "Number of entries.",
        ),
        AGE,
        strategy=Strategy(),
    ),
    _row(
        "Secret",
        NAME,
        Column("Type", ".type", "What is in it."),
        Column("Data", count(".data"), "Number of entries."),
        AGE,
        strategy=Strategy(),
        more_defaults=_with_plain_text,
        selectable=texts("type"),
    ),
    _row("ServiceAccount", NAME, AGE, strategy=Strategy(answers_object=True)),
    _row(
        "HorizontalPodAutoscaler",
        NAME,
        Column(
            "Reference",
            _pair("spec.scaleTargetRef", "kind", "name", "/"),
            "The object that is scaled.",
        ),
        Column("Targets", _targets, "Current values and targets of the metrics."),
        Column("MinPods", ".spec.minReplicas", "The least number of pods.", default=UNSET),
        raw("MaxPods", ".spec.maxReplicas", "The largest number of pods."),
        raw("Replicas", ".status.currentReplicas", "How many pods there are."),
        AGE,
        strategy=apart_from_status(resets_status=True),
    ),
    _row(
        "Ingress",
        NAME,
        Column("Class", ".spec.ingressClassName", "Class of the ingress.", default=NONE),
        Column("Hosts", _hosts, "Hosts of its rules."),
        Column(
            "Address",
            lambda obj, _: ",".join(balancer_addresses(obj)),
            "Addresses of its load balancer.",
        ),
        Column(
            "Ports",
            lambda obj, _: "80, 443" if at(obj, "spec.tls") else "80",
            "Ports that are open.",
        ),
        AGE,
        strategy=apart_from_status(resets_status=True),
    ),
    _row(
        "IngressClass",
        NAME,
        Column("Controller", ".spec.controller", "The controller of its ingresses."),
        Column("Parameters", _parameters, "The controller's settings."),
        AGE,
        strategy=_COUNTED_SPEC,
    ),
    _row(
        "NetworkPolicy",
        NAME,
        Column(
            "Pod-Selector",
            lambda obj, _: selector_text(part(spec_of(obj), "podSelector")),
            "The pods that it is about.",
        ),
        AGE,
        strategy=_COUNTED_SPEC,
        more_defaults=_policy_types,
    ),
    _row(
        "Lease",
        NAME,
        Column("Holder", ".spec.holderIdentity", "Who holds the lease."),
        AGE,
        strategy=Strategy(create_on_update=True, unconditional_update=False),
        validate=object_check(
            spec=checks.fields(
                leaseDurationSeconds=checks.integer(1, checks.INT32_MAX, "must be greater than 0"),
                leaseTransitions=checks.count,
            )
        ),
    ),
    # In the shape of the core group, in which events are stored.
    _row(
        "Event",
        Column("Last Seen", lambda event, now_s: since(_times(event)[1], now_s), "How long ago."),
        Column("Type", ".type", "Normal or Warning."),
        Column("Reason", ".reason", "What happened, in one word."),
        Column("Object", _involved, "What it happened to."),
        wide("Subobject", ".involvedObject.fieldPath", "Which part of that."),
        wide("Source", _source, "Who reports it."),
        Column(
            "Message",
            lambda event, _: str(event.get("message") or "").strip(),
            "What happened, in a sentence.",
        ),
        wide("First Seen", lambda event, now_s: since(_times(event)[0], now_s), "How long ago."),
        wide("Count", _occurrences, "How often it was seen."),
        wide("Name", NAME.source, "Name of the event.", format="name"),
        strategy=Strategy(create_on_update=True, default_propagation=""),
        selectable={
            **{f"involvedObject.{one}": text(f"involvedObject.{one}") for one in _INVOLVED},
            **{f"regarding.{one}": text(f"involvedObject.{one}") for one in _INVOLVED},
            **texts("reason", "type", "reportingComponent"),
            "reportingController": _reporter,
            "source": lambda event: _component(event) or _reporter(event),
        },
    ),
)
