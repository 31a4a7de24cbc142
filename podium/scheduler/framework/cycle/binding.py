"""The binding cycle: from a chosen node to a bound pod, as in `schedule_one.go` of v1.36.

If Reserve, Permit, PreBind or Bind fails, all Reserve plugins unreserve, last first.
"""

from collections.abc import Mapping

import msgspec

from podium.scheduler.framework.interface import PreBindAtOncePlugin
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.framework.status import SUCCESS, Code, Status
from podium.scheduler.snapshot.pod_info import PodInfo

# Upstream's cap on how long Permit may make a pod wait.
PERMIT_TIMEOUT_S_MAX = 15 * 60.0


class Permit(msgspec.Struct, frozen=True):
    """The result of all Permit plugins."""

    status: Status = SUCCESS
    waits_s: Mapping[str, float] = {}
    """How long the pod waits for each plugin that asks it to, by name."""


class BindingCycle:
    """Runs Reserve, Permit, PreBind, Bind and PostBind plugins of one profile."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._at_once = [p for p in pipeline.pre_bind_calls if isinstance(p, PreBindAtOncePlugin)]

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        for plugin in self._pipeline.reserve:
            status = plugin.reserve(pod, node_name)
            if not status.is_success:
                self.unreserve(pod, node_name)
                return failure_of("Reserve", plugin.name, status)
        return SUCCESS

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        for plugin in reversed(self._pipeline.reserve):
            plugin.unreserve(pod, node_name)

    def permit(self, pod: PodInfo, node_name: str) -> Permit:
        """Run the Permit plugins; one that rejects the pod outweighs all that wait."""
        waits_s = dict[str, float]()
        for plugin in self._pipeline.permit:
            permission = plugin.permit(pod, node_name)
            status = permission.status.by(plugin.name)
            if status.code is Code.WAIT:
                waits_s[plugin.name] = min(permission.timeout_s, PERMIT_TIMEOUT_S_MAX)
            elif not status.is_success:
                return Permit(failure_of("Permit", plugin.name, status))
        return Permit(Status(Code.WAIT), waits_s) if waits_s else Permit()

    def bind(self, pod: PodInfo, node_name: str) -> Status:
        """Run PreBind, Bind and PostBind without waiting; unreserve the pod if one fails."""
        status = self._pre_bind_at_once(pod, node_name)
        if status.is_success:
            status = self.pre_bind(pod, node_name)
        if status.is_success:
            status = self.agree_to_bind(pod, node_name)
        if not status.is_success:
            self.unreserve(pod, node_name)
            return status
        return self.post_bind(pod, node_name)

    def _pre_bind_at_once(self, pod: PodInfo, node_name: str) -> Status:
        for plugin in self._at_once:
            status = plugin.pre_bind_at_once(pod, node_name)
            if not status.is_success:
                return failure_of("PreBind", plugin.name, status)
        return SUCCESS

    def pre_bind(self, pod: PodInfo, node_name: str) -> Status:
        for plugin in self._pipeline.pre_bind:
            status = plugin.pre_bind(pod, node_name)
            if not status.is_success:
                return failure_of("PreBind", plugin.name, status)
        return SUCCESS

    def agree_to_bind(self, pod: PodInfo, node_name: str) -> Status:
        """Run Bind plugins until one accepts the pod; the caller sends the API call."""
        for plugin in self._pipeline.bind:
            status = plugin.bind(pod, node_name)
            if status.code is not Code.SKIP:
                return status if status.is_success else failure_of("Bind", plugin.name, status)
        return Status(Code.ERROR, ("no bind plugin bound the pod",))

    def post_bind(self, pod: PodInfo, node_name: str) -> Status:
        for plugin in self._pipeline.post_bind:
            plugin.post_bind(pod, node_name)
        return SUCCESS


def failure_of(point: str, plugin: str, status: Status) -> Status:
    """Return the status of a failed plugin; an error names the extension point."""
    if status.is_rejection:
        return status.by(plugin)
    return Status(Code.ERROR, (f'running {point} plugin "{plugin}": {status.message}',), plugin)
