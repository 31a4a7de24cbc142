"""Accessors of workloads: template, replicas, selector, update strategy."""

from podium.api.objects import Object, part, spec_of
from podium.api.selectors.labels import Selector, equality_selector, label_selector

SCALED = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
"""The kinds with `spec.replicas`."""

TEMPLATED = (*SCALED, "DaemonSet", "Job")
"""The kinds with a template of pods."""

RECREATING = TEMPLATED[1:]
"""The kinds with controllers that create pods, and replace them."""

JOB_CONTROLLER = "kubernetes.io/job-controller"
"""The `spec.managedBy` of a Job that means Kubernetes' own controller."""


def pod_template_of(workload: Object) -> Object:
    """Return the pod template of a workload."""
    return part(spec_of(workload), "template")


def update_strategy_of(workload: Object) -> Object:
    """Return the update strategy of a DaemonSet or a StatefulSet."""
    return part(spec_of(workload), "updateStrategy")


def replicas_of(workload: Object) -> int:
    """Return the wanted number of pods of a workload."""
    replicas = spec_of(workload).get("replicas")
    return 1 if replicas is None else int(replicas)


def selector_of(workload: Object) -> Selector:
    """Parse the selector of a workload or budget; a ReplicationController's is a plain map."""
    raw = spec_of(workload).get("selector")
    is_map = workload.get("kind") == "ReplicationController"
    return equality_selector(raw) if is_map else label_selector(raw)


def foreign_controller(job: Object) -> str:
    """Return the external controller that manages a Job; empty if Kubernetes' controller does."""
    controller = str(spec_of(job).get("managedBy") or "")
    return "" if controller == JOB_CONTROLLER else controller
