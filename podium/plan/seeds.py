"""Plays the seeds of a plan in several processes.

Each seed is played by itself, whoever plays it, so that the number of processes changes nothing
but the time. They are forked and so share the state, however large.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from podium.plan.outcome import Plan
from podium.plan.play import Progress as Passed
from podium.plan.request import PlanRequest, Progress
from podium.workers import Forks

Played = Callable[[PlanRequest, int, Passed | None], Plan]
"""Plays a request with a seed."""


def play_seeds(
    play: Played, request: PlanRequest, progress: Progress | None, workers: int
) -> Iterator[Plan]:
    """Yield a plan for each seed, in their order; an interrupted one is the last.

    Args:
        play: plays one seed.
        request: what is to be planned.
        progress: is told how far it is.
        workers: how many processes play the others, while this one plays the first.

    Raises:
        LostProcessError: one of the processes was killed.
    """
    seeds = [request.seed + number for number in range(1, request.seeds)]
    with Forks(lambda seed: play(request, seed, None), seeds, workers) as others:
        first = play(request, request.seed, progress and partial(progress, 1))
        yield first
        if first.interrupted:
            return
        try:
            for number, found in enumerate(others.results(), start=2):
                if progress is not None:
                    progress(number, found.until_s)
                yield found
        except KeyboardInterrupt:
            yield replace(first, interrupted=True)
