"""Adds nodes on trial and decides the waiting pods again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.simulation.workers import in_a_copy
from podium.whatif.capacity.node_shapes import NodeShape
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.outcome.outcome_reader import OutcomeReader
from podium.whatif.plan.plan_report import PendingPod, Placement, Return
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import UNTIL_S

Progress = Callable[[int], None]
"""Is told how many choices were tried."""

Counts = tuple[int, ...]
"""How many nodes of each shape."""


_UNTIL_READY_S = 10.0


class UncreatedPodsError(PodiumError):
    """The API doesn't let pods in that are to get a place."""


@dataclass(frozen=True, slots=True)
class NodeTrial:
    """The pods that wait with more nodes, and those that were preempted and aren't recreated."""

    pending: tuple[PendingPod, ...]
    lost: tuple[str, ...]
    placements: tuple[Placement, ...]

    @property
    def is_enough(self) -> bool:
        """Whether everybody has a place."""
        return not (self.pending or self.lost)


class NodeTrials:
    """Tries choices of nodes, each in a copy of a play that has come to rest.

    Args:
        new: pods that are created once the nodes are there.
        most: how many choices are tried at most.
    """

    def __init__(
        self,
        play: Play,
        shapes: Sequence[NodeShape],
        new: Sequence[Object],
        most: int,
        progress: Progress | None = None,
    ) -> None:
        self.known: dict[Counts, NodeTrial] = {}
        self._play = play
        self._shapes = shapes
        self._new = new
        self._most = most
        self._progress = progress

    @property
    def are_over(self) -> bool:
        """Whether no more may be tried."""
        return len(self.known) >= self._most

    def of(self, counts: Counts) -> NodeTrial:
        """What comes of so many nodes of each shape."""
        if counts not in self.known:
            self.known[counts] = in_a_copy(lambda: self._tried(counts))
            if self._progress is not None:
                self._progress(len(self.known))
        return self.known[counts]

    def _tried(self, counts: Counts) -> NodeTrial:
        play, since_s = self._play, self._play.passed_s
        nodes = [
            shape.made(number)
            for shape, count in zip(self._shapes, counts, strict=True)
            for number in range(1, count + 1)
        ]
        play.change([Apply(tuple(nodes))])
        if self._new:
            play.run(_UNTIL_READY_S)
            play.change([Apply(tuple(self._new))])
            if play.rejected:
                lines = (f"{one.object}: {one.message}" for one in play.rejected)
                raise UncreatedPodsError("\n".join(lines))
        play.run(UNTIL_S)
        outcome = OutcomeReader(play)
        lost = (
            one.pod
            for one in outcome.disruptions()
            if one.cause is BY_SCHEDULER and one.comes_again is Return.NEVER and one.at_s >= since_s
        )
        placements = (one for one in outcome.placements() if one.at_s >= since_s)
        return NodeTrial(outcome.pending(), tuple(lost), tuple(placements))
