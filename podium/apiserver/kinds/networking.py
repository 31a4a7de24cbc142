"""Ingresses, their classes and NetworkPolicies, which nothing acts on: upstream's defaults."""

from functools import partial

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part, spec_of
from podium.apiserver.kinds.registration.defaulting import every, filled, inside
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import Strategy, apart_from_status, count_changes
from podium.apiserver.kinds.registration.table_cells import AGE, NAME, NONE, Column, selector_text
from podium.apiserver.kinds.services import balancer_addresses


def _network_policy(policy: Object) -> Object:
    """A policy for incoming traffic, and for outgoing traffic if it has rules for that."""

    def spec(spec: Object) -> Object:
        if not spec.get("policyTypes"):
            outgoing = ["Egress"] if spec.get("egress") else []
            spec = {**spec, "policyTypes": ["Ingress", *outgoing]}
        return inside(spec, ingress=every(rule), egress=every(rule))

    def rule(rule: Object) -> Object:
        return inside(rule, ports=every(partial(filled, protocol="TCP")))

    return inside(policy, spec=spec)


_counted = Strategy(update=count_changes("spec"), counts_generations=True)

_HOSTS_MAX = 3


def _hosts(ingress: Object, _now_s: float) -> str:
    rules = entries(spec_of(ingress), "rules")
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == _HOSTS_MAX:
            return f"{','.join(hosts)} + {len(rules) - _HOSTS_MAX} more..."
        if rule.get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


def _ports(ingress: Object, _now_s: float) -> str:
    return "80, 443" if entries(spec_of(ingress), "tls") else "80"


def _parameters(ingress_class: Object, _now_s: float) -> str:
    found = part(spec_of(ingress_class), "parameters")
    group = f".{found['apiGroup']}" if found.get("apiGroup") else ""
    return f"{found.get('kind', '')}{group}/{found.get('name', '')}" if found else NONE


def _pod_selector(policy: Object, _now_s: float) -> str:
    return selector_text(part(spec_of(policy), "podSelector"))


INGRESS = Registration(
    kind=KINDS["Ingress"],
    strategy=apart_from_status(resets_status=True),
    columns=(
        NAME,
        Column("Class", ".spec.ingressClassName", "Class of the ingress.", default=NONE),
        Column("Hosts", _hosts, "Hosts of its rules."),
        Column(
            "Address",
            lambda obj, _: ",".join(balancer_addresses(obj)),
            "Addresses of its load balancer.",
        ),
        Column("Ports", _ports, "Ports that are open."),
        AGE,
    ),
)
NETWORK_POLICY = Registration(
    kind=KINDS["NetworkPolicy"],
    defaults=_network_policy,
    strategy=_counted,
    columns=(NAME, Column("Pod-Selector", _pod_selector, "The pods that it is about."), AGE),
)
INGRESS_CLASS = Registration(
    kind=KINDS["IngressClass"],
    defaults=lambda obj: inside(
        obj,
        spec=lambda spec: inside(spec, parameters=partial(filled, scope="Cluster")),
    ),
    strategy=_counted,
    columns=(
        NAME,
        Column("Controller", ".spec.controller", "The controller of its ingresses."),
        Column("Parameters", _parameters, "The controller's settings."),
        AGE,
    ),
)
