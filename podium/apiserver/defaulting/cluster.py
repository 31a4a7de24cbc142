"""What is filled into nodes, namespaces, services and priority classes."""

from podium.api.objects import Object, labels, name
from podium.api.priority import PREEMPT_LOWER_PRIORITY
from podium.apiserver.defaulting.amounts import amounts
from podium.apiserver.defaulting.copying import each, filled, inside

NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"


def node(node: Object) -> Object:
    """A Node; without allocatable resources, all of its capacity can be allocated."""

    def status(status: Object) -> Object:
        status = inside(status, capacity=amounts, allocatable=amounts)
        if status.get("capacity") is None or status.get("allocatable") is not None:
            return status
        return {**status, "allocatable": dict(status["capacity"])}

    return inside(node, status=status)


def namespace(namespace: Object) -> Object:
    """A Namespace: labelled with its name, and active."""
    called, known = name(namespace), labels(namespace)
    if called and known.get(NAMESPACE_NAME_LABEL) != called:
        labelled = {**known, NAMESPACE_NAME_LABEL: called}
        namespace = {**namespace, "metadata": {**namespace["metadata"], "labels": labelled}}
    status = filled(namespace.get("status") or {}, phase="Active")
    return namespace if namespace.get("status") == status else {**namespace, "status": status}


def service(service: Object) -> Object:
    """A Service."""

    def port(port: Object) -> Object:
        port = filled(port, protocol="TCP")
        return port if port.get("targetPort") else {**port, "targetPort": port.get("port")}

    def spec(spec: Object) -> Object:
        spec = filled(spec, sessionAffinity="None", type="ClusterIP")
        if spec["type"] != "ExternalName":
            spec = filled(spec, internalTrafficPolicy="Cluster")
        return inside(spec, ports=each(port))

    return inside(service, spec=spec)


def priority_class(priority_class: Object) -> Object:
    """A PriorityClass."""
    return filled(priority_class, value=0, preemptionPolicy=PREEMPT_LOWER_PRIORITY)
