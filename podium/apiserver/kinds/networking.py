"""Ingresses, their classes and NetworkPolicies, which nothing acts on: upstream's defaults."""

from functools import partial

from podium.api.kinds import KINDS
from podium.api.objects import Object
from podium.apiserver.kinds.default_words import every, filled, inside
from podium.apiserver.kinds.registration import Registration
from podium.apiserver.kinds.strategy import Strategy, apart_from_status, count_changes


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

INGRESS = Registration(kind=KINDS["Ingress"], strategy=apart_from_status(resets_status=True))
NETWORK_POLICY = Registration(
    kind=KINDS["NetworkPolicy"], defaults=_network_policy, strategy=_counted
)
INGRESS_CLASS = Registration(
    kind=KINDS["IngressClass"],
    defaults=lambda obj: inside(
        obj,
        spec=lambda spec: inside(spec, parameters=partial(filled, scope="Cluster")),
    ),
    strategy=_counted,
)
