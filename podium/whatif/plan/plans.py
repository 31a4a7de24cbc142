"""Many plans of one state, all from one beginning."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from podium.simulation.workers import can_fork, in_workers
from podium.whatif.plan.chances import unrelated
from podium.whatif.plan.changes import Change
from podium.whatif.plan.outcome.outcome_reader import outcome_of
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planning import played
from podium.whatif.plan.play import Play, busy_controllers
from podium.whatif.plan.request import PlanRequest, without_changes

_DISTURBED = ("taint-eviction-controller", "disruption-controller")


class Plans:
    """Plans of one state, each as of a state that was never planned on.

    The state is loaded and the cluster started once. Each plan is played in a fork of this process,
    which shares all that the plan doesn't change; where the system can't fork, each begins again.

    Args:
        request: what all plans have in common; its changes don't count.
        workers: how many processes play disturbances at the same time.
    """

    def __init__(self, request: PlanRequest, workers: int = 1) -> None:
        self._request = replace(without_changes(request), seeds=1)
        self._workers = workers
        self._controllers = busy_controllers(self._request)
        self._play: Play | None = None
        self._unchanged: dict[float | None, Plan] = {}

    def begins(self, request: PlanRequest) -> bool:
        """Whether a request begins as all plans do: what differs is asked for later."""
        return _beginning_of(request) == _beginning_of(self._request)

    def plan(self, changes: Sequence[Change]) -> Plan:
        """What would happen if these changes were made; raises as `answer` does."""
        return self.answer(replace(self._request, changes=changes))

    def answer(self, request: PlanRequest) -> Plan:
        """What would happen by a request that begins as all plans do.

        Raises:
            TargetError: something to delete isn't there.
            LostProcessError: the process of the plan was killed.
            KeyboardInterrupt: by Ctrl-C; nothing of the plan goes on.
        """
        found = self._planned(request)
        if not ((request.changes or request.pressures) and request.state.is_restless):
            return found
        until_s = request.until_s
        if until_s not in self._unchanged:
            unchanged = replace(without_changes(request), next_pods_max=0)
            self._unchanged[until_s] = self._planned(unchanged)
        return replace(found, anyway=unrelated(found, self._unchanged[until_s]))

    def outcomes(
        self, disturbances: Sequence[Sequence[Change]], progress: Callable[[int], None] | None
    ) -> Iterator[Plan]:
        """Yield the outcome of each disturbance, in order, without remarks about the state.

        Raises:
            TargetError: something to change isn't there.
            LostProcessError: one of the processes was killed.
        """
        controllers = busy_controllers(self._request, changes_later=True)
        if can_fork():
            # As much as possible is done before the forks.
            play = self._beginning(controllers)
            play.cluster.wake_controllers(_DISTURBED)
            play.cluster.driver.run_until(play.start_s)

        def disturbed(changes: Sequence[Change]) -> Plan:
            play = self._beginning(controllers)
            play.change(changes)
            play.run(self._request.until_s)
            return outcome_of(play)

        return in_workers(disturbed, disturbances, self._workers, progress)

    def _planned(self, request: PlanRequest) -> Plan:
        controllers = busy_controllers(request)
        if can_fork():
            self._beginning(controllers)

        def go_on(request: PlanRequest) -> Plan:
            play = self._beginning(controllers)
            play.record_preemptions(request.alternatives_max)
            play.change(request.changes, request.pressures)
            return played(play, request)

        (found,) = in_workers(go_on, [request], 1)
        return found

    def _beginning(self, controllers: frozenset[str]) -> Play:
        if self._play is None or not can_fork() or not controllers <= self._controllers:
            self._controllers |= controllers
            self._play = Play(self._request, controllers=self._controllers)
        return self._play


def _beginning_of(request: PlanRequest) -> PlanRequest:
    return replace(
        without_changes(request),
        seeds=1,
        until_s=None,
        alternatives_max=0,
        draws=False,
        next_pods_max=0,
    )
