"""What is asked of what makes pods, such as Deployments: the template, and how it is rolled out."""

from podium.api.objects import Object, part, spec_of


def pod_template_of(workload: Object) -> Object:
    """The template of the workload's pods."""
    return part(spec_of(workload), "template")


def update_strategy_of(workload: Object) -> Object:
    """How a DaemonSet or a StatefulSet replaces its pods."""
    return part(spec_of(workload), "updateStrategy")
