"""Disturbances are played: each in a fork of one cluster, which is loaded and started once."""

from collections.abc import Callable, Iterator, Sequence

from podium.simulation.workers import can_fork, in_workers
from podium.whatif.plan.changes import Change
from podium.whatif.plan.outcome.outcome_reader import outcome_of
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import PlanRequest

_WOKEN = ("taint-eviction-controller", "disruption-controller")


class DisturbancePlayer:
    """Plays what is done to a cluster, again and again from the same beginning.

    The cluster is loaded once, and every machine in it knows all objects. Each play is a fork of
    it, which shares all that the play doesn't change.

    Args:
        request: the state, and the rules; without changes.
    """

    def __init__(self, request: PlanRequest, workers: int = 1) -> None:
        self._request = request
        self._workers = workers
        self._play = _prepared(request) if can_fork() else None

    def plans(
        self, asked: Sequence[Sequence[Change]], progress: Callable[[int], None] | None = None
    ) -> Iterator[Plan]:
        """Yield what each of several lists of changes comes to, in their order.

        Args:
            asked: what is done to the cluster, each time as it is now.

        Raises:
            TargetError: something to change isn't there.
            LostProcessError: one of the processes was killed.
        """
        return in_workers(self._played, asked, self._workers, progress)

    def _played(self, changes: Sequence[Change]) -> Plan:
        play = self._play or _prepared(self._request)
        play.change(changes, self._request.pressures)
        play.run(self._request.until_s)
        return outcome_of(play)


def _prepared(request: PlanRequest) -> Play:
    """A cluster that changes can be made in, in which as much as possible is done already."""
    play = Play(request, request.seed, changes_later=True)
    play.cluster.wake_controllers(_WOKEN)
    play.cluster.driver.run_until(play.start_s)
    assert play.before is not None
    return play
