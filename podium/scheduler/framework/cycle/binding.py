"""The binding cycle: from a chosen node to a bound pod, as in `schedule_one.go` of v1.36.

If Reserve, Permit, PreBind or Bind fails, all Reserve plugins unreserve, last first.
"""

import msgspec

from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.framework.status import SUCCESS, Code, Status, unschedulable
from podium.scheduler.snapshot.pod_info import PodInfo

# Upstream's cap on how long Permit may make a pod wait.
PERMIT_TIMEOUT_S_MAX = 15 * 60.0


class WaitingPod(msgspec.Struct):
    """A pod that is assumed on its node, and that `plugin` rejects at a time in epoch seconds."""

    pod: PodInfo
    plugin: str
    wait_s: float
    deadline_s: float


class BindingCycle:
    """Runs Reserve, Permit, PreBind, Bind and PostBind plugins of one profile."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.waiting: dict[str, WaitingPod] = {}

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        for plugin in self._pipeline.reserve:
            status = plugin.reserve(pod, node_name)
            if not status.is_success:
                self.unreserve(pod, node_name)
                return failure_of("Reserve", plugin.name, status)
        return SUCCESS

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        """Unreserve a pod in all Reserve plugins, last first; it no longer waits on Permit."""
        self.waiting.pop(pod.uid, None)
        for plugin in reversed(self._pipeline.reserve):
            plugin.unreserve(pod, node_name)

    def permit(self, pod: PodInfo, node_name: str, now_s: float) -> Status:
        """Run the Permit plugins; if the result is `Wait`, the pod has been added to `waiting`."""
        waits: dict[str, float] = {}
        for plugin in self._pipeline.permit:
            permission = plugin.permit(pod, node_name)
            if permission.status.code is Code.WAIT:
                waits[plugin.name] = min(permission.timeout_s, PERMIT_TIMEOUT_S_MAX)
            elif not permission.status.is_success:
                return failure_of("Permit", plugin.name, permission.status)
        if not waits:
            return SUCCESS
        first = min(waits, key=waits.__getitem__)
        self.waiting[pod.uid] = WaitingPod(pod, first, waits[first], now_s + waits[first])
        return Status(
            Code.WAIT,
            (f'one or more plugins asked to wait and no plugin rejected pod "{pod.name}"',),
        )

    def reject(self, uid: str, plugin: str, reason: str) -> Status:
        """Reject a waiting pod in the name of a plugin; the caller has to unreserve it."""
        del self.waiting[uid]
        return unschedulable(reason, plugin=plugin)

    def expire(self, now_s: float) -> list[tuple[WaitingPod, Status]]:
        """Reject the pods whose Permit timeout has passed; the caller has to unreserve them."""
        expired = []
        for uid, waiting in list(self.waiting.items()):
            if waiting.deadline_s <= now_s:
                plugin, wait_s = waiting.plugin, waiting.wait_s
                reason = f"rejected due to timeout after waiting {wait_s:g}s at plugin {plugin}"
                expired.append((waiting, self.reject(uid, plugin, reason)))
        return expired

    def bind(self, pod: PodInfo, node_name: str) -> Status:
        """Run PreBind, Bind and PostBind without waiting; unreserve the pod if one fails."""
        status = self.pre_bind(pod, node_name)
        if status.is_success:
            status = self.agree_to_bind(pod, node_name)
        if not status.is_success:
            self.unreserve(pod, node_name)
            return status
        return self.post_bind(pod, node_name)

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
