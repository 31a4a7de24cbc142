"""What is filled into pods, and into the pod specs of templates."""

from podium.api.objects import Object
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.apiserver.defaulting.amounts import (
    amounts,
    pod_level,
    requests_from_limits,
    requirements,
)
from podium.apiserver.defaulting.containers import container
from podium.apiserver.defaulting.copying import each, filled, inside
from podium.apiserver.defaulting.remembered import remembered
from podium.apiserver.defaulting.volumes import volume

DEFAULT_GRACE_PERIOD_S = 30
_LEAST_GRACE_PERIOD_S = 1


def pod_spec(spec: Object) -> Object:
    """The spec of a pod, or of a pod to be in a template."""
    spec = filled(
        spec,
        restartPolicy="Always",
        terminationGracePeriodSeconds=DEFAULT_GRACE_PERIOD_S,
        dnsPolicy="ClusterFirst",
        schedulerName=DEFAULT_SCHEDULER_NAME,
        securityContext={},
    )
    return inside(
        spec,
        initContainers=each(container),
        containers=each(container),
        volumes=each(volume),
        resources=requirements,
        overhead=amounts,
    )


def template(template: Object) -> Object:
    """The template of a workload's pods."""
    return inside(template, spec=pod_spec)


def pod(pod: Object) -> Object:
    """A pod; unlike in templates, requests follow from limits, and no grace is below zero."""
    return inside(pod, spec=_remembered_spec)


def _whole_spec(spec: Object) -> Object:
    spec = filled(pod_spec(spec), enableServiceLinks=True)
    spec = inside(
        spec,
        terminationGracePeriodSeconds=lambda grace_s: (
            grace_s if grace_s >= 0 else _LEAST_GRACE_PERIOD_S
        ),
    )
    spec = inside(
        spec,
        initContainers=each(requests_from_limits),
        containers=each(requests_from_limits),
    )
    spec = pod_level(spec)
    if spec.get("hostNetwork"):
        spec = inside(spec, initContainers=each(_node_ports), containers=each(_node_ports))
    return spec


def _node_ports(container: Object) -> Object:
    """In the node's network, a container's port is the node's."""

    def port(port: Object) -> Object:
        return port if port.get("hostPort") else {**port, "hostPort": port.get("containerPort")}

    return inside(container, ports=each(port))


_remembered_spec = remembered(_whole_spec)
