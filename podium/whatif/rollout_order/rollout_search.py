"""Looks for a safe order among all orders of steps."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from podium.simulation.workers import in_a_copy
from podium.whatif.plan.play import Play
from podium.whatif.rollout_order.rollout_judge import Judge, fingerprint, play_step
from podium.whatif.rollout_order.rollout_report import DeadEnd, StepOutcome
from podium.whatif.rollout_order.rollout_steps import RolloutStep

Progress = Callable[[int], None]
"""Is told how many steps were played."""


class RolloutSearch(msgspec.Struct):
    """What is known of the orders.

    Attributes:
        most: how many steps are played at most.
        tried: how many were played.
        dead: by steps that are left and fingerprint of the cluster: where no order is safe.
        dead_ends: the first steps that weren't safe, with what came before.
        known: steps that aren't safe, by their names and those of the steps before; they aren't
            played again.
    """

    steps: Sequence[RolloutStep]
    judge: Judge
    most: int
    tried: int = 0
    dead: set[tuple[frozenset[int], str]] = msgspec.field(default_factory=set)
    dead_ends: list[DeadEnd] = msgspec.field(default_factory=list)
    known: dict[tuple[str, ...], StepOutcome] = msgspec.field(default_factory=dict)
    progress: Progress | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether there were more steps to play than may be."""
        return self.tried >= self.most

    def in_order(self, play: Play, steps: Sequence[RolloutStep]) -> tuple[StepOutcome, ...]:
        """What comes of steps in this order, up to the first that isn't safe; it changes `play`."""
        outcomes: list[StepOutcome] = []
        for step in steps:
            outcomes.append(play_step(play, step, self.judge))
            if not outcomes[-1].is_safe:
                break
        return tuple(outcomes)

    def learn(self, outcomes: Sequence[StepOutcome]) -> None:
        """Keep what came of the steps in an order, so that it needn't be played again."""
        self.tried += len(outcomes)
        if not outcomes[-1].is_safe:
            self.known[tuple(one.step for one in outcomes)] = outcomes[-1]

    def safe_order(
        self, play: Play, left: Sequence[int], done: tuple[StepOutcome, ...] = ()
    ) -> tuple[StepOutcome, ...] | None:
        """A safe order; None if there is none, or if the search is cut short.

        Args:
            play: one that has come to rest; it stays as it is.
            left: the numbers of the steps, in the order in which they are tried.
            done: the outcomes of the steps before, with which the order begins.
        """
        for number in left:
            if self.is_cut_short:
                return None
            before = tuple(one.step for one in done)
            if outcome := self.known.get((*before, self.steps[number].name)):
                self.dead_ends.append(DeadEnd(before, outcome))
                continue
            found, known = in_a_copy(partial(self._after, play, done, left, number))
            # What the copy has learnt.
            self.tried, self.dead, self.dead_ends = known
            if self.progress is not None:
                self.progress(self.tried)
            if found is not None:
                return found
        return None

    def _after(
        self, play: Play, done: tuple[StepOutcome, ...], left: Sequence[int], number: int
    ) -> tuple[tuple[StepOutcome, ...] | None, "_Known"]:
        outcome = play_step(play, self.steps[number], self.judge)
        self.tried += 1
        rest = tuple(one for one in left if one != number)
        found = None
        if not outcome.is_safe:
            self.dead_ends.append(DeadEnd(tuple(one.step for one in done), outcome))
        elif not rest:
            found = (*done, outcome)
        else:
            place = (frozenset(rest), fingerprint(play))
            if place not in self.dead:
                found = self.safe_order(play, rest, (*done, outcome))
                if found is None and not self.is_cut_short:
                    self.dead.add(place)
        return found, (self.tried, self.dead, self.dead_ends)


_Known = tuple[int, set[tuple[frozenset[int], str]], list[DeadEnd]]
