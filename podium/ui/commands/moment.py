"""Questions about the current state of a cluster in this process."""

from collections.abc import Callable
from dataclasses import replace

from podium.cluster.manifests.manifest_sources import Manifests
from podium.ui.inputs.inputs import Asked, request_on
from podium.ui.inputs.request_options import Rules
from podium.ui.writers.terminal import Progress
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import PlanRequest
from podium.whatif.plan.request import Progress as PlanProgress


class Moment:
    """The context of questions about the current state of a cluster; simulates in this process.

    `request` has the state and configuration of the cluster, with changes to make after the changes
    of the question.
    """

    draws = True
    prepare: Callable[..., None] | None = None

    def __init__(self, request: PlanRequest) -> None:
        self.progress = Progress(None)
        self._request = request

    def read(self, asked: Rules) -> Asked:
        """Return a question's request about the current state; raises PodiumError."""
        found = request_on(asked, Manifests)
        own = self._request
        request = replace(
            found.request,
            changes=(*found.request.changes, *own.changes),
            until_s=own.until_s or found.request.until_s,
            state=own.state,
            configuration=found.request.configuration or own.configuration,
            eviction=found.request.eviction if asked.kubelet_config else own.eviction,
            is_whole=own.is_whole,
        )
        return replace(found, request=request)

    def play(self, request: PlanRequest, tell: PlanProgress, workers: int | None = None) -> Plan:
        """Make a plan."""
        return plan(request, tell)
