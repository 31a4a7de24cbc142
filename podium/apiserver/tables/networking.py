"""The columns of ways into the cluster and within it."""

from podium.api.objects import Object
from podium.apiserver.tables.columns import AGE, NAME, NONE, Column, at, selector_text, text


def _hosts(ingress: Object, _now_s: float) -> str:
    hosts = [rule["host"] for rule in at(ingress, "spec", "rules") or () if rule.get("host")]
    return ",".join(hosts) or "*"


def _addresses(ingress: Object, _now_s: float) -> str:
    found = at(ingress, "status", "loadBalancer", "ingress") or ()
    return ",".join(one.get("ip") or one.get("hostname") or "" for one in found)


def _ports(ingress: Object, _now_s: float) -> str:
    return "80, 443" if at(ingress, "spec", "tls") else "80"


def _parameters(ingress_class: Object, _now_s: float) -> str:
    found = at(ingress_class, "spec", "parameters")
    if found is None:
        return NONE
    group = f".{found['apiGroup']}" if found.get("apiGroup") else ""
    return f"{found['kind']}{group}/{found['name']}"


INGRESS = (
    NAME,
    Column("Class", text("spec", "ingressClassName", default=NONE), "Who should serve it."),
    Column("Hosts", _hosts, "Names that it is for."),
    Column("Address", _addresses, "Where it is served."),
    Column("Ports", _ports, "Ports that it is served on."),
    AGE,
)

INGRESS_CLASS = (
    NAME,
    Column("Controller", text("spec", "controller"), "Who serves its ingresses."),
    Column("Parameters", _parameters, "What it is set up by."),
    AGE,
)

NETWORK_POLICY = (
    NAME,
    Column(
        "Pod-Selector",
        lambda policy, _: selector_text(at(policy, "spec", "podSelector")),
        "Pods that it is about.",
    ),
    AGE,
)
