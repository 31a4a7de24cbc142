"""Many plans of one state, all from one beginning."""

from collections.abc import Sequence
from dataclasses import replace

from podium.simulation.workers import can_fork, in_a_copy
from podium.whatif.plan.chances import unrelated
from podium.whatif.plan.changes import Change
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planning import plan, played
from podium.whatif.plan.play import Play, busy_controllers
from podium.whatif.plan.request import PlanRequest, without_changes


class Plans:
    """Plans of one state, each as of a state that was never planned on.

    The state is loaded and the cluster started once. Each plan is played in a fork of this process,
    which leaves everything as it was; where the system can't fork, it begins anew.

    Args:
        request: what all plans have in common; its changes don't count.
    """

    def __init__(self, request: PlanRequest) -> None:
        self._request = replace(without_changes(request), seeds=1)
        self._controllers = busy_controllers(self._request)
        self._beginning: Play | None = None
        self._unchanged: dict[float | None, Plan] = {}

    def plan(self, changes: Sequence[Change]) -> Plan:
        """What would happen if these changes were made.

        Raises:
            TargetError: something to delete isn't there.
            LostProcessError: the process of the plan was killed.
            KeyboardInterrupt: by Ctrl-C; nothing of the plan goes on.
        """
        return self.answer(replace(self._request, changes=changes))

    def begins(self, request: PlanRequest) -> bool:
        """Whether a request begins as all plans do: what differs is asked for later."""
        return _beginning_of(request) == _beginning_of(self._request)

    def answer(self, request: PlanRequest) -> Plan:
        """What would happen by a request that begins as all plans do; raises as `plan` does."""
        if not can_fork():
            return plan(request)
        found = self._played(request)
        if not ((request.changes or request.pressures) and request.state.is_restless):
            return found
        until_s = request.until_s
        if until_s not in self._unchanged:
            unchanged = replace(without_changes(request), next_pods_max=0)
            self._unchanged[until_s] = self._played(unchanged)
        return replace(found, anyway=unrelated(found, self._unchanged[until_s]))

    def _played(self, request: PlanRequest) -> Plan:
        controllers = busy_controllers(request)
        if self._beginning is None or not controllers <= self._controllers:
            self._controllers |= controllers
            seed, controllers = self._request.seed, self._controllers
            self._beginning = Play(self._request, seed, controllers=controllers)
            # It is the same for all.
            _ = self._beginning.before
        play = self._beginning

        def go_on() -> Plan:
            play.record_preemptions(request.alternatives_max)
            return played(play, request)

        return in_a_copy(go_on)


def _beginning_of(request: PlanRequest) -> PlanRequest:
    return replace(
        without_changes(request),
        seeds=1,
        until_s=None,
        alternatives_max=0,
        draws=False,
        next_pods_max=0,
    )
