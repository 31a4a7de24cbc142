"""Plays the seeds of a plan in several processes.

Each seed is played by itself, whoever plays it, so that the number of processes changes nothing
but the time. They are forked and so share the state, however large.
"""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import active_children, get_all_start_methods, get_context
from typing import ClassVar

from podium.api.errors import PodiumError
from podium.plan.outcome import Plan
from podium.plan.play import Progress as Passed
from podium.plan.request import Progress, Request

Played = Callable[[Request, int, Passed | None], Plan]
"""Plays a request with a seed."""


class LostProcessError(PodiumError):
    """A process that played seeds is gone."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What processes work on; they inherit it, so that nothing of it is copied to them."""

    play: Played
    request: Request

    current: ClassVar["_Job | None"] = None


def can_fork() -> bool:
    """Whether processes can be forked here."""
    return "fork" in get_all_start_methods()


def play_seeds(
    play: Played, request: Request, progress: Progress | None, workers: int
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
    with _other_seeds(play, request, workers) as others:
        first = play(request, request.seed, progress and partial(progress, 1))
        yield first
        if not first.interrupted:
            yield from _in_turn(first, others, progress)


def _in_turn(first: Plan, others: list[Future[Plan]], progress: Progress | None) -> Iterator[Plan]:
    """The plans of the other seeds as they come, and after Ctrl-C one that says so."""
    for number, other in enumerate(others, start=2):
        try:
            found = other.result()
            if progress is not None:
                progress(number, found.until_s)
        except KeyboardInterrupt:
            yield replace(first, interrupted=True)
            return
        except BrokenProcessPool as error:
            message = f"the process of seed {number} died, perhaps for want of memory"
            raise LostProcessError(message) from error
        yield found


@contextmanager
def _other_seeds(play: Played, request: Request, workers: int) -> Iterator[list[Future[Plan]]]:
    """All seeds but the first, being played; what isn't over at the end is given up."""
    before = {process.pid for process in active_children()}
    _Job.current = _Job(play, request)
    count = min(workers, request.seeds - 1)
    pool = ProcessPoolExecutor(count, get_context("fork"), initializer=_leave_interrupts)
    futures: list[Future[Plan]] = []
    try:
        futures += [pool.submit(_play, request.seed + number) for number in range(1, request.seeds)]
        yield futures
    finally:
        _Job.current = None
        pool.shutdown(wait=False, cancel_futures=True)
        if not all(one.done() and not one.cancelled() for one in futures):
            for process in active_children():
                if process.pid not in before:
                    process.terminate()


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that waits for the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play(seed: int) -> Plan:
    """Plays a seed in a process of its own."""
    job = _Job.current
    if job is None:
        raise RuntimeError("there is nothing to play")
    return job.play(job.request, seed, None)
