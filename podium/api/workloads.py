"""What is asked of what makes pods, such as Deployments: which pods, how many, and how."""

from podium.api.objects import Object, part, spec_of
from podium.api.selectors.labels import Selector, equality_selector, label_selector

SCALED = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
"""The kinds that say by `spec.replicas` how many pods they want."""

TEMPLATED = (*SCALED, "DaemonSet", "Job")
"""The kinds that have a template of pods."""

RECREATING = TEMPLATED[1:]
"""The kinds whose controllers make pods, and make them again when they are gone."""

JOB_CONTROLLER = "kubernetes.io/job-controller"
"""What `spec.managedBy` of a Job says of Kubernetes' own controller."""


def pod_template_of(workload: Object) -> Object:
    """The template of the workload's pods."""
    return part(spec_of(workload), "template")


def update_strategy_of(workload: Object) -> Object:
    """How a DaemonSet or a StatefulSet replaces its pods."""
    return part(spec_of(workload), "updateStrategy")


def replicas_of(workload: Object) -> int:
    """How many pods the workload wants."""
    replicas = spec_of(workload).get("replicas")
    return 1 if replicas is None else int(replicas)


def selector_of(workload: Object) -> Selector:
    """The selector of a workload, or of a budget; a ReplicationController's is a plain map."""
    raw = spec_of(workload).get("selector")
    is_map = workload.get("kind") == "ReplicationController"
    return equality_selector(raw) if is_map else label_selector(raw)


def foreign_controller(job: Object) -> str:
    """The controller that looks after a Job instead of Kubernetes' own; empty if none does."""
    controller = str(spec_of(job).get("managedBy") or "")
    return "" if controller == JOB_CONTROLLER else controller
