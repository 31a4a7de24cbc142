"""The binding cycle without a clock: Reserve, Permit, PreBind, Bind and PostBind in one go.

Bindings succeed at once, unless a plugin objects; everything that was reserved is then given back.
"""

from podium.core.pipeline import Pipeline
from podium.core.pods import PodInfo
from podium.core.status import SUCCESS, Code, Status


def run_binding_plugins(pipeline: Pipeline, pod: PodInfo, node_name: str) -> Status:
    """Ask all plugins about a decision to put the pod on a node.

    Returns:
        Success, or why the pod is not bound after all. Whoever lets the pod wait refuses it here:
        nothing could happen that would make the plugin change its mind.
    """
    status = _first_objection(pipeline, pod, node_name)
    if not status.is_success:
        for plugin in reversed(pipeline.reserve):
            plugin.unreserve(pod, node_name)
        return status
    for follower in pipeline.post_bind:
        follower.post_bind(pod, node_name)
    return SUCCESS


def _first_objection(pipeline: Pipeline, pod: PodInfo, node_name: str) -> Status:
    for reserving in pipeline.reserve:
        status = reserving.reserve(pod, node_name)
        if not status.is_success:
            return status.by(reserving.name)
    for permitting in pipeline.permit:
        status = permitting.permit(pod, node_name).status
        if not status.is_success:
            return status.by(permitting.name)
    for preparing in pipeline.pre_bind:
        status = preparing.pre_bind(pod, node_name)
        if not status.is_success:
            return status.by(preparing.name)
    for binding in pipeline.bind:
        status = binding.bind(pod, node_name)
        if status.code is not Code.SKIP:
            return status if status.is_success else status.by(binding.name)
    return SUCCESS
