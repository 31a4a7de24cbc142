"""What is filled into what governs networks."""

from podium.api.objects import Object
from podium.apiserver.defaulting.copying import each, filled, inside


def network_policy(policy: Object) -> Object:
    """A NetworkPolicy; it is about what comes in, and about what goes out if it says so."""

    def port(port: Object) -> Object:
        return filled(port, protocol="TCP")

    def rule(rule: Object) -> Object:
        return inside(rule, ports=each(port))

    def spec(spec: Object) -> Object:
        types = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
        told = spec if spec.get("policyTypes") else {**spec, "policyTypes": types}
        return inside(filled(told, podSelector={}), ingress=each(rule), egress=each(rule))

    return inside(policy, spec=spec)


def ingress_class(ingress_class: Object) -> Object:
    """An IngressClass."""

    def parameters(parameters: Object) -> Object:
        return filled(parameters, scope="Cluster")

    return inside(ingress_class, spec=lambda spec: inside(spec, parameters=parameters))
